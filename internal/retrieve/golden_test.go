package retrieve_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
)

var update = flag.Bool("update", false, "rewrite the golden explanations in testdata")

// A change of ranking shows up here as a diff to read.
func TestExplanations(t *testing.T) {
	corpus := []memory.Memory{
		fact("m01-window", "The payment gateway is deployed on Tuesdays at ten, never on Fridays", retrievetest.AtCosine(0.62)),
		fact("m02-owner", "Mara owns svc-billing-eu2", retrievetest.AtCosine(0.41)),
		fact("m03-neighbour", "svc-billing-eu1 is owned by Jonas", retrievetest.AtCosine(0.55)),
		fact("m04-tea", "Longjing is the tea to bring", retrievetest.AtCosine(0.08)),
		fact("m05-pending", "The gateway certificate ends in May", nil),
		fact("m06-zh", "部署方案：周三晚上用蓝绿发布更新支付网关", retrievetest.AtCosine(0.58)),
	}
	down := errors.New("status 500")
	for _, c := range []struct {
		name, query string
		embedder    retrieve.Embedder
	}{
		{"hybrid", "when is the payment gateway deployed?", &retrievetest.Embedder{Otherwise: constant}},
		{"identifier", "who owns svc-billing-eu2?", &retrievetest.Embedder{Otherwise: constant}},
		{"keywords", "when is the payment gateway deployed?", nil},
		{"chinese", "支付网关什么时候发布？", &retrievetest.Embedder{Otherwise: constant}},
		{"no-shared-word", "what should I drink", &retrievetest.Embedder{Otherwise: constant}},
		{"degraded", "who owns svc-billing-eu2?", &retrievetest.Embedder{On: func(context.Context) error { return down }}},
		{"empty", "?!", &retrievetest.Embedder{Otherwise: constant}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, ask(t, defaults(&retrievetest.Searcher{Memories: corpus}, c.embedder), c.query, 3).Explain.String())
		})
	}
}

// golden compares an explanation with the one on record.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test ./internal/retrieve -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
