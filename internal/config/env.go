package config

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Env is the surroundings a configuration is resolved in. The zero value is
// the process's own environment.
type Env struct {
	// Lookup reads an environment variable.
	Lookup func(name string) (string, bool)
	// Home is the user's home directory.
	Home string
	// BaseDir is what relative paths start from: the host's state directory.
	BaseDir string
}

func (e Env) orOS() Env {
	if e.Lookup == nil {
		e.Lookup = os.LookupEnv
	}
	if e.Home == "" {
		e.Home, _ = e.Lookup("HOME")
	}
	if e.Home == "" {
		// Without a home, paths under it end up in the working directory; the
		// store then says which path it could not use.
		e.Home = "."
	}
	if e.BaseDir == "" {
		e.BaseDir = e.stateDir()
	}
	return e
}

// stateDir is where OpenClaw keeps its state.
func (e Env) stateDir() string {
	if dir, _ := e.Lookup("OPENCLAW_STATE_DIR"); dir != "" {
		return e.expandHome(dir)
	}
	return filepath.Join(e.Home, ".openclaw")
}

func (e Env) expandHome(path string) string {
	if path == "~" {
		return e.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(e.Home, rest)
	}
	return path
}

// DefaultDBPath is where the TypeScript plugin keeps its database, too.
const DefaultDBPath = "~/.openclaw/memory/lancedb-pro"

// finishPath makes the database path absolute.
func (p *parser) finishPath(c *Config) {
	if strings.TrimSpace(c.DBPath) == "" {
		c.DBPath = DefaultDBPath
	}
	path, err := p.env.localPath(c.DBPath)
	if err != nil {
		p.errs = append(p.errs, fmt.Errorf("dbPath: %w", err))
		return
	}
	c.DBPath = path
}

// localPath accepts a plain path, "~/…", a relative path and a file:// URL.
func (e Env) localPath(s string) (string, error) {
	if scheme, rest, isURL := strings.Cut(s, "://"); isURL {
		u, err := url.Parse(s)
		if !strings.EqualFold(scheme, "file") || err != nil || (u.Host != "" && u.Host != "localhost") || rest == "" {
			return "", &KeyError{"location", fmt.Sprintf("%q", s), "a directory on this machine, as a path or as file:///…"}
		}
		s = u.Path
	}
	s = e.expandHome(s)
	if !filepath.IsAbs(s) {
		s = filepath.Join(e.BaseDir, s)
	}
	return filepath.Abs(s)
}
