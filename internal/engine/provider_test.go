package engine

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
)

const width = 64

// fakeProvider is an OpenAI-compatible server on loopback. Texts that share words
// get vectors that point a similar way, unless a test says otherwise.
type fakeProvider struct {
	server *httptest.Server

	mu      sync.Mutex
	vectors map[string][]float32     // exact texts
	answer  func(text string) string // the "embedding" value as JSON; "" for the usual
	status  int                      // other than 0: fail with it
	hang    chan struct{}            // not nil: wait for it, or for the client to leave
	asked   []string
}

func newProvider(t *testing.T) *fakeProvider {
	p := &fakeProvider{vectors: map[string][]float32{}}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

// embedding is the configuration that uses the provider.
func (p *fakeProvider) embedding() *config.Embedding {
	return &config.Embedding{APIKeys: []string{"key"}, BaseURL: p.server.URL, Model: "test-model", Dimensions: width}
}

func (p *fakeProvider) set(change func(p *fakeProvider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *fakeProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Input any }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var inputs []string
	switch in := body.Input.(type) {
	case string:
		inputs = []string{in}
	case []any:
		for _, s := range in {
			inputs = append(inputs, s.(string))
		}
	}
	p.mu.Lock()
	p.asked = append(p.asked, inputs...)
	status, hang := p.status, p.hang
	var data []string
	for i, text := range inputs {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, p.embed(text)))
	}
	p.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if status != 0 {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"error":{"message":"scripted failure"}}`)
		return
	}
	fmt.Fprintf(w, `{"object":"list","model":"test-model","data":[%s]}`, strings.Join(data, ","))
}

func (p *fakeProvider) embed(text string) string {
	if p.answer != nil {
		if s := p.answer(text); s != "" {
			return s
		}
	}
	v, ok := p.vectors[text]
	if !ok {
		v = hashed(text)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// hashed adds a direction for each word, so that the cosine is about the share
// of common words.
func hashed(text string) []float32 {
	v := make([]float32, width)
	for w := range words(text) {
		h := fnv.New32a()
		h.Write([]byte(w))
		v[h.Sum32()%width]++
	}
	return unit(v)
}

func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// leaning is a unit vector with the given cosine to the first axis.
func leaning(cosine float64, axis int) []float32 {
	v := make([]float32, width)
	v[0], v[axis] = float32(cosine), float32(math.Sqrt(1-cosine*cosine))
	return v
}
