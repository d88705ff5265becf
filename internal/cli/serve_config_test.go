package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// B116: a wrong value stops nothing it does not concern; it is told with its key.
func TestWrongConfigurationLeavesTheSidecarUp(t *testing.T) {
	for name, c := range map[string]struct {
		config string // beside the path
		names  []string
	}{
		"wrong types":         {`"autoRecall":"yes","retrieval":{"mode":"magic"},"autoRecallMaxItems":[]`, []string{"autoRecall:", "retrieval.mode:", "autoRecallMaxItems:"}},
		"unusable embedding":  {`"embedding":{"apiKey":"${NO_SUCH_VARIABLE}"}`, []string{"embedding.apiKey:", "NO_SUCH_VARIABLE"}},
		"unknown model":       {`"embedding":{"apiKey":"k","baseURL":"http://127.0.0.1:1","model":"nobody-knows-it"}`, []string{"nobody-knows-it"}},
		"misspelt address":    {`"embedding":{"apiKey":"k","baseUrl":"http://127.0.0.1:1"}`, []string{"embedding.baseUrl", "embedding.baseURL"}},
		"scopes in confusion": {`"scopes":{"agentAccess":["main"]}`, []string{"scopes.agentAccess:"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			s.initialize(fmt.Sprintf(`{"dbPath":%q,%s}`, filepath.Join(t.TempDir(), "db"), c.config))
			if err := s.store("The boathouse is locked at nine"); err != nil {
				t.Fatal(err)
			}
			if got := s.recall("when is the boathouse locked", 5); got != 1 {
				t.Errorf("recall finds %d", got)
			}
			h := s.health()
			for _, key := range c.names {
				if h.OK || !strings.Contains(strings.Join(h.Problems, "\n"), key) {
					t.Errorf("health %+v does not name %s", h, key)
				}
			}
		})
	}
}

// B118: a path that cannot be one is told by every use, and the process stays up.
func TestUnusablePathLeavesTheSidecarUp(t *testing.T) {
	for _, path := range []string{`7`, `"gs://bucket/db"`, `"${NO_SUCH_VARIABLE}/db"`, `"/proc/nowhere/db"`} {
		s := serve(t)
		s.initialize(`{"dbPath":` + path + `}`)
		for range 2 {
			if err := s.store("The boathouse is locked at nine"); err == nil || !strings.Contains(err.Error(), "dbPath") && !strings.Contains(err.Error(), "/proc/nowhere/db") {
				t.Errorf("dbPath %s: store: %v", path, err)
			}
		}
		if h := s.health(); h.OK || h.Store.Error == "" {
			t.Errorf("dbPath %s: health %+v", path, h)
		}
	}
}

func (s *sidecar) health() protocol.HealthResult {
	s.t.Helper()
	var h protocol.HealthResult
	if err := s.rpc.CallResult(context.Background(), protocol.MethodHealth, nil, &h); err != nil {
		s.t.Fatal(err)
	}
	return h
}
