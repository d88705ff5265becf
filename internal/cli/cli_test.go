package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// The scripts run this test binary as memory-pro.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"memory-pro": func() { os.Exit(Main(os.Args[1:])) },
	})
}

// testdata/cli is the specification of the command line.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/cli",
		Setup: func(env *testscript.Env) error {
			home := env.WorkDir + "/home"
			env.Setenv("HOME", home)
			env.Setenv("MEMORY_PRO_MODEL", "off") // the scripts are about keywords
			embedder := startEmbedder()           // unless they configure this one
			env.Defer(embedder.Close)
			env.Setenv("EMBEDDER", embedder.URL)
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"json":   jsonField,
			"golden": golden,
			"told":   told,
			"gone":   gone,
		},
	})
}

// exits N command…  runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// gone command…  runs a command whose reader has gone away: it ends by itself,
// soon and without a word.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: gone command…")
	}
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	defer w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = os.Environ()
	for _, name := range []string{"HOME", "MEMORY_PRO_MODEL", "OPENCLAW_CONFIG_PATH", "OPENCLAW_STATE_DIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	_ = cmd.Run() // ended by SIGPIPE, as every Unix filter
	if ctx.Err() != nil || stderr.Len() > 0 {
		ts.Fatalf("%v; standard error: %s", ctx.Err(), stderr.String())
	}
}

// machine is what differs from one machine and run to the next.
var machine = regexp.MustCompile(`x86-64-v\d|"cpuLevel": \d+|"(?:bytes|files|version|tableVersion)": \d+|"platform": "[a-z0-9/]+"|` +
	`\([0-9.]+ [kM]?B(?: in \d+ files)?\)|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[0-9:.]*Z?)?`)

// golden FILE  compares standard output with a file, leaving aside what depends
// on the machine: numbers there become N, the working directory $WORK.
func golden(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: golden file")
	}
	got := strings.ReplaceAll(ts.ReadFile("stdout"), ts.Getenv("WORK"), "$WORK")
	got = machine.ReplaceAllStringFunc(got, func(s string) string {
		switch {
		case s[0] == '"':
			return s[:strings.IndexByte(s, ':')+1] + " N"
		case s[0] == '(' && strings.HasSuffix(s, "files)"):
			return "(N in N files)"
		case s[0] == '(':
			return "(N)"
		case s[0] == '2':
			return "DATE"
		}
		return "x86-64-vN"
	})
	if diff := cmp.Diff(ts.ReadFile(args[0]), got); diff != "" {
		ts.Logf("all of it:\n%s", got)
		ts.Fatalf("(-want +got)\n%s", diff)
	}
}

// ranked is what differs from one recall to the next, beside the machine: ids, times
// and scores.
var ranked = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8}\b|-?\b\d+\.\d+\b|\b\d+%|\d{4}-\d\d-\d\d(?:[T ][0-9:]+Z?)?`)

// told FILE  is golden for what is said of recalls: ids become ID, numbers with a
// point N, and a time DATE.
func told(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: told file")
	}
	got := strings.ReplaceAll(ts.ReadFile("stdout"), ts.Getenv("WORK"), "$WORK")
	got = ranked.ReplaceAllStringFunc(got, func(s string) string {
		switch {
		case strings.HasSuffix(s, "%"):
			return "N%"
		case strings.Contains(s, "."):
			return "N"
		case len(s) >= 10 && s[4] == '-':
			return "DATE"
		}
		return "ID"
	})
	got = strings.Join(strings.FieldsFunc(got, func(r rune) bool { return r == '\n' }), "\n") + "\n"
	if diff := cmp.Diff(ts.ReadFile(args[0]), got); diff != "" {
		ts.Logf("all of it:\n%s", got)
		ts.Fatalf("(-want +got)\n%s", diff)
	}
}

// json path [value]  checks that standard output is exactly one JSON value and
// what stands at a dotted path in it; "len" counts. Without a value the path
// must exist; with "!" it must not. "json path > NAME" sets a variable.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("standard output is not JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("standard output holds more than one JSON value")
	}
	if len(args) == 0 {
		return
	}
	at, ok := walk(v, strings.Split(args[0], "."))
	switch {
	case neg && ok:
		ts.Fatalf("%s is %v", args[0], at)
	case neg:
		return
	case !ok:
		ts.Fatalf("%s is missing in %v", args[0], v)
	case len(args) == 3 && args[1] == ">":
		ts.Setenv(args[2], fmt.Sprint(at))
	case len(args) == 2 && fmt.Sprint(at) != args[1]:
		ts.Fatalf("%s is %v, want %s", args[0], at, args[1])
	}
}

func walk(v any, path []string) (any, bool) {
	for _, step := range path {
		switch node := v.(type) {
		case map[string]any:
			if step == "len" && node["len"] == nil {
				v = len(node)
				continue
			}
			next, ok := node[step]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if step == "len" {
				v = len(node)
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// The default version is the package's, so that an unreleased build does not
// claim another one.
func TestVersionIsThePackages(t *testing.T) {
	data, err := os.ReadFile("../../package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct{ Version string }
	if err := json.Unmarshal(data, &pkg); err != nil {
		t.Fatal(err)
	}
	if version != pkg.Version {
		t.Errorf("version %q, package.json has %q", version, pkg.Version)
	}
}

// The scripts show the other codes; a busy store would cost them ten seconds.
func TestExitCodes(t *testing.T) {
	for _, f := range engine.Faults() {
		want := map[engine.Fault]int{
			engine.FaultBadParams: 2, engine.FaultTooLarge: 2, engine.FaultConfig: 2, engine.FaultDenied: 2, engine.FaultNoAgent: 2,
			engine.FaultNotFound: 3, engine.FaultStoreBusy: 4, engine.FaultDeadline: 4,
			engine.FaultProvider: 5, engine.FaultBadVector: 5,
		}[f]
		if want == 0 {
			want = 1
		}
		if got := exitCode(f); got != want {
			t.Errorf("%s: exit code %d, want %d", f, got, want)
		}
	}
}
