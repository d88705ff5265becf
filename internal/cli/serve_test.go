package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// sidecar is a real memory-pro serve in a process of its own.
type sidecar struct {
	t     testing.TB
	cmd   *exec.Cmd
	rpc   *jrpc2.Client
	ended chan error
}

func serve(t testing.TB) *sidecar {
	t.Helper()
	exe, err := exec.LookPath("memory-pro") // put there by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	s := &sidecar{t: t, cmd: exec.Command(exe, "serve"), ended: make(chan error, 1)}
	s.cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.rpc = jrpc2.NewClient(channel.LSP(out, in), nil)
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		s.rpc.Close()
		s.end()
	})
	return s
}

// end waits for the process, which has 5 s to leave.
func (s *sidecar) end() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.ended <- nil
		if err != nil {
			s.t.Errorf("memory-pro serve: %v", err)
		}
	case <-time.After(10 * time.Second):
		s.t.Error("memory-pro serve does not end")
		_ = s.cmd.Process.Kill() // it is beyond asking
	}
}

func (s *sidecar) initialize(config string) protocol.InitializeResult {
	s.t.Helper()
	var r protocol.InitializeResult
	err := s.rpc.CallResult(context.Background(), protocol.MethodInitialize,
		protocol.InitializeParams{ProtocolVersion: protocol.Version, Config: json.RawMessage(config), LogLevel: "error"}, &r)
	if err != nil {
		s.t.Fatalf("initialize: %v", err)
	}
	return r
}

func (s *sidecar) tool(method string, deadlineMs int, params any) (protocol.ToolResult, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		s.t.Fatal(err)
	}
	var r protocol.ToolResult
	err = s.rpc.CallResult(context.Background(), method,
		protocol.ToolParams{Context: protocol.CallContext{AgentID: "main"}, Params: raw, DeadlineMs: deadlineMs}, &r)
	return r, err
}

func (s *sidecar) store(text string) error {
	_, err := s.tool(protocol.MethodToolStore, 0, map[string]any{"text": text})
	return err
}

func (s *sidecar) recall(query string, limit int) int {
	s.t.Helper()
	r, err := s.tool(protocol.MethodToolRecall, 0, map[string]any{"query": query, "limit": limit})
	if err != nil {
		s.t.Fatalf("recall: %v", err)
	}
	return int(r.Details.(map[string]any)["count"].(float64))
}

func dbConfig(path string) string { return fmt.Sprintf(`{"dbPath":%q}`, path) }

// B79: neither a dead embedder nor a database that cannot be opened delays
// initialize, and the first recall answers within its deadline.
func TestInitializeDoesNotWait(t *testing.T) {
	dead, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	embedding := fmt.Sprintf(`"embedding":{"apiKey":"k","baseURL":"http://%s/v1","model":"m","dimensions":8}`, dead.Addr())
	for name, config := range map[string]string{
		"database is a file": dbConfig(file),
		"dead embedder":      fmt.Sprintf(`{"dbPath":%q,%s}`, filepath.Join(t.TempDir(), "db"), embedding),
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			_, _ = s.rpc.Call(context.Background(), protocol.MethodHealth, nil) // the process is up
			began := time.Now()
			s.initialize(config)
			if took := time.Since(began); took > 200*time.Millisecond {
				t.Errorf("initialize took %s", took)
			}
			began = time.Now()
			_, err := s.tool(protocol.MethodToolRecall, 2000, map[string]any{"query": "where is the spare key"})
			if took := time.Since(began); took > 2500*time.Millisecond {
				t.Errorf("the first recall took %s", took)
			}
			if name == "dead embedder" && err != nil {
				t.Errorf("recall: %v", err)
			}
			var e *jrpc2.Error
			if name != "dead embedder" && (!errors.As(err, &e) || e.Code != jrpc2.Code(protocol.CodeStoreUnavailable)) {
				t.Errorf("recall: %v", err)
			}
		})
	}
}

// B110: what was acknowledged survives an orderly end at any moment.
func TestAcknowledgedStoresSurviveTermination(t *testing.T) {
	const rows = 50
	path := filepath.Join(t.TempDir(), "db")
	s := serve(t)
	s.initialize(dbConfig(path))
	var wg sync.WaitGroup
	for i := range rows {
		wg.Go(func() {
			if err := s.store(fmt.Sprintf("Shelf %d holds the winter tyres of locker %d", i, 1000+i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.end()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ending took %s", took)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("MEMORY_PRO_MODEL", "off")
	t.Setenv("OPENCLAW_CONFIG_PATH", "")
	t.Setenv("OPENCLAW_STATE_DIR", "")
	var out strings.Builder
	cli := &app{in: strings.NewReader(""), out: &out, err: os.Stderr}
	if code := cli.run(context.Background(), []string{"stats", "--json", "--db", path}); code != exitOK {
		t.Fatalf("stats: exit code %d", code)
	}
	if !strings.Contains(out.String(), fmt.Sprintf(`"totalCount": %d`, rows)) {
		t.Errorf("stats: %s", out.String())
	}
}

// B122, with the real engine: the largest text goes in and comes out, a larger
// one fails alone.
func TestLargestText(t *testing.T) {
	s := serve(t)
	s.initialize(dbConfig(filepath.Join(t.TempDir(), "db")))
	sentence := "The whale log of day seven says: calm sea\nand no whales. "
	largest := "leviathan " + strings.Repeat(sentence, memory.MaxTextBytes/len(sentence)-1)
	if err := s.store(largest); err != nil {
		t.Fatal(err)
	}
	r, err := s.tool(protocol.MethodToolRecall, 0, map[string]any{"query": "leviathan", "includeFullText": true})
	if err != nil || !strings.Contains(r.Content[0].Text, "calm sea") || len(r.Content[0].Text) < len(largest) {
		t.Errorf("recall of the largest text: %d bytes, %v", len(r.Content[0].Text), err)
	}
	var e *jrpc2.Error
	if err := s.store(strings.Repeat("x", memory.MaxTextBytes+1)); !errors.As(err, &e) || e.Code != jrpc2.Code(protocol.CodeTooLarge) {
		t.Errorf("a text over the limit: %v", err)
	}
	if n := s.recall("leviathan", 1); n != 1 {
		t.Errorf("after the refusal: %d hits", n)
	}
}

// BenchmarkRoundTrip measures a tool call through the pipes of a real process
// and back. A query without words skips the search, so that what remains is the
// protocol; "recall" is the whole.
func BenchmarkRoundTrip(b *testing.B) {
	s := serve(b)
	s.initialize(dbConfig(filepath.Join(b.TempDir(), "db")))
	if err := s.store("The zylophrast is kept in the cellar"); err != nil {
		b.Fatal(err)
	}
	for name, query := range map[string]string{"protocol": "…", "recall": "zylophrast"} {
		b.Run(name, func(b *testing.B) {
			var all []time.Duration
			for b.Loop() {
				began := time.Now()
				s.recall(query, 3)
				all = append(all, time.Since(began))
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
		})
	}
}
