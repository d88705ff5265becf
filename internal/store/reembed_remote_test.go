package store

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// In object storage another model of the same width takes over, whatever fails on the
// way; another width is refused, with the command that does it.
func TestReembedRemote(t *testing.T) {
	noHandlesLeft(t)
	far := newFarEnd(t)
	was := oldModel.memories("Lighthouse number %d", 12)
	first := open(t, far.Path, far.options, oldModel.options)
	insert(t, first, was...)

	var refused *RemoteWidthError
	if _, err := open(t, far.Path, far.options, wideModel.options).Reembed(); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "`memory-pro reembed --source-db "+far.Path) {
		t.Errorf("another width: %v", err)
	}
	s := open(t, far.Path, far.options, newModel.options)
	for _, step := range []string{stepReembedNote, stepReembedPublish, stepReembedDone, ""} {
		r, err := s.Reembed()
		if err != nil {
			t.Fatal(err)
		}
		keepAll(t, r, newModel, nil)
		s.pause = func(d time.Duration) error {
			if d < notesFresh {
				t.Errorf("waits %s", d)
			}
			return nil
		}
		left := failing(s, 1, step)
		done, err := r.Finish(t.Context())
		if step != "" && !errors.Is(err, left) {
			t.Errorf("%s: %v", step, err)
		}
		if step == "" && (err != nil || done.Rows != 15 || done.Pending != 0) {
			t.Errorf("%+v, %v", done, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if step == "" {
			break
		}
		more := mem("Stored after "+step, withVector(newModel.vector("Stored after "+step)))
		insert(t, s, more)
		was = append(was, more)
		for _, m := range everyRow(t, s) {
			if s.CheckVectors() == nil && m.Vector != nil && !slices.Equal(m.Vector, newModel.vector(m.Text)) {
				t.Errorf("%s: %q has a vector of another model", step, m.Text)
			}
		}
	}
	for _, st := range []*Store{s, open(t, far.Path, far.elsewhere(t).options, newModel.options)} {
		wantModel(t, st, was, newModel)
		for _, m := range was {
			hits, err := st.Nearest(t.Context(), everyone(), memory.Narrow{}, newModel.vector(m.Text), 1)
			if err != nil || len(hits) != 1 || hits[0].Memory.ID != m.ID {
				t.Errorf("%q: %v, %v", m.Text, texts(hits), err)
			}
		}
	}
}
