package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compatEnv says that the Node packages must be there; `make compat` sets it.
const compatEnv = "MEMORY_PRO_COMPAT"

const compatFolder = "../../testdata/compat"

// nodePackage is an installed LanceDB package and the Node that runs it.
type nodePackage struct{ Dir, Node string }

// nodePackages are the installed versions by name. Half a gigabyte is not
// fetched behind anybody's back: without them a plain `go test` skips, and
// `make compat`, which fetches them, fails.
func nodePackages(t *testing.T) map[string]nodePackage {
	t.Helper()
	install := exec.Command("node", filepath.Join(compatFolder, "install.mjs"))
	install.Stderr = os.Stderr
	if os.Getenv(compatEnv) == "" {
		install.Args = append(install.Args, "--cached")
	}
	out, err := install.Output()
	found := map[string]nodePackage{}
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if os.Getenv(compatEnv) == "" && len(found) < 2 {
		t.Skipf("the LanceDB packages for Node are not installed (%d of 2, %v): run `make compat`", len(found), err)
	}
	if err != nil {
		t.Fatalf("installing the LanceDB packages for Node: %v", err)
	}
	return found
}

// run has the package do one of the verbs of testdata/compat/table.mjs.
func (n nodePackage) run(t *testing.T, verb, db string, input, answer any) {
	t.Helper()
	spec, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(n.Node, filepath.Join(compatFolder, "table.mjs"), n.Dir, verb, db)
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(spec), &complaints
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, answer)
	}
	if err != nil {
		t.Fatalf("%s with the Node package: %v\n%s%s", verb, err, out, complaints.String())
	}
}

// tsRow is a row as the TypeScript plugin writes it.
type tsRow struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	Vector     []float32 `json:"vector"`
	Category   string    `json:"category"`
	Scope      *string   `json:"scope"`
	Importance float64   `json:"importance"`
	Timestamp  int64     `json:"timestamp"`
	Metadata   *string   `json:"metadata"`
}

// Rows of the database by what is odd about them.
const (
	rowPlain     = "11111111-1111-4111-8111-111111111101"
	rowSeconds   = "11111111-1111-4111-8111-111111111102"
	rowNoScope   = "11111111-1111-4111-8111-111111111103"
	rowOld       = "11111111-1111-4111-8111-111111111104"
	rowNew       = "11111111-1111-4111-8111-111111111105"
	rowExpired   = "11111111-1111-4111-8111-111111111106"
	rowCorrupt   = "11111111-1111-4111-8111-111111111107"
	rowEmpty     = "11111111-1111-4111-8111-111111111108"
	rowNoMeta    = "11111111-1111-4111-8111-111111111109"
	rowChinese   = "11111111-1111-4111-8111-111111111110"
	rowElsewhere = "11111111-1111-4111-8111-111111111111"
	rowReflected = "11111111-1111-4111-8111-111111111112"
)

// tsRows are awkward on purpose; width is that of the vectors.
func tsRows(width int) []tsRow {
	ms := now.UnixMilli()
	day := int64(24 * 60 * 60 * 1000)
	say := func(s string) *string { return &s }
	rows := []tsRow{
		{ID: rowPlain, Text: "The gateway listens on port 18789", Category: "fact", Timestamp: ms - 12*day, Metadata: say(`{"l0_abstract":"gateway port","tier":"core","access_count":7,"custom_key":{"a":[1,2]}}`)},
		{ID: rowSeconds, Text: "Mara prefers window seats on trains", Category: "preference", Timestamp: (ms - 11*day) / 1000, Metadata: say(fmt.Sprintf(`{"last_accessed_at":%d}`, ms/1000))},
		{ID: rowNoScope, Text: "This row about a kazoo has lost its scope", Category: "fact", Timestamp: ms - 10*day, Metadata: say(`{}`)},
		{ID: rowOld, Text: "The build server is called Brontes", Category: "entity", Timestamp: ms - 9*day, Metadata: say(fmt.Sprintf(`{"memory_category":"entities","fact_key":"entities:build server","superseded_by":%q,"invalidated_at":%d}`, rowNew, ms-8*day))},
		{ID: rowNew, Text: "The build server is called Steropes", Category: "entity", Timestamp: ms - 8*day, Metadata: say(fmt.Sprintf(`{"memory_category":"entities","fact_key":"entities:build server","supersedes":%q}`, rowOld))},
		{ID: rowExpired, Text: "The parking permit is valid until Friday", Category: "decision", Timestamp: ms - 7*day, Metadata: say(fmt.Sprintf(`{"valid_until":%d}`, (ms-day)/1000))},
		{ID: rowCorrupt, Text: "Backups of the ledger run at night", Category: "other", Timestamp: ms - 6*day, Metadata: say(`{"tier": "core`)},
		{ID: rowEmpty, Text: "", Category: "other", Timestamp: ms - 5*day, Metadata: say(`{}`)},
		{ID: rowNoMeta, Text: "Deploys happen on Tuesdays", Category: "decision", Timestamp: ms - 4*day},
		{ID: rowChinese, Text: "项目采用蓝绿发布方式上线支付网关", Category: "fact", Timestamp: ms - 3*day, Metadata: say(`{}`)},
		{ID: rowElsewhere, Text: "Another agent keeps a kazoo", Category: "fact", Timestamp: ms - 2*day, Metadata: say(`{}`)},
		{ID: rowReflected, Text: "Keep answers about the kazoo short", Category: "reflection", Timestamp: ms - day, Metadata: say(`{"source":"reflection"}`)},
	}
	for i := range rows {
		r := &rows[i]
		r.Importance, r.Vector, r.Scope = 0.7, make([]float32, width), say("global")
		copy(r.Vector, hashed(r.Text+" "+r.ID))
		switch r.ID {
		case rowNoScope:
			r.Scope = nil
		case rowElsewhere:
			r.Scope = say("agent:other")
		case rowReflected:
			r.Scope = say("agent:main")
		}
	}
	return rows
}

// checked is what the old package reports after we have used its database.
type checked struct {
	Tables      []string
	Rows, After int
	Filtered    int
	Nearest     []string
	Words       []string
	WordsError  string
	Listed      []tsRow
}

// TestOpenInPlace opens databases written by the LanceDB packages for Node,
// works with them, hands them back, and reads what was added there.
func TestOpenInPlace(t *testing.T) {
	packages := nodePackages(t)
	forms := []struct {
		name    string
		width   int
		ints    bool
		without []string
	}{
		{name: "as the plugin writes it", width: width},
		{name: "integer times", width: width, ints: true},
		{name: "early columns", width: width, without: []string{"scope", "timestamp", "metadata"}},
		{name: "another width", width: 1536},
	}
	for _, version := range slices.Sorted(maps.Keys(packages)) {
		for _, form := range forms {
			t.Run(version+"/"+form.name, func(t *testing.T) {
				handlesComeBack(t)
				o := opened{node: packages[version], width: form.width, provider: newProvider(t), early: len(form.without) > 0}
				db := filepath.Join(t.TempDir(), "db")
				var made struct{ Rows, Version int }
				o.node.run(t, "write", db, map[string]any{"rows": tsRows(form.width), "integerTimes": form.ints, "without": form.without}, &made)
				if made.Rows != len(tsRows(1)) {
					t.Fatalf("written: %+v", made)
				}
				o.use(t, reopen(t, db, o.provider.embedding(), o.meaning))
				o.handBack(t, db)
				o.readAgain(t, reopen(t, db, o.provider.embedding(), o.meaning))
			})
		}
	}
}

// TestOpenInPlaceWithoutProvider: nobody said which model wrote the vectors, so
// the model inside the program does not touch them, although their width fits.
func TestOpenInPlaceWithoutProvider(t *testing.T) {
	p := nodePackages(t)["0.26"]
	handlesComeBack(t)
	db := filepath.Join(t.TempDir(), "db")
	p.run(t, "write", db, map[string]any{"rows": tsRows(384)}, &struct{}{})
	model := filepath.Join(t.TempDir(), "model") // never opened: there is nothing to embed for
	if err := os.WriteFile(model, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := reopen(t, db, nil, func(o *Options) { o.Config.ModelFile, o.KeywordsOnly = model, false })
	if got := f.recalled("gateway port"); len(got) == 0 || got[0] != "The gateway listens on port 18789" {
		t.Errorf("by keywords: %q", got)
	}
	if kept := f.remember("A new kazoo"); !strings.Contains(kept.Pending, "did not note its model") {
		t.Errorf("pending because %q", kept.Pending)
	}
	if h := f.Health(); h.EmbeddingMode != "local" || !strings.Contains(h.StoreError, "memory-pro reembed") {
		t.Errorf("health: %+v", h)
	}
}

// TestHandOver lets the Node packages work with a table made here, while it is
// open here: each sees at once what the other does.
func TestHandOver(t *testing.T) {
	packages := nodePackages(t)
	for _, version := range slices.Sorted(maps.Keys(packages)) {
		t.Run(version, func(t *testing.T) {
			p := newProvider(t)
			f := start(t, p.embedding())
			first := f.remember("The gateway listens on port 18789")
			p.set(func(p *fakeProvider) { p.status = 503 })
			waits := f.remember("A row without a vector, about a sousaphone")
			p.set(func(p *fakeProvider) { p.status = 0 })
			scope := "global"
			row := tsRow{ID: theirs, Text: "The old package adds a marimba", Vector: hashed("marimba"), Category: "fact", Scope: &scope, Timestamp: now.UnixMilli()}
			var c checked
			packages[version].run(t, "check", f.path, map[string]any{
				"vector": hashed(first.Memory.Text), "text": "sousaphone", "filter": "scope = 'agent:main'", "row": row, "touch": first.Memory.ID,
			}, &c)
			if c.Rows != 2 || c.Filtered != 2 || c.After != 3 || c.Nearest[0] != first.Memory.ID || !slices.Equal(c.Words, []string{waits.Memory.ID}) {
				t.Errorf("the Node package reports %+v", c)
			}
			for _, word := range []string{"marimba", "sousaphone", "gateway"} {
				if got := f.recalled(word); len(got) == 0 || !strings.Contains(got[0], word) {
					t.Errorf("%s: %q", word, got)
				}
			}
			if db, _ := f.opening.now(); db.CheckVectors() != nil {
				t.Errorf("the vectors: %v", db.CheckVectors())
			}
		})
	}
}
