package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// wordy is an embedder without a server.
type wordy struct{ fingerprint string }

func (wordy) EmbedQuery(_ context.Context, t string) ([]float32, error)   { return hashed(t), nil }
func (wordy) EmbedPassage(_ context.Context, t string) ([]float32, error) { return hashed(t), nil }
func (w wordy) EmbedPassages(_ context.Context, ts []string) ([][]float32, error) {
	vs := make([][]float32, len(ts))
	for i, t := range ts {
		vs[i] = hashed(t)
	}
	return vs, nil
}
func (wordy) Dimensions() int       { return width }
func (wordy) Model() string         { return "wordy" }
func (w wordy) Fingerprint() string { return w.fingerprint }

func withWords(o *Options) { o.Embedder = wordy{"wordy 1"} }

func (f *fixture) export(r ExportRequest) string {
	f.t.Helper()
	var b bytes.Buffer
	r.Who, r.Out = Operator(), &b
	if _, err := f.Export(f.t.Context(), r); err != nil {
		f.t.Fatal(err)
	}
	return b.String()
}

func (f *fixture) take(file string, change ...func(*ImportRequest)) ImportAnswer {
	f.t.Helper()
	r := ImportRequest{Who: Operator(), From: strings.NewReader(file)}
	for _, c := range change {
		c(&r)
	}
	a, err := f.Import(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	if a.Read != a.Imported+a.Replaced+a.Skipped+a.Rejected {
		f.t.Errorf("the counts do not add up: %+v", a)
	}
	return a
}

// counts are what a test says about an answer: imported, replaced, skipped, rejected.
func counts(a ImportAnswer) [4]int { return [4]int{a.Imported, a.Replaced, a.Skipped, a.Rejected} }

// all are the rows by text.
func (f *fixture) all() map[string]memory.Memory {
	f.t.Helper()
	db, err := f.opened(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	rows := map[string]memory.Memory{}
	err = db.Each(f.t.Context(), everything(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			rows[m.Text] = m
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return rows
}

// ofEveryKind are rows that an export must carry unchanged.
func ofEveryKind() []memory.Memory {
	var ms []memory.Memory
	add := func(text, scope string, column memory.StoredCategory, change ...func(*memory.Memory)) {
		i := len(ms)
		m := memory.Memory{
			ID: memory.DerivedID("kind", fmt.Sprint(i)), Text: text, Vector: hashed(text), Category: column, Scope: scope,
			Importance: []float64{0, 1, 0.7, 0.123456789, 0.95}[i%5], Time: now.Add(-time.Duration(i) * 37 * time.Minute),
		}
		m.Metadata = memory.NewMetadata(text, memory.CategoryOf(column, text), memory.SourceManual, m.Time)
		for _, c := range change {
			c(&m)
		}
		ms = append(ms, m)
	}
	for i, column := range []memory.StoredCategory{"preference", "fact", "decision", "entity", "reflection", "other", "recipe"} {
		add(fmt.Sprintf("A %s of alice", column), "agent:alice", column)
		add(fmt.Sprintf("A %s for all, number %d", column, i), "global", column)
	}
	add("Line one\nline two\twith a tab", "project:x", "fact")
	add(`Quotes " \ {"id":"x"} ],"count":0}`, "custom:a.b-c_d", "fact")
	add("雪の結晶は六角形 🌨️ e\u0301", "user:雪"[:5]+"yuki", "fact")
	add("Replaced since", "agent:alice", "preference", func(m *memory.Memory) {
		m.Metadata.InvalidatedAt, m.Metadata.SupersededBy = now, "mem-md-7"
		m.Metadata.Relations = []memory.Relation{{Type: "superseded_by", Target: "mem-md-7"}}
	})
	add("Expired since", "agent:alice", "fact", func(m *memory.Memory) { m.Metadata.ValidUntil = now.Add(-time.Hour) })
	add("Of an older table", "global", "fact", func(m *memory.Memory) {
		m.ID, m.Time = "mem-md-7", time.UnixMilli(1).UTC().Add(40*365*24*time.Hour)
		m.Metadata.Extra = map[string]json.RawMessage{"support_info": json.RawMessage(`{"slices":[{"context":"work","strength":0.5}]}`), "zeta": json.RawMessage(`1.50`)}
	})
	return ms
}

// Vectors of a file are used only when the same model wrote them.
func TestVectorsOfAFile(t *testing.T) {
	from := start(t, nil, withWords)
	m := ofEveryKind()[0]
	m.Vector = leaning(0.5, 3) // nothing the embedder would say
	from.put(m)
	file := from.export(ExportRequest{Vectors: true})
	for name, c := range map[string]struct {
		embedder func(*Options)
		want     []float32
	}{
		"the same model": {withWords, m.Vector},
		"another model":  {func(o *Options) { o.Embedder = wordy{"wordy 2"} }, hashed(m.Text)},
		"no model":       {func(*Options) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			to := reopen(t, filepath.Join(t.TempDir(), "db"), nil, c.embedder)
			to.take(file)
			got := to.all()[m.Text]
			if diff := cmp.Diff(c.want, got.Vector); diff != "" {
				t.Errorf("vector (-want +got)\n%s", diff)
			}
			if waits := got.Metadata.Embedding == memory.EmbeddingPending; waits != (c.want == nil) {
				t.Errorf("metadata %s", got.Metadata)
			}
		})
	}
}

// What is there already stays, unless the file is to win.
func TestOnConflict(t *testing.T) {
	f := start(t, nil, withWords)
	f.put(ofEveryKind()...)
	file := f.export(ExportRequest{})
	changed := strings.Replace(file, "A fact of alice", "A fact of alice, corrected", 1)
	vectors := f.all()
	if a := f.take(changed); a.Skipped != a.Read || a.Differing != 1 {
		t.Errorf("skip: %+v", a)
	}
	if _, ok := f.all()["A fact of alice"]; !ok {
		t.Error("the file won")
	}
	replace := func(r *ImportRequest) { r.Replace = true }
	dry := func(r *ImportRequest) { r.DryRun = true }
	before := f.export(ExportRequest{})
	if a := f.take(changed, replace, dry); a.Replaced != 1 || a.Imported != 0 {
		t.Errorf("forecast: %+v", a)
	}
	if f.export(ExportRequest{}) != before {
		t.Error("a dry run changed something")
	}
	if a := f.take(changed, replace); a.Replaced != 1 || a.Skipped != a.Read-1 {
		t.Errorf("replace: %+v", a)
	}
	rows := f.all()
	if got, ok := rows["A fact of alice, corrected"]; !ok || !slices.Equal(got.Vector, hashed(got.Text)) {
		t.Errorf("the new text has the vector %v", got.Vector)
	}
	// A change beside the text leaves the vector alone.
	moved := strings.Replace(changed, `"category":"recipe"`, `"category":"menu"`, 1)
	if a := f.take(moved, replace); a.Replaced != 1 || a.Pending != 0 {
		t.Errorf("moved: %+v", a)
	}
	for text, m := range f.all() {
		if m.Vector == nil || !strings.Contains(text, "corrected") && !slices.Equal(m.Vector, vectors[text].Vector) {
			t.Errorf("%q has another vector", text)
		}
	}
}

// While the provider is down rows are stored and wait; when it refuses, nothing
// is pretended.
func TestImportWithoutVectors(t *testing.T) {
	p := newProvider(t)
	p.set(func(p *fakeProvider) { p.status = 503 })
	f := start(t, p.embedding(), func(o *Options) { o.OneShot = true })
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "{\"text\":\"Statement number %d\"}\n", i)
	}
	a := f.take(b.String())
	if a.Imported != 1000 || a.Pending != 1000 || !strings.Contains(a.PendingBecause, "fault of its own") {
		t.Errorf("%+v", a)
	}
	if len(p.asked) > 2000 {
		t.Errorf("a provider that is down was asked for %d texts", len(p.asked))
	}
	p.set(func(p *fakeProvider) { p.status = 401 })
	f.askedAgain()
	_, err := f.Import(t.Context(), ImportRequest{Who: Operator(), From: strings.NewReader(`{"text":"Another one"}`)})
	if FaultOf(err) != FaultProvider {
		t.Errorf("refused: %v", err)
	}
	if n := f.count(); n != 1000 {
		t.Errorf("%d rows", n)
	}
	// One text that the provider does not take costs only its vector.
	p.set(func(p *fakeProvider) {
		p.status, p.answer = 0, func(text string) string {
			if strings.Contains(text, "poison") {
				return "[]"
			}
			return ""
		}
	})
	a = f.take(`{"text":"Another one"}` + "\n" + `{"text":"poison"}`)
	if a.Imported != 2 || a.Pending != 1 {
		t.Errorf("%+v", a)
	}
}

// fifty is a file of fifty rows with fixed ids.
func fifty() string {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "{\"id\":%q,\"text\":\"Statement number %d\",\"scope\":\"global\"}\n", memory.DerivedID("fifty", fmt.Sprint(i)), i)
	}
	return b.String()
}

// importers names the database to a second process of this test.
const importers = "MEMORY_PRO_TEST_IMPORTERS"

// fourImporters take the same file at the same time.
func fourImporters(t *testing.T, f *fixture) (imported int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		wg.Go(func() {
			a := f.take(fifty())
			mu.Lock()
			defer mu.Unlock()
			imported += a.Imported
			if a.Imported+a.Skipped != 50 {
				t.Errorf("%+v", a)
			}
		})
	}
	wg.Wait()
	return imported
}

// B33: eight writers in two processes import the same file; each id is there once.
func TestManyImportTheSameIDs(t *testing.T) {
	if path := os.Getenv(importers); path != "" {
		fmt.Printf("imported=%d\n", fourImporters(t, reopen(t, path, nil, withWords)))
		return
	}
	f := start(t, nil, withWords)
	f.count() // the table is there
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestManyImportTheSameIDs$", "-test.v")
	other.Env = append(os.Environ(), importers+"="+f.path)
	var out bytes.Buffer
	other.Stdout, other.Stderr = &out, &out
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	here := fourImporters(t, f)
	if err := other.Wait(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, &out)
	}
	var there int
	if _, line, ok := strings.Cut(out.String(), "imported="); ok {
		_, _ = fmt.Sscanf(line, "%d", &there) // 0 fails below
	}
	if here+there != 50 || f.count() != 50 || len(f.all()) != 50 {
		t.Errorf("%d were imported here and %d there; %d rows, %d different", here, there, f.count(), len(f.all()))
	}
}

// A lock that somebody else holds for long is waited for, until the operator
// has enough.
func TestImportWaitsForItsTurn(t *testing.T) {
	f := start(t, nil, func(o *Options) { o.LockTimeout = 30 * time.Millisecond })
	other := reopen(t, f.path, nil)
	f.count()
	held, release := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		err := other.database().Write(t.Context(), "holding the lock", func(*store.Tx) error {
			close(held)
			<-release
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	done := make(chan ImportAnswer)
	go func() { done <- f.take(fifty()) }()
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() {
		_, err := f.Import(ctx, ImportRequest{Who: Operator(), From: strings.NewReader(`{"text":"given up"}`)})
		given <- err
	}()
	for range 3 { // as long as three writers give up, one after the other
		err := f.database().Write(t.Context(), "probing", func(*store.Tx) error { return nil })
		if !as[*store.LockedError](err) {
			t.Errorf("the lock is not held: %v", err)
		}
	}
	cancel()
	if err := <-given; err != nil && FaultOf(err) != FaultStoreBusy {
		t.Errorf("given up: %v", err)
	}
	select {
	case a := <-done:
		t.Errorf("ended while the lock was held: %+v", a)
	default:
	}
	close(release)
	holder.Wait()
	if a := <-done; a.Imported != 50 {
		t.Errorf("%+v", a)
	}
}
