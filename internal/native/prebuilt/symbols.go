package prebuilt

import (
	"debug/elf"
	"fmt"
	"os"
	"regexp"
	"sort"
)

// Exported lists the symbols a library defines for others, sorted.
func Exported(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading symbols of %s: %w", path, err)
	}
	defer f.Close()
	all, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("reading symbols of %s: %w", path, err)
	}
	var names []string
	for _, s := range all {
		if s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			names = append(names, s.Name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// A declaration in one of our headers: a name of ours before a parenthesis.
var declaration = regexp.MustCompile(`\b((?:mlp|simple_lancedb|lancedb)_[a-z0-9_]+)\(`)

// Declared lists the functions that headers declare, sorted.
func Declared(headers ...string) ([]string, error) {
	seen := map[string]bool{}
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil {
			return nil, fmt.Errorf("reading header: %w", err)
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			seen[string(m[1])] = true
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	sort.Strings(names)
	return names, nil
}
