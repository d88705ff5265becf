package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// expect checks a finding's status, that its text holds the words, and its
// command.
func expect(t *testing.T, f Finding, status Status, words, command string) {
	t.Helper()
	if f.Status != status || !strings.Contains(f.Summary+" "+f.Next, words) || strings.Join(f.Commands, "\n") != command {
		t.Errorf("%+v\nwant %s with %q and command %q", f, status, words, command)
	}
}

func TestLibrary(t *testing.T) {
	const build = `{"lancedb":"0.41.0","lance":"14.0.2"}`
	expect(t, libraryFinding("amd64", 3, build), OK, "LanceDB 0.41.0", "")
	expect(t, libraryFinding("amd64", 1, build), Fail, "needs v2", "")
	expect(t, libraryFinding("arm64", 0, build), OK, "LanceDB 0.41.0", "")
	expect(t, libraryFinding("amd64", 3, "?"), Fail, "install the plugin again", "")
}

func TestVectors(t *testing.T) {
	const one, other = `local model="a"`, `openai model="b"`
	for _, c := range []struct {
		name    string
		x       store.Examination
		model   engine.EmbeddingModel
		status  Status
		words   string
		reembed bool
	}{
		{"all of the model", store.Examination{Rows: 3, Width: 8, Fingerprint: one}, engine.EmbeddingModel{Fingerprint: one, Width: 8}, OK, "3 of 3 rows", false},
		{"some wait", store.Examination{Rows: 3, Pending: 2, Width: 8, Fingerprint: one}, engine.EmbeddingModel{Fingerprint: one, Width: 8}, Note, "2 are found by keywords", false},
		{"no model", store.Examination{Rows: 3, Width: 8, Fingerprint: one}, engine.EmbeddingModel{}, OK, "3 of 3", false},
		{"no vectors of any", store.Examination{Rows: 2, Pending: 2, Width: 8}, engine.EmbeddingModel{Fingerprint: one, Width: 16}, Note, "0 of 2", false},
		{"another model", store.Examination{Rows: 3, Width: 8, Fingerprint: other}, engine.EmbeddingModel{Fingerprint: one, Width: 8}, Fail, "were written with openai", true},
		{"another width", store.Examination{Rows: 3, Width: 16, Fingerprint: other}, engine.EmbeddingModel{Fingerprint: one, Width: 8}, Fail, "16 numbers", true},
		{"unknown, local", store.Examination{Rows: 3, Width: 8}, engine.EmbeddingModel{Fingerprint: one, Width: 8}, Fail, "did not note its model", true},
		{"unknown, but named by the operator", store.Examination{Rows: 3, Width: 8}, engine.EmbeddingModel{Fingerprint: one, Width: 8, Named: true}, OK, "3 of 3", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			command := ""
			if c.reembed {
				command = "memory-pro reembed"
			}
			expect(t, vectorsFinding(c.x, c.model), c.status, c.words, command)
		})
	}
}

func TestOddities(t *testing.T) {
	found := oddities(store.Examination{Unscoped: 2, Early: []string{"scope"}, Extra: []string{"mood"}, IntegerTimes: true})
	if len(found) != 4 {
		t.Fatalf("%+v", found)
	}
	expect(t, found[3], Warn, "2 memories are in no scope", "memory-pro repair-scopes")
	if found := oddities(store.Examination{Rows: 3}); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

func TestTextIndex(t *testing.T) {
	expect(t, textIndex(store.Examination{}), Warn, "builds it", "")
	expect(t, textIndex(store.Examination{Text: store.IndexState{Present: true, Tokenizer: "simple"}}), Note, `"simple"`, "")
	expect(t, textIndex(store.Examination{Text: store.IndexState{Present: true, Tokenizer: "icu", Indexed: 7}}), OK, "7 rows", "")
}

func TestLock(t *testing.T) {
	held := func(ago time.Duration) store.LockState {
		return store.LockState{Held: true, Holder: store.Holder{PID: 7, Command: "memory-pro import", Since: now.Add(-ago)}}
	}
	expect(t, lockFindings(store.LockState{}, now)[0], OK, "free", "")
	expect(t, lockFindings(held(time.Second), now)[0], Note, "process 7", "")
	expect(t, lockFindings(held(time.Hour), now)[0], Warn, "end it if it hangs", "")
	foreign := func(ago time.Duration) Finding {
		return lockFindings(store.LockState{Foreign: map[string]time.Time{".memory-write.lock": now.Add(-ago)}}, now)[1]
	}
	expect(t, foreign(time.Hour), Note, "has left .memory-write.lock", "")
	expect(t, foreign(time.Second), Warn, "is writing to the same database", "")

	if found := machineLockFindings(nil, nil); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	expect(t, machineLockFindings(nil, errors.New("Redis is away"))[0], Fail, "Redis is away", "")
	expect(t, machineLockFindings(&engine.MachineLock{Server: "h:1/0"}, nil)[0], OK, "h:1/0: free", "")
	expect(t, machineLockFindings(&engine.MachineLock{Server: "h:1/0", Holder: "process 7 on b"}, nil)[0], Note, "held by process 7 on b", "")
}

func TestEmbedding(t *testing.T) {
	expect(t, embeddingFinding(engine.EmbeddingProbe{Mode: "local", Model: "m", Width: 384}), OK, "the embedded model m answers with 384", "")
	expect(t, embeddingFinding(engine.EmbeddingProbe{Mode: "provider", Model: "m", Err: errors.New("wrong key")}), Fail, "wrong key", "")
	expect(t, embeddingFinding(engine.EmbeddingProbe{Mode: "keywords"}), Note, "switched off", "")
	expect(t, embeddingFinding(engine.EmbeddingProbe{Mode: "keywords", Err: errors.New("no file")}), Fail, "no file", "")
}

// A check that panics, or does not end, is a finding; the others are not lost.
func TestExamineOutlivesItsChecks(t *testing.T) {
	all := checks
	t.Cleanup(func() { checks = all })
	checks = []check{
		{"broken", func(context.Context, *Patient) []Finding { panic("nil map") }},
		{"good", func(context.Context, *Patient) []Finding { return []Finding{{Check: "good", Status: OK}} }},
	}
	r := Examine(t.Context(), &Patient{})
	if r.OK || len(r.Findings) != 2 || r.Counts[Fail] != 1 || r.Counts[OK] != 1 {
		t.Fatalf("%+v", r)
	}
	expect(t, r.Findings[0], Fail, "the check itself failed: nil map", "")
}

// Nothing at all could be read: still a report.
func TestExamineWithoutAnything(t *testing.T) {
	fatal := &config.Error{Problems: []error{errors.New("openclaw.json: not JSON5")}, Fatal: true}
	r := Examine(t.Context(), &Patient{ConfigError: fatal, HostError: errors.New("not JSON5"), Now: now})
	if r.OK || r.Counts[Fail] != 2 || r.Counts[Note] != 3 {
		t.Errorf("%+v", r)
	}
}

func TestReranker(t *testing.T) {
	expect(t, rerankFinding(engine.RerankProbe{Configured: true, Name: "tei at h"}), OK, "tei at h answers", "")
	expect(t, rerankFinding(engine.RerankProbe{Configured: true, Name: "tei at h", Err: errors.New("status 503")}), Warn, "status 503", "")
	expect(t, rerankFinding(engine.RerankProbe{Configured: true, Err: errors.New("no key")}), Warn, "not reranked: no key", "")
}
