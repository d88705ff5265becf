package host

import (
	"os"
	"path/filepath"
	"strings"
)

// Knows reports whether the host knows a plugin: from an entry of its configuration, or
// because the plugin is where the host installs plugins, beside that file.
func (f *File) Knows(plugin string) bool {
	if _, known := f.Get("plugins", "entries", plugin); known {
		return true
	}
	state := filepath.Dir(f.Path)
	if _, err := os.Stat(filepath.Join(state, "extensions", plugin, "openclaw.plugin.json")); err == nil {
		return true
	}
	found, _ := filepath.Glob(filepath.Join(escape(state), "npm", "projects", "*", "node_modules", plugin, "openclaw.plugin.json"))
	return len(found) > 0
}

// escape takes their meaning from the signs of a pattern.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
