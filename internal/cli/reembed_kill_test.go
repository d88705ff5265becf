package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// B104: a command that is killed, or told to stop, in the middle of its work leaves the
// database as it was, and the next one goes on where it was.
func TestReembedEndsEarly(t *testing.T) {
	for _, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		t.Run(end.String(), func(t *testing.T) {
			embedder := startEmbedder()
			defer embedder.Close()
			to, err := url.Parse(embedder.URL)
			if err != nil {
				t.Fatal(err)
			}
			// At the fifth request the provider says so, and is slow from then on.
			var asked atomic.Int64
			reached, enough := make(chan struct{}), make(chan struct{})
			proxy := httputil.NewSingleHostReverseProxy(to)
			slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n := asked.Add(1); n == 5 {
					close(reached)
				}
				if asked.Load() >= 5 {
					select {
					case <-r.Context().Done():
						return
					case <-enough:
					}
				}
				proxy.ServeHTTP(w, r)
			}))
			defer slow.Close()
			dir := t.TempDir()
			t.Setenv("HOME", dir)
			t.Setenv("OPENCLAW_STATE_DIR", "")
			configure := func(base, model string, width int) string {
				path := filepath.Join(dir, model+".json")
				text := fmt.Sprintf(`{plugins: {entries: {'memory-lancedb-pro': {enabled: true, config: {dbPath: '%s/db',
					embedding: {apiKey: 'key', baseURL: '%s/v1', model: '%s', dimensions: %d}}}}}}`, dir, base, model, width)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			rows := filepath.Join(dir, "rows.ndjson")
			var lines bytes.Buffer
			for i := range 40 {
				fmt.Fprintf(&lines, "{\"text\":\"Lighthouse number%d stands on rock%d\",\"scope\":\"global\"}\n", i, i)
			}
			if err := os.WriteFile(rows, lines.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) (string, string, int) {
				var out, errs strings.Builder
				code := (&app{in: strings.NewReader(""), out: &out, err: &errs}).run(context.Background(), args)
				return out.String(), errs.String(), code
			}
			t.Setenv("OPENCLAW_CONFIG_PATH", configure(embedder.URL, "small-8", 8))
			if _, errs, code := run("import", rows); code != exitOK {
				t.Fatal(errs)
			}
			wide := configure(slow.URL, "wide-12", 12)
			cmd := exec.Command(os.Args[0], "reembed", "--batch-size", "4")
			cmd.Args[0] = "memory-pro"
			cmd.Env = append(os.Environ(), "OPENCLAW_CONFIG_PATH="+wide)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-reached:
			case err := <-ended:
				t.Fatalf("it ended by itself: %v\n%s%s", err, &out, &errs)
			}
			if err := cmd.Process.Signal(end); err != nil {
				t.Fatal(err)
			}
			<-ended
			if end == syscall.SIGINT && (cmd.ProcessState.ExitCode() != exitFailure ||
				!strings.Contains(errs.String(), "what is done is kept. Run the same command again to go on") || !strings.Contains(out.String(), "Embedded 16 of 40")) {
				t.Errorf("interrupted: code %d\n%s%s", cmd.ProcessState.ExitCode(), &out, &errs)
			}
			// As it was: the old model finds by vector, the new one by words.
			if out, errs, code := run("doctor", "--json"); !strings.Contains(out, "40 of 40 rows have one, of the configured model") {
				t.Errorf("with the old model: code %d, %s%s", code, out, errs)
			}
			close(enough)
			t.Setenv("OPENCLAW_CONFIG_PATH", wide)
			if out, _, _ := run("search", "lighthouse number7", "--limit", "1"); !strings.Contains(out, "number7") {
				t.Errorf("by words: %s", out)
			}
			text, told, code := run("reembed", "--json")
			var done reembedJSON
			if err := json.Unmarshal([]byte(text), &done); err != nil || code != exitOK {
				t.Fatalf("code %d, %v\n%s%s", code, err, text, told)
			}
			if !done.Complete || done.Rows != 40 || done.Kept != 16 || done.Embedded != 24 || done.Pending != 0 {
				t.Errorf("%+v", done)
			}
			if out, _, _ := run("doctor", "--json"); !strings.Contains(out, "40 of 40 rows have one, of the configured model") {
				t.Errorf("afterwards: %s", out)
			}
		})
	}
}
