package embed

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// keyed answers by the key: a status for each, 0 for success.
func keyed(t *testing.T, statuses map[string]int, seen *[]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		*seen = append(*seen, key)
		if status := statuses[key]; status != 0 {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error":{"message":"not with ` + key + `"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"index":0,"embedding":[1,1]}]}`))
	}))
	t.Cleanup(s.Close)
	return s
}

// B81: a key that is limited or refused costs nothing while another is good.
func TestKeysTakeTurns(t *testing.T) {
	keys := []string{"key-one-11111", "key-two-22222", "key-three-333"}
	for _, c := range []struct {
		name     string
		statuses map[string]int
		kind     error
		says     string
		most     int
	}{
		{"one limited, one down", map[string]int{keys[0]: 429, keys[1]: 503}, nil, "", 3},
		{"one refused", map[string]int{keys[0]: 401}, nil, "", 2},
		{"all limited", map[string]int{keys[0]: 429, keys[1]: 429, keys[2]: 429}, ErrUnavailable, "all 3 keys exhausted", 3},
		{"all refused", map[string]int{keys[0]: 401, keys[1]: 401, keys[2]: 401}, ErrRejected, "embedding.apiKey", 3},
		{"all used up", map[string]int{keys[0]: 402, keys[1]: 402, keys[2]: 402}, ErrRejected, "pay for more", 3},
		{"a fault that is nobody's key", map[string]int{keys[0]: 400, keys[1]: 400, keys[2]: 400}, ErrRejected, "400", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var seen []string
			s := keyed(t, c.statuses, &seen)
			now := time.Unix(1_800_000_000, 0)
			e, err := NewRemote(Options{APIKeys: keys, BaseURL: s.URL + "/v1", Model: "tiny", Dimensions: 2, Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.EmbedQuery(t.Context(), "x")
			if !errors.Is(err, c.kind) || len(seen) > c.most {
				t.Fatalf("%v after %d requests", err, len(seen))
			}
			if c.kind == nil {
				return
			}
			for _, key := range keys {
				if strings.Contains(err.Error(), key) {
					t.Errorf("the error shows a key: %v", err)
				}
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
			before := len(seen)
			if _, err := e.EmbedQuery(t.Context(), "y"); !errors.Is(err, c.kind) || len(seen) > before+c.most {
				t.Errorf("the second time: %v", err)
			}
			now = now.Add(10 * time.Minute)
			clear(c.statuses)
			if _, err := e.EmbedQuery(t.Context(), "z"); err != nil {
				t.Errorf("when it is over: %v", err)
			}
		})
	}
}

// Calls are spread over the keys.
func TestKeysAreUsedInTurn(t *testing.T) {
	var seen []string
	s := keyed(t, nil, &seen)
	e, err := NewRemote(Options{APIKeys: []string{"a", "b"}, BaseURL: s.URL, Model: "tiny", Dimensions: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"1", "2", "3", "4"} {
		if _, err := e.EmbedQuery(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(seen, ""); got != "abab" {
		t.Errorf("keys %q", got)
	}
}
