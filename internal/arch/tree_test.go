package arch

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err) // a source archive has no index to list
	}
	return strings.Fields(string(out))
}

func TestFilesStaySmall(t *testing.T) {
	source := regexp.MustCompile(`\.(go|rs|ts|mjs|sh|h)$`)
	for _, f := range tracked(t) {
		if !source.MatchString(f) || strings.Contains(f, ".gen.") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, f))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, []byte("\n")); n > 500 {
			t.Errorf("%s has %d lines: split it before it passes 500", f, n)
		}
	}
}

// The tree speaks of the product alone: no home directory, no registry host.
func TestTreeNamesNoMachine(t *testing.T) {
	lock := regexp.MustCompile(`(^|/)(go\.sum|package-lock\.json|[^/]*\.lock)$`)
	bad := regexp.MustCompile(`/(ro` + `ot|wo` + `rk)/|https?://[a-z0-9.-]*(npm` + `js|pypi|python` + `hosted|crates\.io|proxy\.golang|maven)`)
	for _, f := range tracked(t) {
		if lock.MatchString(f) || strings.HasSuffix(f, ".zst") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			continue
		}
		if m := bad.Find(b); m != nil {
			t.Errorf("%s contains %q", f, m)
		}
	}
}

// A path in backticks in ARCHITECTURE.md is a promise that the file is there.
func TestArchitectureNamesRealFiles(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile("`((?:internal|cmd|plugin|testdata|docs|\\.ci)/[A-Za-z0-9_./*-]+|[A-Za-z.-]+\\.(?:md|json)|Makefile)`")
	found := 0
	for _, m := range path.FindAllSubmatch(b, -1) {
		found++
		if hits, err := filepath.Glob(filepath.Join(root, string(m[1]))); err != nil || len(hits) == 0 {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", m[1])
		}
	}
	if found < 20 {
		t.Errorf("only %d paths found in ARCHITECTURE.md: the pattern or the map is broken", found)
	}
}
