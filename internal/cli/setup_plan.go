package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/host"
)

const entryPath = "plugins.entries." + config.PluginID

// change is one thing that setup does to openclaw.json, with what it takes to
// undo it.
type change struct {
	Path   string `json:"path"`
	Value  any    `json:"value"`
	Before any    `json:"before,omitempty"`
	// Had is false where there was nothing before.
	Had bool `json:"had"`
	// Made is the topmost object that was made on the way to it.
	Made string `json:"made,omitempty"`
	// List is set for an element of a list: "added" or "removed".
	List string `json:"list,omitempty"`
}

func (c change) edit() host.Edit {
	return host.Edit{Path: strings.Split(c.Path, "."), Value: c.Value, Append: c.List != "", Remove: c.List == "removed"}
}

func edits(changes []change) (list []host.Edit) {
	for _, c := range changes {
		list = append(list, c.edit())
	}
	return list
}

// planSetup lists what is missing for memory to work in this configuration.
func planSetup(f *host.File) ([]change, error) {
	if v, _ := f.Get("plugins", "enabled"); v == false {
		return nil, errors.New("all plugins are switched off; switch them on first: openclaw config set plugins.enabled true")
	}
	var plan []change
	want := func(path string, value any) {
		if c, differs := planValue(f, path, value); differs {
			plan = append(plan, c)
		}
	}
	if list, found := f.Get("plugins", "deny"); found && contains(list) {
		plan = append(plan, change{Path: "plugins.deny", Value: config.PluginID, Had: true, List: "removed"})
	}
	// A list of allowed plugins is complete: whoever is not in it is not loaded.
	if list, _ := f.Get("plugins", "allow"); list != nil && !contains(list) {
		if some, isList := list.([]any); isList && len(some) > 0 {
			plan = append(plan, change{Path: "plugins.allow", Value: config.PluginID, Had: true, List: "added"})
		}
	}
	want("plugins.slots.memory", config.PluginID)
	want(entryPath+".enabled", true)
	want(entryPath+".hooks.allowConversationAccess", true)
	want(entryPath+".config.autoRecall", true)
	// Somebody who has decided about dreaming knows better.
	if _, decided := f.Get(strings.Split(entryPath+".config.dreaming.enabled", ".")...); !decided {
		want(entryPath+".config.dreaming.enabled", false)
	}
	return plan, nil
}

func planValue(f *host.File, path string, value any) (change, bool) {
	steps := strings.Split(path, ".")
	before, had := f.Get(steps...)
	if had && reflect.DeepEqual(before, value) {
		return change{}, false
	}
	c := change{Path: path, Value: value, Before: before, Had: had}
	for depth := 1; depth < len(steps) && c.Made == ""; depth++ {
		if _, there := f.Get(steps[:depth]...); !there {
			c.Made = strings.Join(steps[:depth], ".")
		}
	}
	return c, true
}

func contains(list any) bool {
	elements, _ := list.([]any)
	return slices.Contains(elements, any(config.PluginID))
}

// planUndo makes the text without the recorded changes. What somebody has
// changed since is left alone, and named.
func planUndo(f *host.File, recorded []change) (text []byte, undone []host.Edit, kept []string, err error) {
	for _, c := range slices.Backward(recorded) {
		steps := strings.Split(c.Path, ".")
		now, there := f.Get(steps...)
		switch {
		case c.List == "added" && contains(now):
			undone = append(undone, host.Edit{Path: steps, Value: c.Value, Append: true, Remove: true})
		case c.List == "removed" && there && !contains(now):
			undone = append(undone, host.Edit{Path: steps, Value: c.Value, Append: true})
		case c.List != "" || !there || !reflect.DeepEqual(now, c.Value):
			kept = append(kept, c.Path)
		case c.Had:
			undone = append(undone, host.Edit{Path: steps, Value: c.Before})
		default:
			undone = append(undone, host.Edit{Path: steps, Remove: true})
		}
	}
	text, err = f.Apply(undone)
	if err != nil {
		return nil, undone, kept, err
	}
	// Objects that setup made and that nobody has put anything into.
	for _, c := range slices.Backward(recorded) {
		for path := parentPath(c.Path); c.Made != "" && len(path) >= len(c.Made); path = parentPath(path) {
			after, err := f.With(text)
			if err != nil {
				return nil, undone, kept, err
			}
			steps := strings.Split(path, ".")
			if object, _ := after.Get(steps...); !reflect.DeepEqual(object, map[string]any{}) {
				break
			}
			if text, err = after.Apply([]host.Edit{{Path: steps, Remove: true}}); err != nil {
				return nil, undone, kept, err
			}
		}
	}
	return text, undone, kept, nil
}

func parentPath(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// record is what setup has done to a file, for --uninstall.
type record struct {
	File    string    `json:"file"`
	At      time.Time `json:"at"`
	Changes []change  `json:"changes"`

	at string // where it was read from
}

// recordOfAll is the file of a record beside openclaw.json; older versions noted in it
// what they did to any file of the directory, the last one alone.
const recordOfAll = "memory-pro-setup.json"

// recordPath is beside the file, and named after it where it is not called as usual.
func recordPath(f *host.File) string {
	dir, name := filepath.Split(f.Path)
	if name == "openclaw.json" {
		return filepath.Join(dir, recordOfAll)
	}
	return filepath.Join(dir, "memory-pro-setup-"+name)
}

// readRecord gives an empty record where there is none of this file.
func readRecord(f *host.File) (record, error) {
	for _, path := range []string{recordPath(f), filepath.Join(filepath.Dir(f.Path), recordOfAll)} {
		var r record
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return record{}, fmt.Errorf("reading what setup did before, %s: %w; delete that file if it is damaged", path, err)
		}
		if filepath.Base(r.File) == filepath.Base(f.Path) { // the directory may have moved
			r.at = path
			return r, nil
		}
	}
	return record{at: recordPath(f)}, nil
}

// add keeps, for a place that is changed again, what was there at first.
func (r record) add(changes []change) record {
	for _, c := range changes {
		same := func(old change) bool { return old.Path == c.Path && old.List == c.List }
		if i := slices.IndexFunc(r.Changes, same); i >= 0 {
			r.Changes[i].Value = c.Value
		} else {
			r.Changes = append(r.Changes, c)
		}
	}
	return r
}

func (r record) save(f *host.File, now time.Time) error {
	r.File, r.At = f.Path, now.UTC()
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(recordPath(f), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("noting what setup did: %w; undo it by hand, with the copy of the old file", err)
	}
	if r.at != recordPath(f) {
		_ = os.Remove(r.at) // an older version's place; the newer one is looked at first
	}
	return nil
}
