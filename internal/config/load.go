package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/titanous/json5"
)

// PluginID is the key of our entry in the host's configuration.
const PluginID = "memory-lancedb-pro"

// Source says where to take the configuration from.
type Source struct {
	// FD, when above 2, is a pipe that holds {"config": …, "stateDir": …}. The
	// shim uses it so that secrets never stand in an argument list.
	FD int
	// Env is the surroundings; zero is the process's own.
	Env Env
}

// Loaded is a raw configuration and where it came from.
type Loaded struct {
	// Raw is the plugin's own object; nil when there is none.
	Raw json.RawMessage
	// Origin is a file name or "the host", for messages.
	Origin string
	// Env resolves the configuration: its BaseDir is the state directory.
	Env Env
}

// Load reads a configuration without interpreting it. In order: the pipe, the
// file OPENCLAW_CONFIG_PATH names, openclaw.json in the state directory. Only
// the last may be missing.
func Load(s Source) (Loaded, error) {
	if s.FD > 2 {
		return fromPipe(s)
	}
	env := s.Env.orOS()
	path, _ := env.Lookup("OPENCLAW_CONFIG_PATH")
	explicit := path != ""
	if !explicit {
		path = below(env.stateDir(), "openclaw.json")
	}
	path = env.expandHome(path)
	if path == "" && !explicit {
		return Loaded{Origin: "defaults", Env: env}, nil // without a home there is no file in it
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !explicit {
		return Loaded{Origin: "defaults", Env: env}, nil
	}
	if err != nil {
		return Loaded{}, fatal(fmt.Errorf("OPENCLAW_CONFIG_PATH: %w; correct the variable or unset it", err))
	}
	raw, err := pluginConfig(data)
	if err != nil {
		return Loaded{}, fatal(fmt.Errorf("%s: %w", path, err))
	}
	return Loaded{Raw: raw, Origin: path, Env: env}, nil
}

// Parse interprets what was loaded.
func (l Loaded) Parse() (Config, error) { return Parse(l.Raw, l.Env) }

// Effective lists what every key came out as.
func (l Loaded) Effective() ([]Setting, error) { return Effective(l.Raw, l.Env) }

func fromPipe(s Source) (Loaded, error) {
	f := os.NewFile(uintptr(s.FD), "config")
	if f == nil {
		return Loaded{}, fatal(fmt.Errorf("descriptor %d is not open; --config-fd is for the plugin, leave it out", s.FD))
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return Loaded{}, fatal(fmt.Errorf("descriptor %d: %w; --config-fd is for the plugin, leave it out", s.FD, err))
	}
	var handed struct {
		Config   json.RawMessage `json:"config"`
		StateDir string          `json:"stateDir"`
	}
	if err := json.Unmarshal(data, &handed); err != nil {
		return Loaded{}, fatal(fmt.Errorf("descriptor %d: %w", s.FD, err))
	}
	return FromHost(handed.Config, handed.StateDir, s.Env), nil
}

// FromHost is a configuration the host has handed over in a message.
func FromHost(raw json.RawMessage, stateDir string, env Env) Loaded {
	if stateDir != "" {
		env.BaseDir = stateDir
	}
	return Loaded{Raw: raw, Origin: "the host", Env: env.orOS()}
}

// pluginConfig digs plugins.entries[PluginID].config out of the host's file.
func pluginConfig(data []byte) (json.RawMessage, error) {
	data, err := fromJSON5(data)
	if err != nil {
		return nil, err
	}
	var file struct {
		Plugins struct {
			Entries map[string]struct {
				Config json.RawMessage `json:"config"`
			} `json:"entries"`
		} `json:"plugins"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("plugins.entries: %w", err)
	}
	return file.Plugins.Entries[PluginID].Config, nil
}

// fromJSON5 rewrites JSON5, in which the host's file is written, as JSON. Most
// files are plain JSON, which keeps large numbers exact.
func fromJSON5(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return []byte("{}"), nil
	}
	if json.Valid(data) {
		return data, nil
	}
	var v any
	if err := json5.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("not JSON5: %w", err)
	}
	return json.Marshal(v)
}
