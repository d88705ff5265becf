package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// parrot is a provider that refuses everything and repeats what it was sent.
func parrot(t *testing.T, status *int) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		said, _ := json.Marshal(fmt.Sprintf("cannot read %s with %s", sent, r.Header.Get("Authorization")))
		w.WriteHeader(*status)
		switch *status {
		case 422:
			fmt.Fprintf(w, `{"detail":[{"msg":"wrong","input":%s}]}`, sent)
		case 413:
			_, _ = w.Write(sent)
		default:
			fmt.Fprintf(w, `{"error":{"message":%s}}`, said)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Whatever a provider says, the log repeats no memory, no question and no key, and
// neither does what a caller is told.
func TestNothingPrivateIsLogged(t *testing.T) {
	const key, text, question = "zq81-0a1b2c3d4e5f", "Mara's blood pressure was 180 to 110 on Monday", "what was the blood pressure of Mara?"
	for _, status := range []int{200, 400, 401, 413, 422, 429, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			s, log := parrot(t, &status), &logged{}
			f := start(t, &config.Embedding{APIKeys: []string{key}, BaseURL: s.URL, Model: "m", Dimensions: width}, log.into, autoRecall, func(o *Options) {
				o.Config.Retrieval.Rerank = config.Rerank{Mode: retrieve.RerankCrossEncoder, Provider: "jina", Endpoint: s.URL, APIKeys: []string{key}}
			})
			var told []string
			say := func(err error) {
				if err != nil {
					told = append(told, err.Error())
				}
			}
			a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: text, Importance: 0.7})
			say(err)
			m := made(text, memory.Cases, now, func(m *memory.Memory) { m.Scope = "agent:main" })
			f.puts(m)
			_, err = f.Update(t.Context(), UpdateRequest{Who: main, ID: m.ID, Text: text + ", and lower since"})
			say(err)
			found, err := f.Recall(t.Context(), RecallRequest{Who: main, Query: question, Limit: 5})
			say(err)
			if len(found.Hits) == 0 {
				t.Error("nothing is found by its words")
			}
			for _, d := range found.Degraded {
				told = append(told, d.Reason)
			}
			_, err = f.Prompt(t.Context(), turn(question))
			say(err)
			_, err = f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Force: true})
			say(err)
			say(f.ProbeReranker(t.Context()).Err)
			told = append(told, a.Pending, fmt.Sprint(f.Health()), log.String())
			for _, line := range told {
				// Not 180 alone: times, ports and ids have it by chance.
				for _, private := range []string{key, "0a1b2c", "blood", "Mara", "180 to", "to 110", "Monday"} {
					if strings.Contains(line, private) {
						t.Errorf("%q is told of: %.600s", private, line)
					}
				}
			}
		})
	}
}

// A reranker sees what the caller may read, and nothing that is left out anyway.
func TestRerankersSeeOnlyWhatMayBeRead(t *testing.T) {
	j := newJudge(t, func(documents []string) string {
		var list []string
		for i := range documents {
			list = append(list, fmt.Sprintf(`{"index":%d,"relevance_score":%g}`, i, 1/float64(i+2)))
		}
		return `{"results":[` + strings.Join(list, ",") + `]}`
	})
	f := start(t, nil, autoRecall, func(o *Options) {
		o.Config.Retrieval.Rerank = config.Rerank{Mode: retrieve.RerankCrossEncoder, Provider: "jina", Endpoint: j.URL, APIKeys: []string{"k"}}
	})
	row := func(text, scope string, change func(*memory.Memory)) memory.Memory {
		return made(text, memory.Cases, now.AddDate(0, -1, 0), func(m *memory.Memory) {
			m.Scope, m.Metadata.State = scope, "confirmed"
			if change != nil {
				change(m)
			}
		})
	}
	f.puts(
		row("The safe of Bergen: mine", "agent:main", nil),
		row("The safe of Bergen: everybody's", "global", nil),
		row("The safe of Bergen: ALICE", "agent:alice", nil),
		row("The safe of Bergen: ARCHIVED", "agent:main", func(m *memory.Memory) { m.Metadata.State = "archived" }),
		row("The safe of Bergen: EXPIRED", "agent:main", func(m *memory.Memory) { m.Metadata.ValidUntil = now.AddDate(0, 0, -1) }),
		row("The safe of Bergen: REPLACED", "agent:main", func(m *memory.Memory) { m.Metadata.InvalidatedAt = now.AddDate(0, 0, -1) }),
	)
	unscoped := row("The safe of Bergen: UNSCOPED", "global", nil)
	f.puts(unscoped)
	unscoped.Scope = ""
	f.rewrite(unscoped)
	var ids []string
	for _, m := range f.all() {
		ids = append(ids, m.ID)
	}
	ask := RecallRequest{Who: main, Query: "the safe of Bergen", Limit: 20, Watch: ids}
	found, err := f.Recall(t.Context(), ask)
	if err != nil || len(found.Hits) != 2 {
		t.Fatalf("%q, %v, %+v, scope now %q", texts(found), err, found.Degraded, f.row(unscoped.ID).Scope)
	}
	if _, err = f.Explain(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if _, err := f.Why(t.Context(), WhyRequest{Who: main, Query: ask.Query, ID: id}); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Prompt(t.Context(), turn("What is in the safe of Bergen?")); err != nil {
		t.Fatal(err)
	}
	// What was watched and is out of reach is not even told of.
	for _, d := range found.Dropped {
		if m := f.row(d.ID); m.Scope != "agent:main" && m.Scope != "global" {
			t.Errorf("the fate of a row of %q is told: %+v", m.Scope, d)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.asked) < 3 {
		t.Errorf("asked %d times", len(j.asked))
	}
	for _, documents := range j.asked {
		all := strings.Join(documents, "\n")
		for _, word := range []string{"ALICE", "UNSCOPED", "ARCHIVED", "EXPIRED", "REPLACED"} {
			if strings.Contains(all, word) {
				t.Errorf("the reranker was sent %q", all)
			}
		}
	}
}
