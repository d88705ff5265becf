package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the server says into the transcripts")

// A transcript is a conversation: each "client" section holds one message, the
// "server" section after it everything the server says until that request is
// answered. Run with -update to record.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../../testdata/rpc/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { replay(t, file) })
	}
}

func replay(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, nil)
	recorded := &txtar.Archive{Comment: archive.Comment}
	for i, section := range archive.Files {
		if section.Name != "client" {
			continue
		}
		recorded.Files = append(recorded.Files, section)
		said := c.converse(string(bytes.TrimSpace(section.Data)))
		if said == "" {
			continue
		}
		recorded.Files = append(recorded.Files, txtar.File{Name: "server", Data: []byte(said)})
		want := ""
		if i+1 < len(archive.Files) && archive.Files[i+1].Name == "server" {
			want = string(archive.Files[i+1].Data)
		}
		if diff := cmp.Diff(want, said); diff != "" && !*update {
			t.Errorf("after %s (-want +got)\n%s", section.Data, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(recorded), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var pid = regexp.MustCompile(`"pid":\d+`)

// converse sends one message, which may be spread over lines, and collects what
// comes back until its answer.
func (c *client) converse(message string) string {
	c.t.Helper()
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(message)) == nil {
		message = compact.String()
	}
	c.send(message)
	var sent struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(message), &sent) // a transcript may hold nonsense on purpose
	id := string(sent.ID)
	if id == "" {
		if json.Valid([]byte(message)) {
			return "" // a notification has no answer
		}
		id = "null"
	}
	var b strings.Builder
	for {
		f := c.next()
		if f == nil {
			return b.String()
		}
		text, err := json.Marshal(f)
		if err != nil {
			c.t.Fatal(err)
		}
		b.Write(pid.ReplaceAll(text, []byte(`"pid":1`)))
		b.WriteByte('\n')
		if string(f["id"]) == id {
			return b.String()
		}
	}
}
