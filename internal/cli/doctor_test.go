package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/doctor"
)

// hangingProvider accepts connections and never answers. It gives the path of a
// configuration that uses it.
func hangingProvider(t *testing.T) string {
	t.Helper()
	leave := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-leave:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(leave) })
	dir := t.TempDir()
	text := fmt.Sprintf(`{"plugins": {"entries": {"memory-lancedb-pro": {"config": {"dbPath": %q,
		"embedding": {"apiKey": "sk-hush-hush", "baseURL": %q, "model": "any", "dimensions": 8, "clientTimeoutMs": 0}}}}}}`, filepath.Join(dir, "db"), server.URL)
	path := filepath.Join(dir, "openclaw.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// B102: no command waits for ever, even where the provider has no time limit.
func TestCommandsEnd(t *testing.T) {
	t.Setenv("OPENCLAW_CONFIG_PATH", hangingProvider(t))
	for _, args := range [][]string{{"search", "tea", "--json"}, {"store", "Tea is at four", "--json"}, {"list", "--json"}, {"stats", "--json"}} {
		var out, errs bytes.Buffer
		begun := time.Now()
		code := (&app{in: strings.NewReader(""), out: &out, err: &errs, patience: time.Second}).run(t.Context(), args)
		if took := time.Since(begun); took > 10*time.Second || !json.Valid(out.Bytes()) {
			t.Errorf("%v: code %d after %s:\n%s%s", args, code, took, &out, &errs)
		}
	}
}

// B102: a provider that accepts connections and never answers costs the doctor
// two seconds, not the patience of its user.
func TestDoctorWithAHangingProvider(t *testing.T) {
	t.Setenv("OPENCLAW_CONFIG_PATH", hangingProvider(t))

	var out, errs bytes.Buffer
	begun := time.Now()
	code := (&app{in: strings.NewReader(""), out: &out, err: &errs}).run(t.Context(), []string{"doctor", "--json"})
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	var report doctor.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || code != exitFailure {
		t.Fatalf("code %d, %v:\n%s%s", code, err, &out, &errs)
	}
	for _, f := range report.Findings {
		if f.Check == "embedding" && (f.Status != doctor.Fail || !strings.Contains(f.Summary, "no answer within the time limit")) {
			t.Errorf("%+v", f)
		}
	}
	if strings.Contains(out.String(), "hush") || errs.Len() > 0 {
		t.Errorf("%s%s", &out, &errs)
	}
}
