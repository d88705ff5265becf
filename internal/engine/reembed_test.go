package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// ofWidth is an embedder of a name and a width, which a test can have fail.
type ofWidth struct {
	name  string
	width int

	mu    sync.Mutex
	asked []string
	fail  func(n int, text string) error // n counts the texts asked for
}

func (o *ofWidth) vector(text string) []float32 {
	v := make([]float32, o.width)
	for w := range words(text) {
		h := fnv.New32a()
		h.Write([]byte(o.name + w))
		v[h.Sum32()%uint32(o.width)]++
	}
	return unit(v)
}

func (o *ofWidth) EmbedPassages(ctx context.Context, list []string) ([][]float32, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var vectors [][]float32
	for _, text := range list {
		o.asked = append(o.asked, text)
		if o.fail != nil {
			if err := o.fail(len(o.asked), text); err != nil {
				return nil, err
			}
		}
		vectors = append(vectors, o.vector(text))
	}
	return vectors, ctx.Err()
}

func (o *ofWidth) EmbedPassage(ctx context.Context, text string) ([]float32, error) {
	v, err := o.EmbedPassages(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

func (o *ofWidth) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	return o.vector(text), nil
}
func (o *ofWidth) Dimensions() int        { return o.width }
func (o *ofWidth) Model() string          { return o.name }
func (o *ofWidth) Fingerprint() string    { return o.name }
func (o *ofWidth) options(opts *Options)  { opts.Embedder = o }
func (o *ofWidth) oneShot(opts *Options)  { opts.Embedder, opts.OneShot = o, true }
func (o *ofWidth) failing(n int, e error) { o.fail = failAt(n, e) }

func failAt(n int, err error) func(int, string) error {
	return func(i int, _ string) error {
		if i >= n {
			return err
		}
		return nil
	}
}

func thirtyRows() []memory.Memory {
	ms := ofEveryKind()
	old := &ofWidth{name: "old", width: 96}
	for i := len(ms); i < 30; i++ {
		ms = append(ms, memory.Memory{
			ID: memory.DerivedID("reembed", fmt.Sprint(i)), Text: fmt.Sprintf("The zylophrast%d hangs in room%d", i, i), Category: "fact",
			Scope: []string{"global", "agent:main"}[i%2], Importance: 0.5, Time: now,
		})
	}
	for i := range ms {
		ms[i].Vector = old.vector(ms[i].Text)
		if i >= len(ofEveryKind()) {
			ms[i].Metadata = memory.NewMetadata(ms[i].Text, memory.Cases, memory.SourceManual, now)
		}
	}
	return ms
}

// sameRows checks that memories are as they were, but for their vectors.
func sameRows(t *testing.T, f *fixture, want []memory.Memory) {
	t.Helper()
	got := map[string]memory.Memory{}
	for _, m := range f.all() {
		got[m.ID] = m
	}
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	for _, w := range want {
		if g := got[w.ID]; !same(w, g) {
			w.Vector, g.Vector = nil, nil
			t.Errorf("%s was changed:\n%+v\n%+v", w.ID, w, g)
		}
	}
}

// B37, B104: 30 rows from 96 numbers to 64. A provider that is down at row 17 leaves
// the database as it was and says where; the next run goes on and completes.
func TestReembedInPlace(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	was := thirtyRows()
	f.put(was...)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wide := &ofWidth{name: "new", width: 64}
	wide.failing(17, fmt.Errorf("no answer: %w", embed.ErrUnavailable))
	f = reopen(t, f.path, nil, wide.oneShot)
	a := f.recall("zylophrast27", 3)
	if len(texts(a)) == 0 || len(a.Degraded) == 0 || !strings.Contains(a.Degraded[0].Reason, "96 numbers, the configured model gives 64") ||
		!strings.Contains(a.Degraded[0].Reason, "memory-pro reembed") {
		t.Errorf("before: %q, %+v", texts(a), a.Degraded)
	}
	_, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Batch: 8})
	var stopped *ReembedStoppedError
	if !errors.As(err, &stopped) || stopped.Done != 16 || stopped.Of != 30 || len(stopped.IDs) != 8 || FaultOf(err) != FaultProvider ||
		!strings.Contains(err.Error(), stopped.IDs[0]) || !strings.Contains(err.Error(), "`memory-pro reembed` again") {
		t.Fatalf("stopped: %v", err)
	}
	sameRows(t, f, was)
	for _, m := range f.all() {
		if len(m.Vector) != 96 {
			t.Errorf("%q has %d numbers", m.Text, len(m.Vector))
		}
	}
	wide.fail = nil
	wide.asked = nil
	told := 0
	done, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Progress: func(n, of int) {
		if n < told || of != 30 {
			t.Errorf("%d of %d after %d", n, of, told)
		}
		told = n
	}})
	if err != nil || !done.Complete || done.Kept != 16 || done.Embedded != 14 || done.Rows != 30 || done.Pending != 0 || told != 30 {
		t.Errorf("%+v, %v", done, err)
	}
	if len(wide.asked) != 14 {
		t.Errorf("%d texts were embedded", len(wide.asked))
	}
	sameRows(t, f, was)
	for _, m := range f.all() {
		if !slices.Equal(m.Vector, wide.vector(m.Text)) {
			t.Errorf("%q has another vector", m.Text)
		}
	}
	if a := f.recall("zylophrast27", 3); len(texts(a)) == 0 || len(a.Degraded) > 0 {
		t.Errorf("after: %q, %+v", texts(a), a.Degraded)
	}
	if h := f.Health(); !h.OK() {
		t.Errorf("health: %+v", h)
	}
	again, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()})
	if err != nil || again.Needed || !again.Complete || again.Embedded > 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// Single texts that cannot be embedded are named, and cost only their vectors; a
// refusal of everything is the configuration's fault.
func TestReembedRefusals(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	was := thirtyRows()
	f.put(was...)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	picky := &ofWidth{name: "new", width: 64}
	picky.fail = func(int, string) error { return fmt.Errorf("bad key: %w", embed.ErrRejected) }
	f = reopen(t, f.path, nil, picky.oneShot)
	if _, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); FaultOf(err) != FaultProvider {
		t.Errorf("refused: %v", err)
	}
	if len(picky.asked) > 40 {
		t.Errorf("%d texts were asked for", len(picky.asked))
	}
	picky.fail = func(_ int, text string) error {
		if strings.Contains(text, "zylophrast2") {
			return fmt.Errorf("too odd: %w", embed.ErrBadVector)
		}
		return nil
	}
	done, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()})
	want := 0
	for _, m := range was {
		if strings.Contains(m.Text, "zylophrast2") {
			want++
		}
	}
	if err != nil || !done.Complete || done.Pending != want || len(done.Waiting) != want {
		t.Fatalf("%+v, %v; want %d without", done, err, want)
	}
	for _, w := range done.Waiting {
		if w.ID == "" || !strings.Contains(w.Reason, "too odd") {
			t.Errorf("%+v", w)
		}
	}
	picky.fail = nil
	if done, err = f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); err != nil || done.Pending != 0 || !done.Complete {
		t.Errorf("filled in: %+v, %v", done, err)
	}
	sameRows(t, f, was)
}

// While it runs, another process with the new model stores and recalls: what it
// stores has the new vector in the end, without a restart. An interrupt keeps what is
// done.
func TestReembedBesideOthers(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	f.put(thirtyRows()...)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := &ofWidth{name: "new", width: 64}
	other := reopen(t, f.path, nil, fresh.options)
	other.count()
	runner := &ofWidth{name: "new", width: 64}
	f = reopen(t, f.path, nil, runner.oneShot)
	stored := 0
	meanwhile := func(n int, _ string) error {
		if n%10 != 0 {
			return nil
		}
		kept := other.remember(fmt.Sprintf("The glimmerwick%d stands behind the door", n))
		stored++
		if kept.Pending == "" {
			t.Error("a vector was stored beside those of the old model")
		}
		if got := other.recalled(fmt.Sprintf("glimmerwick%d", n)); len(got) == 0 {
			t.Error("not found by words at once")
		}
		return nil
	}
	runner.fail = func(n int, text string) error { return meanwhile(n, text) }
	ctx, stop := context.WithCancel(t.Context())
	done, err := f.Reembed(ctx, ReembedRequest{Who: Operator(), Batch: 5, Progress: func(n, _ int) {
		if n >= 10 {
			stop()
		}
	}})
	if err != nil || !done.Interrupted || done.Complete || done.Embedded != 10 {
		t.Fatalf("interrupted: %+v, %v", done, err)
	}
	done, err = f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Batch: 5})
	if err != nil || !done.Complete || done.Kept != 10 || stored == 0 || done.Rows != 30+stored {
		t.Fatalf("%+v, %v", done, err)
	}
	db := other.database()
	if err := db.CheckVectors(); err != nil {
		t.Errorf("the other process: %v", err)
	}
	eventually(t, "all have a vector", func() bool {
		rows, err := db.Pending(t.Context(), scope.Operator().Filter(), 1)
		return err == nil && len(rows) == 0
	})
	for _, m := range other.all() {
		if !slices.Equal(m.Vector, fresh.vector(m.Text)) {
			t.Errorf("%q has another vector", m.Text)
		}
	}
	if a := other.recall("the glimmerwick10 stands behind", 3); len(a.Degraded) > 0 || len(texts(a)) == 0 {
		t.Errorf("%q, %+v", texts(a), a.Degraded)
	}
}

// A deletion from before is undone after: the vector on record is of the old model,
// of the same width, and is not put back.
func TestUndoAcrossReembed(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 64}).oneShot)
	kept := f.remember("The zylophrast hangs in the blue room")
	f.remember("Another one stays")
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: Operator(), ID: kept.Memory.ID}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := &ofWidth{name: "new", width: 64}
	f = reopen(t, f.path, nil, fresh.oneShot)
	if _, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); err != nil {
		t.Fatal(err)
	}
	seq := newestSeq(f.database().Journal(), "deleting a memory")
	if _, err := f.Undo(t.Context(), UndoRequest{Who: Operator(), Seq: seq}); err != nil {
		t.Fatal(err)
	}
	got := f.all()[kept.Memory.Text]
	if got.ID != kept.Memory.ID || !slices.Equal(got.Vector, fresh.vector(got.Text)) {
		t.Errorf("it came back with %v", got.Vector)
	}
}

// A12, B104: from another database. Existing ids are not doubled, the source stays as
// it is, a provider that fails costs only vectors, and a second run completes.
func TestReembedFromSource(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	was := thirtyRows()
	f.put(was...)
	before := f.database().Vectors()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wide := &ofWidth{name: "new", width: 64}
	to := reopen(t, filepath.Join(t.TempDir(), "to"), nil, wide.oneShot)
	for _, m := range was[:5] {
		m.Vector = wide.vector(m.Text)
		to.put(m)
	}
	wide.asked = nil
	wide.failing(17, fmt.Errorf("no answer: %w", embed.ErrUnavailable))
	r := ReembedRequest{Who: Operator(), Source: f.path, Batch: 8}
	done, err := to.Reembed(t.Context(), r)
	if err != nil || done.Complete || done.Pending == 0 || len(done.Waiting) == 0 || done.Import.PendingBecause == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	wide.fail = nil
	if done, err = to.Reembed(t.Context(), r); err != nil || !done.Complete || done.Pending != 0 || done.Import.Imported > 0 {
		t.Errorf("again: %+v, %v", done, err)
	}
	sameRows(t, to, was)
	for _, m := range to.all() {
		if !slices.Equal(m.Vector, wide.vector(m.Text)) {
			t.Errorf("%q has another vector", m.Text)
		}
	}
	f = reopen(t, f.path, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	sameRows(t, f, was)
	if v := f.database().Vectors(); v != before {
		t.Errorf("the source: %+v, was %+v", v, before)
	}
	// The same place, by whatever name.
	for _, source := range []string{f.path, filepath.Join(f.path, ".", "")} {
		if _, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Source: source}); FaultOf(err) != FaultBadParams || !strings.Contains(err.Error(), "--force") {
			t.Errorf("%s: %v", source, err)
		}
	}
	if done, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Source: f.path, Force: true}); err != nil || !done.InPlace || done.Embedded != 30 {
		t.Errorf("%+v, %v", done, err)
	}
}

// Memories in no scope are listed, and put into one.
func TestRepairScopes(t *testing.T) {
	f := start(t, nil)
	lost, blank, fine := f.remember("The zylophrast hangs in the blue room").Memory, f.remember("The glimmerwick stands behind the door").Memory, f.remember("Mara prefers window seats").Memory
	lost.Scope, blank.Scope = "", "  "
	if err := f.database().Write(t.Context(), "test", func(tx *store.Tx) error { return tx.Update(lost, blank) }); err != nil {
		t.Fatal(err)
	}
	if got := f.recalled("zylophrast"); len(got) > 0 {
		t.Errorf("found %q", got)
	}
	a, err := f.RepairScopes(t.Context(), RepairScopesRequest{Who: Operator()})
	if err != nil || len(a.Memories) != 2 || a.Repaired != 0 || a.Target != "global" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, r := range []RepairScopesRequest{
		{Who: main}, {Who: Operator(), Target: "agent:mian", Apply: true}, {Who: Operator(), Target: "no scope", Apply: true, AllowNew: true},
	} {
		if _, err := f.RepairScopes(t.Context(), r); FaultOf(err) != FaultBadParams {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if a, err = f.RepairScopes(t.Context(), RepairScopesRequest{Who: Operator(), Apply: true}); err != nil || a.Repaired != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, m := range f.rows() {
		if want := map[bool]string{true: fine.Scope, false: "global"}[m.ID == fine.ID]; m.Scope != want {
			t.Errorf("%q is in %q", m.Text, m.Scope)
		}
	}
	if got := f.recalled("zylophrast"); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	if a, err = f.RepairScopes(t.Context(), RepairScopesRequest{Who: Operator(), Apply: true}); err != nil || len(a.Memories) > 0 {
		t.Errorf("again: %+v, %v", a, err)
	}
}
