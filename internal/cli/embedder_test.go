package cli

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// startEmbedder serves vectors to scripts. The model's name says what it does: it ends
// with the width, begins with "down" for a provider that is down after its first 16
// texts, and with "picky" for one that has no vector for a text with "poison" in it.
// Vectors of two models differ.
func startEmbedder() *httptest.Server {
	served := map[string]int{}
	lock := make(chan struct{}, 1)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model string
			Input any
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		texts := []string{}
		switch in := body.Input.(type) {
		case string:
			texts = append(texts, in)
		case []any:
			for _, s := range in {
				texts = append(texts, s.(string))
			}
		}
		lock <- struct{}{}
		defer func() { <-lock }()
		name := r.Header.Get("Authorization") + body.Model
		if served[name] += len(texts); strings.HasPrefix(body.Model, "down") && served[name] > 16 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"error":{"message":"scripted failure"}}`))
			return
		}
		width, err := strconv.Atoi(body.Model[strings.LastIndexByte(body.Model, '-')+1:])
		if err != nil {
			http.Error(w, "the model's name has no width", http.StatusBadRequest)
			return
		}
		type item struct {
			Object    string    `json:"object"`
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		data := []item{}
		for i, text := range texts {
			v := make([]float64, width)
			for _, word := range strings.Fields(strings.ToLower(text)) {
				h := fnv.New32a()
				_, _ = h.Write([]byte(body.Model[:1] + word))
				v[h.Sum32()%uint32(width)]++
			}
			if strings.HasPrefix(body.Model, "picky") && strings.Contains(text, "poison") {
				v = []float64{}
			}
			data = append(data, item{"embedding", i, v})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": body.Model, "data": data})
	}))
}
