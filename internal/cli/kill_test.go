package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// kill ends the process at once, in the middle of whatever it does.
func (s *sidecar) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	<-s.ended // killed is what it should be
	s.ended <- nil
}

// Peer-defects A1 and A8: a process that is killed while it changes one memory
// over and over loses neither the memory nor what was acknowledged, and leaves
// one current version.
func TestKilledDuringUpdates(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("MEMORY_PRO_MODEL", "off")
	t.Setenv("OPENCLAW_CONFIG_PATH", "")
	t.Setenv("OPENCLAW_STATE_DIR", "")
	path := filepath.Join(t.TempDir(), "db")
	s := serve(t)
	s.initialize(dbConfig(path))
	keep := func(text, category string) string {
		r, err := s.tool(protocol.MethodToolStore, 0, map[string]any{"text": text, "category": category})
		if err != nil {
			t.Fatal(err)
		}
		return detail(r, "id")
	}
	fact, seat := keep("The zylophrast is kept in the cellar", "fact"), keep("Seat on trains: number 0", "preferences")
	acknowledged := "Seat on trains: number 0"
	next := 1
	for round := range 6 {
		if round > 0 {
			s = serve(t)
			s.initialize(dbConfig(path))
		}
		// After a few acknowledged changes the process dies during the next ones.
		var done atomic.Int64
		dead := make(chan struct{})
		enough := make(chan struct{})
		go func() {
			defer close(dead)
			for ; ; next++ {
				text := fmt.Sprintf("Seat on trains: number %d", next)
				if _, err := s.tool(protocol.MethodToolUpdate, 0, map[string]any{"memoryId": seat, "text": text}); err != nil {
					return
				}
				acknowledged = text
				if _, err := s.tool(protocol.MethodToolUpdate, 0, map[string]any{"memoryId": fact, "importance": float64(next%9+1) / 10}); err != nil {
					return
				}
				if done.Add(1) == int64(round+1) {
					close(enough)
				}
			}
		}()
		select {
		case <-enough:
		case <-dead:
			t.Fatal("the updates failed before the kill")
		}
		s.kill()
		<-dead

		var out, errs strings.Builder
		cli := &app{in: strings.NewReader(""), out: &out, err: &errs}
		if code := cli.run(context.Background(), []string{"show", fact, "--json", "--db", path}); code != exitOK {
			t.Fatalf("round %d: the memory is gone: %s", round, errs.String())
		}
		out.Reset()
		if code := cli.run(context.Background(), []string{"show", seat, "--json", "--db", path}); code != exitOK {
			t.Fatalf("round %d: the first version is gone: %s", round, errs.String())
		}
		var shown showJSON
		if err := json.Unmarshal([]byte(out.String()), &shown); err != nil {
			t.Fatal(err)
		}
		var current, all []string
		for _, v := range shown.Versions {
			all = append(all, v.Text)
			if v.Ended == 0 {
				current = append(current, v.Text)
			}
		}
		// The change in flight may be there or not.
		if len(current) != 1 || all[len(all)-1] != current[0] || !slices.Contains(all, acknowledged) {
			t.Fatalf("round %d: current %q of %q, acknowledged %q", round, current, all, acknowledged)
		}
		next++
	}
}

// Two processes that change one preference at once still make one chain.
func TestTwoProcessesDoNotForkTheChain(t *testing.T) {
	const each = 4
	path := filepath.Join(t.TempDir(), "db")
	one, two := serve(t), serve(t)
	one.initialize(dbConfig(path))
	two.initialize(dbConfig(path))
	stored, err := one.tool(protocol.MethodToolStore, 0, map[string]any{"text": "Seat on trains: window", "category": "preferences"})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i, s := range []*sidecar{one, two} {
		for j := range each {
			wg.Go(func() {
				text := fmt.Sprintf("Seat on trains: number %d of process %d", j, i)
				if r, err := s.tool(protocol.MethodToolUpdate, 0, map[string]any{"memoryId": detail(stored, "id"), "text": text}); err != nil || detail(r, "action") != "superseded" {
					t.Errorf("%v, %v", r.Details, err)
				}
			})
		}
	}
	wg.Wait()
	t.Setenv("MEMORY_PRO_MODEL", "off")
	var out strings.Builder
	cli := &app{in: strings.NewReader(""), out: &out, err: os.Stderr}
	if code := cli.run(context.Background(), []string{"show", detail(stored, "id"), "--json", "--db", path}); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	var shown showJSON
	if err := json.Unmarshal([]byte(out.String()), &shown); err != nil {
		t.Fatal(err)
	}
	current := 0
	for _, v := range shown.Versions {
		if v.Ended == 0 {
			current++
		}
	}
	if len(shown.Versions) != 2*each+1 || current != 1 {
		t.Errorf("%d versions, %d of them current; want %d and 1", len(shown.Versions), current, 2*each+1)
	}
}

// B110, with captures under way: what was heard in a turn is stored whole or not
// at all when the sidecar is told to end, and what a tool acknowledged is there.
func TestCapturesInFlightAreWholeOrAbsent(t *testing.T) {
	const turns = 12
	path := filepath.Join(t.TempDir(), "db")
	s := serve(t)
	s.initialize(dbConfig(path))
	if err := s.store("The boiler was serviced in March"); err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for i := range turns {
		text := fmt.Sprintf("the locker of team %d opens with %d", i, 4000+i)
		said[text] = true
		content, err := json.Marshal("Remember that " + text + ".")
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("agent:main:turn-%d", i)
		var r protocol.AgentEndResult
		err = s.rpc.CallResult(context.Background(), protocol.MethodAgentEnd, protocol.AgentEndParams{
			Event:   protocol.AgentEndEvent{Messages: protocol.SessionMessages{{Role: "user", Content: content}}, Success: true},
			Context: protocol.CallContext{AgentID: "main", SessionKey: key, Trigger: "user"},
		}, &r)
		if err != nil || r.Accepted != 1 {
			t.Fatalf("turn %d: accepted %d, %v", i, r.Accepted, err)
		}
	}
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
	if code := cli.run(context.Background(), []string{"list", "--json", "--limit", "100", "--db", path}); code != exitOK {
		t.Fatalf("list: exit code %d", code)
	}
	var rows []struct{ Text string }
	if err := json.Unmarshal([]byte(out.String()), &rows); err != nil {
		t.Fatalf("%v in %.300s", err, out.String())
	}
	acknowledged := false
	for _, r := range rows {
		if r.Text == "The boiler was serviced in March" {
			acknowledged = true
			continue
		}
		whole := strings.TrimSuffix(strings.TrimPrefix(r.Text, "Remember that "), ".")
		if !said[whole] {
			t.Errorf("%q is no whole statement, or is there twice", r.Text)
		}
		delete(said, whole)
	}
	if !acknowledged {
		t.Error("the acknowledged memory is gone")
	}
	t.Logf("%d of %d captures are there", turns-len(said), turns)
}
