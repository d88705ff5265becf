package engine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// B80: a provider that refuses is neither hidden nor asked again and again.
// Storing says who refused, how and what to do, and stores the statement without its
// vector; recall answers by keywords and says the same.
func TestProviderThatRefuses(t *testing.T) {
	const key = "sk-test-4711-very-secret"
	for _, c := range []struct {
		name   string
		status int
		body   string
		remedy string
	}{
		{"wrong key", 401, `{"error":{"message":"Incorrect API key provided: ` + key + `.","code":"invalid_api_key"}}`, "check embedding.apiKey"},
		{"key quoted in part", 401, `{"error":{"message":"Incorrect API key provided: sk-te**************cret."}}`, "check embedding.apiKey"},
		{"forbidden", 403, `{"error":{"message":"This key may not use this model"}}`, "check embedding.apiKey"},
		{"no quota left", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, "pay for more"},
		{"bad request", 400, `{"error":{"message":"input is invalid","param":null}}`, "check the embedding settings"},
		{"no JSON", 400, `<html>Bad Request</html>`, "check the embedding settings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int64
			var refuse atomic.Bool
			p := newProvider(t)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !refuse.Load() {
					p.ServeHTTP(w, r)
					return
				}
				asked.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			t.Cleanup(server.Close)
			f := start(t, &config.Embedding{APIKeys: []string{key}, BaseURL: server.URL, Model: "test-model", Dimensions: width}, func(o *Options) { o.OneShot = true })
			f.remember("The invoices run on svc-billing-eu2")
			refuse.Store(true)

			check := func(what, message string) {
				t.Helper()
				host := strings.TrimPrefix(server.URL, "http://")
				for _, says := range []string{"test-model", host, fmt.Sprint(c.status), c.remedy} {
					if !strings.Contains(message, says) {
						t.Errorf("%s: %q does not say %q", what, message, says)
					}
				}
				for _, part := range []string{key, "4711", "secret", "sk-te", "cret."} {
					if strings.Contains(message, part) {
						t.Errorf("%s: %q shows part of a key: %q", what, message, part)
					}
				}
			}

			kept, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "Mara prefers window seats"})
			if err != nil || kept.Memory.Metadata.Embedding != memory.EmbeddingPending {
				t.Fatalf("storing: %+v, %v", kept, err)
			}
			check("storing", kept.Pending)
			if n := asked.Swap(0); n < 1 || n > 4 {
				t.Errorf("storing asked %d times", n)
			}
			if n := f.count(); n != 2 {
				t.Errorf("%d rows", n)
			}

			a := f.recall("svc-billing-eu2", 3)
			if got := texts(a); len(got) != 1 || a.Mode != "keyword" || len(a.Degraded) != 1 {
				t.Fatalf("recall: %q, mode %s, degraded %+v", got, a.Mode, a.Degraded)
			}
			check("recall", a.Degraded[0].Reason)
			if n := asked.Load(); n < 1 || n > 4 {
				t.Errorf("recall asked %d times", n)
			}

			// B113: health says what recall has just done.
			state, cause := f.Health().State()
			if state != Degraded {
				t.Errorf("state %s", state)
			}
			check("health", cause)
			refuse.Store(false)
			if f.recall("svc-billing-eu2 again", 3); len(f.recall("svc-billing-eu2 again", 3).Degraded) != 0 {
				t.Error("recall is still degraded")
			}
			if state, cause := f.Health().State(); state != Available {
				t.Errorf("afterwards %s: %s", state, cause)
			}
		})
	}
}

// B113: a table that is lost while it is open is told like the recall that
// failed on it.
func TestHealthFollowsRecall(t *testing.T) {
	f := start(t, nil)
	f.remember("The spare key is under the blue pot")
	table := filepath.Join(f.path, "memories.lance")
	if err := os.Rename(table, table+".away"); err != nil {
		t.Fatal(err)
	}
	_, err := f.Recall(t.Context(), RecallRequest{Who: main, Query: "spare key"})
	if err == nil {
		t.Fatal("recall found something")
	}
	if state, cause := f.Health().State(); state != Unavailable || cause != err.Error() {
		t.Errorf("%s: %s; recall said %v", state, cause, err)
	}
	if err := os.Rename(table+".away", table); err != nil {
		t.Fatal(err)
	}
	f.recall("spare key", 3)
	if state, cause := f.Health().State(); state != Available {
		t.Errorf("afterwards %s: %s", state, cause)
	}
}

// B113: the store decides between available and unavailable, as for recall.
func TestHealthFollowsTheStore(t *testing.T) {
	file := t.TempDir() + "/file"
	f := reopen(t, file, nil)
	if state, _ := f.Health().State(); state != Available {
		t.Errorf("before anybody needed it: %s", state)
	}
	f.remember("Something to keep")
	if state, cause := f.Health().State(); state != Available {
		t.Errorf("%s: %s", state, cause)
	}
	broken := reopen(t, file+"/memories.lance/_latest", nil, func(o *Options) { o.Config.PathFault = "dbPath cannot be read" })
	if _, err := broken.Recall(t.Context(), RecallRequest{Who: main, Query: "keep"}); FaultOf(err) != FaultStoreUnavailable {
		t.Errorf("recall: %v", err)
	}
	if state, cause := broken.Health().State(); state != Unavailable || !strings.Contains(cause, "dbPath") {
		t.Errorf("%s: %s", state, cause)
	}
}

// Whether a provider refuses, answers nonsense or does not answer decides what there is
// to do, so that a probe tells them apart.
func TestProbeSaysHowAProviderFails(t *testing.T) {
	for want, broken := range map[string]func(*fakeProvider){
		"refuses":                     func(p *fakeProvider) { p.status = http.StatusUnauthorized },
		"does not serve now":          func(p *fakeProvider) { p.status = http.StatusInternalServerError },
		"answers what cannot be used": func(p *fakeProvider) { p.answer = func(string) string { return "<<" } },
		"does not answer":             func(p *fakeProvider) { p.server.Close() },
	} {
		p := newProvider(t)
		f := start(t, p.embedding())
		broken(p)
		if probe := f.ProbeEmbedding(t.Context()); probe.Err == nil || probe.Failing() != want {
			t.Errorf("%s: %q, %v", want, probe.Failing(), probe.Err)
		}
	}
}
