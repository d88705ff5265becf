package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// sidecarMemories is how many memories the sidecar starts on.
const sidecarMemories = 10_000

// measureSidecar starts the real program on a filled store: time from process
// start to the first recall, then the round trip of a call that does no work.
func measureSidecar(ctx context.Context, r *report, binary string) error {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db := filepath.Join(dir, "db")
	if _, err := fill(ctx, db, sidecarMemories, dimensions); err != nil {
		return err
	}
	if err := adopt(ctx, db); err != nil {
		return err
	}
	var starts, trips []time.Duration
	var memory float64
	for range 5 {
		start, trip, rss, err := oneSidecar(ctx, binary, dir, db)
		if err != nil {
			return err
		}
		starts, trips, memory = append(starts, start), append(trips, trip...), max(memory, rss)
	}
	r.timing("sidecar start to first recall, embedded model included", sidecarMemories, starts, "")
	r.want("≤ 500")
	r.timing("round trip without work", 0, trips, "")
	r.add(figure{Name: "sidecar's resident memory", Size: sidecarMemories, Unit: "MB", Value: memory}, "")
	return nil
}

// adopt has the vectors count as the embedded model's, so that the sidecar embeds its
// question and searches by vector too.
func adopt(ctx context.Context, db string) error {
	path, err := weights.InCheckout(".")
	if err != nil {
		return err
	}
	model, err := embed.NewLocal(embed.LocalOptions{Path: path, CacheSize: -1})
	if err != nil {
		return err
	}
	defer model.Close()
	s, err := store.Open(ctx, store.Options{Path: db, Dimensions: dimensions, Fingerprint: model.Fingerprint(), AdoptVectors: true})
	if err != nil {
		return err
	}
	return errors.Join(s.CheckVectors(), s.Close())
}

func oneSidecar(ctx context.Context, binary, home, db string) (start time.Duration, trips []time.Duration, rss float64, err error) {
	cmd := exec.CommandContext(ctx, binary, "serve")
	cmd.Env = append(os.Environ(), "HOME="+home)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, nil, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, nil, 0, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, nil, 0, err
	}
	rpc := jrpc2.NewClient(channel.LSP(out, in), nil)
	defer func() {
		rpc.Close()
		if werr := cmd.Wait(); err == nil {
			err = werr
		}
	}()
	config, err := json.Marshal(map[string]any{"dbPath": db})
	if err != nil {
		return 0, nil, 0, err
	}
	call := func(method string, params any) error {
		_, err := rpc.Call(ctx, method, params)
		return err
	}
	if err := call(protocol.MethodInitialize, protocol.InitializeParams{ProtocolVersion: protocol.Version, Config: config}); err != nil {
		return 0, nil, 0, err
	}
	recall := protocol.ToolParams{Context: protocol.CallContext{AgentID: "main"}, Params: json.RawMessage(`{"query":"who owns svc-billing-eu1"}`)}
	if err := call(protocol.MethodToolRecall, recall); err != nil {
		return 0, nil, 0, err
	}
	start = time.Since(begun)
	trips, err = each(300, func(int) error { return call(protocol.MethodHealth, struct{}{}) })
	return start, trips, resident(cmd.Process.Pid), err
}
