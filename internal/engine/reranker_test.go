package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// judge is a reranker on loopback, in the form of TEI or Jina.
type judge struct {
	*httptest.Server
	mu     sync.Mutex
	asked  [][]string // the documents of each request
	now    int
	most   int // requests at once
	status int
	answer func(documents []string) string
	hang   bool
}

func newJudge(t *testing.T, answer func([]string) string) *judge {
	j := &judge{status: 200, answer: answer}
	j.Server = httptest.NewServer(j)
	t.Cleanup(j.Close)
	return j
}

func (j *judge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Documents []string }
	data, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(data, &body) // what is no JSON has no documents, and fails the test
	j.mu.Lock()
	j.asked = append(j.asked, body.Documents)
	j.now++
	j.most = max(j.most, j.now)
	status, hang := j.status, j.hang
	j.mu.Unlock()
	defer func() {
		j.mu.Lock()
		j.now--
		j.mu.Unlock()
	}()
	if hang {
		<-r.Context().Done()
		return
	}
	w.WriteHeader(status)
	fmt.Fprint(w, j.answer(body.Documents))
}

func (j *judge) requests() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.asked)
}

// by puts the judge into the settings.
func (j *judge) by(o *Options) {
	o.Config.Retrieval.Rerank = config.Rerank{Mode: retrieve.RerankCrossEncoder, Provider: "jina", Endpoint: j.URL, APIKeys: []string{"sk-hush-hush"}}
}

// scored answers with a score for each document that holds a word.
func scored(scores map[string]float64) func([]string) string {
	return func(documents []string) string {
		items := []string{}
		for i, d := range documents {
			for word, s := range scores {
				if strings.Contains(d, word) {
					items = append(items, fmt.Sprintf(`{"index":%d,"relevance_score":%g}`, i, s))
				}
			}
		}
		return `{"results":[` + strings.Join(items, ",") + `]}`
	}
}

const aboutKettles = "is the kettle in the kitchen one for the evening"

// kettles are four memories about one thing.
func kettles(t *testing.T) (*fakeProvider, *fixture) {
	p := newProvider(t)
	f := start(t, p.embedding())
	for _, text := range []string{
		"The kettle in the kitchen is red and the lid is loose", "The kettle in the kitchen came from Osaka by ship",
		"The kettle in the kitchen holds two litres of water", "The kettle in the kitchen whistles at seven every morning",
	} {
		f.remember(text)
	}
	if n := len(f.recalled(aboutKettles)); n != 4 {
		t.Fatalf("%d of 4 found without a reranker", n)
	}
	return p, f
}

// B27: whatever goes wrong, the answer is the one without a reranker, one warning
// says what it was, and the next recalls do not ask again.
func TestAFailingRerankerCostsOnce(t *testing.T) {
	p, plain := kettles(t)
	want := plain.recall(aboutKettles, 4)
	for _, c := range []struct {
		name   string
		status int
		answer string
		hang   bool
		say    string
	}{
		{"unavailable", 503, "", false, "status 503"},
		{"wrong key", 401, `{"error":"no such key sk-hush-hush"}`, false, "status 401"},
		{"no JSON", 200, "busy", false, "no JSON object"},
		{"empty", 200, `{"results":[]}`, false, "no score for any of 4"},
		{"foreign indexes alone", 200, `{"results":[{"index":9,"relevance_score":1}]}`, false, "no score for any of 4"},
		{"hanging", 200, "", true, "no answer within the time limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJudge(t, func([]string) string { return c.answer })
			j.status, j.hang = c.status, c.hang
			var log logged
			f := reopen(t, plain.path, p.embedding(), j.by, log.into, func(o *Options) {
				soon := 500
				o.Config.Retrieval.Rerank.TimeoutMs = &soon
			})
			for range 4 {
				got := f.recall(aboutKettles, 4)
				if len(got.Hits) != len(want.Hits) || len(got.Degraded) != 1 || got.Degraded[0].Half != retrieve.HalfRerank {
					t.Fatalf("hits %q, degraded %+v", texts(got), got.Degraded)
				}
				for k, h := range got.Hits {
					if w := want.Hits[k]; h.Memory.ID != w.Memory.ID || h.Score != w.Score || h.Reranked != nil {
						t.Errorf("hit %d is %q with %g, without reranking %q with %g", k+1, h.Memory.Text, h.Score, w.Memory.Text, w.Score)
					}
				}
			}
			if n := j.requests(); n != 1 {
				t.Errorf("asked %d times", n)
			}
			text := log.String()
			if n := strings.Count(text, "reranking failed"); n != 1 || !strings.Contains(text, c.say) || !strings.Contains(text, "jina (jina-reranker-v3 at 127.0.0.1:") {
				t.Errorf("%d warnings:\n%s", n, text)
			}
			if strings.Contains(text, "hush") || strings.Contains(text, "kettle") {
				t.Errorf("the log tells a secret:\n%s", text)
			}
		})
	}
}

// B26, B28: what a provider makes of its answer decides the order, within [0,1].
func TestRerankerAnswersInTheirForms(t *testing.T) {
	p, plain := kettles(t)
	order := func(texts []string) string {
		var out []string
		for _, text := range texts {
			for _, word := range []string{"red", "Osaka", "litres", "whistles"} {
				if strings.Contains(text, word) {
					out = append(out, word)
				}
			}
		}
		return strings.Join(out, " ")
	}
	at := func(documents []string, word string) int {
		return slices.IndexFunc(documents, func(d string) bool { return strings.Contains(d, word) })
	}
	for _, c := range []struct {
		name   string
		answer func([]string) string
		first  string // the words of the hits, as far as the answer decides them
	}{
		{"logits", scored(map[string]float64{"red": 1.2, "Osaka": 5.1, "litres": -8, "whistles": -9}), "Osaka red"},
		{"probabilities", scored(map[string]float64{"red": 0.1, "Osaka": 0.2, "litres": 0.9, "whistles": 0.8}), "litres whistles Osaka red"},
		{"some are left out", scored(map[string]float64{"litres": 0.7, "whistles": 0.5}), "litres whistles"},
		{"twice, foreign and as text", func(d []string) string {
			return fmt.Sprintf(`{"data":[{"index":99,"score":1},{"index":"%d","score":0.9},{"index":%d,"score":0.1},{"index":%d,"score":0.2}]}`,
				at(d, "whistles"), at(d, "whistles"), at(d, "Osaka"))
		}, "whistles Osaka"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJudge(t, c.answer)
			f := reopen(t, plain.path, p.embedding(), j.by, func(o *Options) { o.Config.Retrieval.HardMinScore = new(float64) })
			got := f.recall(aboutKettles, 4)
			if found := order(texts(got)); !strings.HasPrefix(found, c.first) || len(got.Hits) != 4 {
				t.Errorf("order %q, want %q first\n%s", found, c.first, got.Explain)
			}
			seen := map[string]bool{}
			for _, h := range got.Hits {
				if seen[h.Memory.ID] || h.Score < 0 || h.Score > 1 || math.IsNaN(h.Score) {
					t.Errorf("%q with %g", h.Memory.Text, h.Score)
				}
				seen[h.Memory.ID] = true
			}
			if len(got.Degraded) != 0 || f.reranker.Err() != nil {
				t.Errorf("degraded %+v, %v", got.Degraded, f.reranker.Err())
			}
		})
	}
}

// B82: a reranker that hangs never costs a turn more than its share, gets no more
// documents than there are candidates, and few requests at once.
func TestAHangingRerankerLeavesTheTurnItsTime(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	for i := range 30 {
		f.remember(fmt.Sprintf("Marmot number %d sits on the ridge and watches the valley", i))
	}
	// Half of it is the reranker's, and the rest enough for ten searches at once on
	// a machine that does something else besides.
	const budget = 4 * time.Second
	j := newJudge(t, nil)
	j.hang = true
	g := reopen(t, f.path, p.embedding(), j.by, func(o *Options) {
		autoRecall(o)
		o.Config.AutoRecall.TimeoutMs = int(budget.Milliseconds())
		o.Config.Retrieval.CandidatePoolSize = 10
	})
	g.Warm()
	eventually(t, "the database is open", g.Ready)
	var work sync.WaitGroup
	for i := range 10 {
		work.Go(func() {
			turn := turn(fmt.Sprintf("Where does marmot number %d sit on the ridge?", i))
			turn.SessionKey = fmt.Sprintf("agent:main:%d", i)
			begun := time.Now()
			block, err := g.Prompt(t.Context(), turn)
			if took := time.Since(begun); err != nil || !strings.Contains(block, "Marmot number") || took > budget {
				t.Errorf("after %s: %q, %v", took, block, err)
			}
		})
	}
	work.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.most > 4 {
		t.Errorf("%d requests at once", j.most)
	}
	for _, documents := range j.asked {
		if len(documents) > 10 {
			t.Errorf("%d documents of 10 candidates", len(documents))
		}
	}
}

func TestRerankTimeout(t *testing.T) {
	own := 700
	for _, c := range []struct {
		source string
		budget int
		set    *int
		want   time.Duration
	}{
		{retrieve.SourceManual, 2000, nil, 5 * time.Second}, {retrieve.SourceCLI, 0, nil, 5 * time.Second},
		{retrieve.SourceHook, 2000, nil, time.Second}, {retrieve.SourceHook, 600, nil, 500 * time.Millisecond},
		{retrieve.SourceHook, 60_000, nil, 2500 * time.Millisecond}, {retrieve.SourceHook, 0, nil, 5 * time.Second},
		{retrieve.SourceHook, 2000, &own, 700 * time.Millisecond}, {retrieve.SourceManual, 2000, &own, 700 * time.Millisecond},
	} {
		settings := config.Config{AutoRecall: config.AutoRecall{TimeoutMs: c.budget}, Retrieval: config.Retrieval{Rerank: config.Rerank{TimeoutMs: c.set}}}
		if got := rerankTimeout(settings, c.source); got != c.want {
			t.Errorf("%s with %d ms: %s, want %s", c.source, c.budget, got, c.want)
		}
	}
}

// Nothing is sent anywhere unless it was asked for with all it takes.
func TestRerankerIsOffWithoutItsKey(t *testing.T) {
	for name, r := range map[string]config.Rerank{
		"no key":      {Mode: "cross-encoder", Provider: "jina"},
		"no endpoint": {Mode: "cross-encoder", Provider: "tei", APIKeys: []string{"k"}},
		"none":        {Mode: "none", Provider: "jina", APIKeys: []string{"k"}},
		"lightweight": {Mode: "lightweight", Provider: "jina", APIKeys: []string{"k"}},
		"wrong":       {Mode: "cross-encoder", Provider: "jina", APIKeys: []string{"k"}, Fault: "retrieval.rerankEndpoint: not set"},
		"unreadable":  {Mode: "cross-encoder", Provider: "jina", APIKeys: []string{"k"}, Endpoint: "example"},
	} {
		t.Run(name, func(t *testing.T) {
			var log logged
			f := start(t, nil, log.into, func(o *Options) { o.Config.Retrieval.Rerank = r })
			f.remember("The ferry leaves at half past six")
			if got := f.recall("ferry", 3); f.reranker != nil || len(got.Hits) != 1 || len(got.Degraded) != 0 {
				t.Errorf("hits %q, degraded %v", texts(got), got.Degraded)
			}
			wrong := name == "wrong" || name == "unreadable"
			if p := f.ProbeReranker(t.Context()); p.Configured != wrong || (p.Err != nil) != wrong {
				t.Errorf("%+v", p)
			}
			if told := strings.Contains(log.String(), "results are not reranked"); told != wrong {
				t.Error(log.String())
			}
		})
	}
}

func TestProbeReranker(t *testing.T) {
	j := newJudge(t, func(d []string) string { return scored(map[string]float64{"Reranking": 0.9, "weather": 0.1})(d) })
	f := start(t, nil, j.by)
	if p := f.ProbeReranker(t.Context()); p.Err != nil || !strings.HasPrefix(p.Name, "jina (jina-reranker-v3 at 127.0.0.1:") {
		t.Errorf("%+v", p)
	}
	j.mu.Lock()
	j.status = 401
	want := [][]string{{"Reranking works.", "The weather is fine."}}
	if diff := cmp.Diff(want, j.asked); diff != "" {
		t.Errorf("asked about (-want +got):\n%s", diff)
	}
	j.mu.Unlock()
	if p := f.ProbeReranker(t.Context()); p.Err == nil || !strings.Contains(p.Err.Error(), "status 401") {
		t.Errorf("%+v", p)
	}
}
