package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// Env is the surroundings a configuration is resolved in. The zero value is
// the process's own environment.
type Env struct {
	// Lookup reads an environment variable.
	Lookup func(name string) (string, bool)
	// Home is the user's home directory; empty if there is none.
	Home string
	// BaseDir is what relative paths start from: the host's state directory. It
	// is empty if that would be in the home directory and there is none.
	BaseDir string
	// DBPath takes the place of the key dbPath, as Locate gives it.
	DBPath string
	// account gives the home directory of the user's account; nil asks the system.
	account func() string
}

// ErrNoHome is a path that starts at a home directory when there is none. Any
// other start, such as the working directory, would be another database.
var ErrNoHome = errors.New("HOME is not set and the user's account has no home directory; pass --db or set dbPath to an absolute path")

func accountHome() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.HomeDir
}

func (e Env) orOS() Env {
	if e.Lookup == nil {
		e.Lookup = os.LookupEnv
	}
	if e.Home == "" {
		e.Home, _ = e.Lookup("HOME")
	}
	if e.account == nil {
		e.account = accountHome
	}
	if e.Home == "" {
		e.Home = e.account()
	}
	if e.BaseDir == "" {
		e.BaseDir = e.stateDir()
	}
	return e
}

// variable is the value of an environment variable without the space around it;
// empty if it is not set.
func (e Env) variable(name string) string {
	if v, ok := e.Lookup(name); ok {
		return strings.TrimSpace(v)
	}
	return ""
}

// stateDir is where OpenClaw keeps its state; empty without a home to keep it in.
func (e Env) stateDir() string {
	if dir, _ := e.Lookup("OPENCLAW_STATE_DIR"); dir != "" {
		return e.expandHome(dir)
	}
	if home, _ := e.Lookup("OPENCLAW_HOME"); home != "" {
		return below(e.expandHome(home), ".openclaw")
	}
	return below(e.Home, ".openclaw")
}

// below is a name in a directory, or empty if there is no directory.
func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// expandHome is empty for a path in a home directory when there is none.
func (e Env) expandHome(path string) string {
	if path == "~" {
		return e.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return below(e.Home, rest)
	}
	return path
}

// absolute gives relative paths their start; empty if that is a home directory
// and there is none.
func (e Env) absolute(path string) string {
	inHome := path == "~" || strings.HasPrefix(path, "~/")
	if path = e.expandHome(path); inHome || filepath.IsAbs(path) {
		return path
	}
	return below(e.BaseDir, path)
}

// DefaultDBPath is where the TypeScript plugin keeps its database, too.
const DefaultDBPath = "~/.openclaw/memory/lancedb-pro"

// finishPath makes the database path absolute. Without a usable one nothing can
// be stored or found, but the program stays up to say so.
func (p *parser) finishPath() {
	if slices.ContainsFunc(p.problems, func(err error) bool { return strings.HasPrefix(err.Error(), "dbPath: ") }) {
		// The default would be another database than the one that was meant.
		p.c.DBPath, p.c.PathFault = "", "dbPath cannot be read; correct it in the configuration"
		return
	}
	var err error
	if isRemote(p.c.DBPath) {
		err = p.finishRemote()
	} else {
		p.c.DBPath, err = p.env.localPath(p.c.DBPath)
		if _, set := p.given[storageBlock]; set && err == nil {
			p.c.notice("%s: it is for a dbPath that begins with %s, and left aside", storageBlock, remoteScheme)
		}
	}
	if err != nil {
		err = fmt.Errorf("dbPath: %w", err)
		p.problems = append(p.problems, err)
		p.c.PathFault = err.Error()
	}
	if p.c.PathFault != "" {
		p.c.DBPath, p.c.StorageOptions = "", nil
		return
	}
	p.values["dbPath"] = p.c.DBPath
}

// localPath accepts a plain path, "~/…", a relative path and a file:// URL. It
// follows symbolic links, so that what lies beside the database lies beside the
// real one for everybody.
func (e Env) localPath(s string) (string, error) {
	if strings.ContainsRune(s, 0) {
		return "", &KeyError{"location", "a NUL character", "a directory on this machine"}
	}
	if scheme, rest, isURL := strings.Cut(s, "://"); isURL {
		u, err := url.Parse(s)
		if !strings.EqualFold(scheme, "file") || err != nil || (u.Host != "" && u.Host != "localhost") || rest == "" {
			return "", &KeyError{"location", fmt.Sprintf("%q", s), "a directory on this machine, as a path or as file:///…, or s3://bucket/prefix"}
		}
		s = u.Path
	}
	if s = e.absolute(s); s == "" {
		return "", ErrNoHome
	}
	s, err := filepath.Abs(s)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(s); err == nil {
		return real, nil
	}
	return s, nil // it does not exist yet, or opening it will say what is wrong
}
