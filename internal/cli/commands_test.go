package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// B108: no command and no tool twice, and each command answers to --help.
func TestCommandsAndToolsAreThereOnce(t *testing.T) {
	seen := map[string]bool{}
	var visit func(parent string, cmd *cobra.Command)
	visit = func(parent string, cmd *cobra.Command) {
		for _, name := range append([]string{cmd.Name()}, cmd.Aliases...) {
			if path := parent + " " + name; seen[path] {
				t.Errorf("command %q twice", path)
			} else {
				seen[path] = true
			}
		}
		for _, sub := range cmd.Commands() {
			visit(parent+" "+cmd.Name(), sub)
		}
	}
	root := (&app{}).root()
	visit("", root)
	for _, cmd := range root.Commands() {
		if cmd.Short == "" {
			t.Errorf("%s says nothing about itself", cmd.Name())
		}
		var out strings.Builder
		if code := (&app{in: strings.NewReader(""), out: &out, err: io.Discard}).run(context.Background(), []string{cmd.Name(), "--help"}); code != exitOK || !strings.Contains(out.String(), "memory-pro "+cmd.Name()) {
			t.Errorf("%s --help: exit code %d, %.200q", cmd.Name(), code, out.String())
		}
	}

	tools, methods := map[string]bool{}, map[string]bool{}
	for _, tool := range protocol.Tools() {
		if tools[tool.Name] || methods[tool.Method] {
			t.Errorf("tool %s or its method %s twice", tool.Name, tool.Method)
		}
		tools[tool.Name], methods[tool.Method] = true, true
	}
}

// mention is a subcommand as the documentation writes it: in code, after the
// program's name.
var mention = regexp.MustCompile("(?m)(?:^ {4,}|`|openclaw )memory-pro ([a-z][a-z-]+)")

// B108: every subcommand the documentation names is reachable.
func TestDocumentedCommandsExist(t *testing.T) {
	var names []string
	for _, cmd := range (&app{}).root().Commands() {
		names = append(names, cmd.Name())
	}
	names = append(names, "help")
	documents, err := filepath.Glob("../../*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, document := range append(documents, more...) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mention.FindAllStringSubmatch(string(text), -1) {
			found++
			if !slices.Contains(names, m[1]) {
				t.Errorf("%s names %q, which is no command", filepath.Base(document), "memory-pro "+m[1])
			}
		}
	}
	if found == 0 {
		t.Error("the documentation names no command")
	}
}
