package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// typed runs one command on a database and gives what it said.
func typed(t *testing.T, db, in string, args ...string) (code int, out, told string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{in: strings.NewReader(in), out: &stdout, err: &stderr}
	code = a.run(t.Context(), append(args, "--db", db))
	return code, stdout.String(), stderr.String()
}

func alone(t *testing.T) (db string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("OPENCLAW_CONFIG_PATH", "")
	t.Setenv("OPENCLAW_STATE_DIR", "")
	return filepath.Join(home, "db")
}

// Undoing a change of many memories lists the first of them; --json all.
func TestUndoOfManyIsShort(t *testing.T) {
	db := alone(t)
	var rows strings.Builder
	for n := range 30 {
		fmt.Fprintf(&rows, `{"text":"Shelf %d of the cellar holds jar %d"}`+"\n", n, n)
	}
	if code, _, told := typed(t, db, rows.String(), "import", "-"); code != exitOK {
		t.Fatal(told)
	}
	code, out, told := typed(t, db, "", "undo", "1", "--dry-run")
	if lines := strings.Count(out, "\n"); code != exitOK || lines != undoneLines+2 || !strings.Contains(out, "and 10 more; --json names all\n") {
		t.Errorf("%d lines, %d, %s\n%s", lines, code, told, out)
	}
	_, out, _ = typed(t, db, "", "undo", "1", "--dry-run", "--json")
	var all undoJSON
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Steps) != 30 {
		t.Errorf("%d of 30, %v", len(all.Steps), err)
	}
}

// What is too long is told with its whole length, and a question as long as the tools
// refuse is refused here, too.
func TestTooLong(t *testing.T) {
	db := alone(t)
	code, _, told := typed(t, db, strings.Repeat("x", memory.MaxTextBytes+200_000), "store", "-")
	if code != exitUsage || !strings.Contains(told, fmt.Sprintf("the text has %d bytes", memory.MaxTextBytes+200_000)) {
		t.Errorf("%d, %s", code, told)
	}
	query := strings.Repeat("ü", protocol.MaxQueryChars)
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"search", query}, exitOK},
		{[]string{"search", query + "ü"}, exitUsage},
		{[]string{"why", query + "ü", "00000000"}, exitUsage},
	} {
		if code, _, told := typed(t, db, "", c.args...); code != c.code || (code == exitUsage) != strings.Contains(told, "shorten it to the words that matter") {
			t.Errorf("%s: %d, %.300s", c.args[0], code, told)
		}
	}
}
