package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/host"
)

// entry is the path of our entry in the host's configuration.
const entry = "plugins.entries." + config.PluginID

// openclaw: does the host use us, and with what we need?
func openclaw(_ context.Context, p *Patient) []Finding {
	if p.HostError != nil {
		return []Finding{{Check: "host", Status: Fail, Summary: p.HostError.Error()}}
	}
	if p.Host == nil || p.Host.Missing {
		return []Finding{{Check: "host", Status: Note, Summary: "there is no openclaw.json, so nothing was looked at",
			Next: "name it in OPENCLAW_CONFIG_PATH if it is elsewhere"}}
	}
	found := []Finding{loaded(p.Host, p.Inside), slot(p.Host)}
	for _, check := range []func(*Patient) []Finding{conversation, autoRecall, otherMemory, dreaming, sessionMemory, toolSearch} {
		found = append(found, check(p)...)
	}
	return found
}

func value(f *host.File, path string) any {
	v, _ := f.Get(split(path)...)
	return v
}

func split(path string) []string { return strings.Split(path, ".") }

// set is the command that sets a value.
func set(path string, v any) []string {
	return []string{fmt.Sprintf("openclaw config set %s %v", path, v)}
}

func listed(f *host.File, path string) (ours, some bool) {
	list, _ := value(f, path).([]any)
	return slices.Contains(list, any(config.PluginID)), len(list) > 0
}

// loaded: is the plugin there, and do the lists of plugins let it in?
func loaded(f *host.File, inside bool) Finding {
	bad := func(summary string, commands ...string) Finding {
		return Finding{Check: "host plugin", Status: Fail, Summary: summary, Commands: commands}
	}
	denied, _ := listed(f, "plugins.deny")
	allowed, exclusive := listed(f, "plugins.allow")
	switch {
	case value(f, "plugins.enabled") == false:
		return bad("all plugins are switched off", set("plugins.enabled", true)...)
	case denied:
		return bad("plugins.deny names "+config.PluginID, "memory-pro setup")
	case exclusive && !allowed:
		return bad("plugins.allow is a complete list and does not name "+config.PluginID, "memory-pro setup")
	case value(f, entry+".enabled") == false:
		return bad("the plugin is switched off", "openclaw plugins enable "+config.PluginID+" --accept-capabilities")
	case !inside && !f.Knows(config.PluginID):
		missing := bad("the host does not know the plugin: " + f.Path + " has no entry of it, and it is not installed beside that file")
		missing.Next = "install it (openclaw plugins install, with the package's path or name), then run memory-pro setup"
		return missing
	}
	return Finding{Check: "host plugin", Status: OK, Summary: "the plugin is switched on in " + f.Path, Facts: map[string]any{"path": f.Path}}
}

func slot(f *host.File) Finding {
	owner, _ := value(f, "plugins.slots.memory").(string)
	if owner == config.PluginID {
		return Finding{Check: "host slot", Status: OK, Summary: "the memory slot is ours"}
	}
	summary := "the memory slot is not set, so the host uses its own memory"
	if owner != "" {
		summary = fmt.Sprintf("the memory slot belongs to %q", owner)
	}
	return Finding{Check: "host slot", Status: Fail, Summary: summary, Commands: set("plugins.slots.memory", config.PluginID), Facts: map[string]any{"owner": owner}}
}

// conversation: without this consent the host silently drops the hooks that
// recall and capture live on.
func conversation(p *Patient) []Finding {
	const name = "host hooks"
	if value(p.Host, entry+".hooks.allowConversationAccess") != true {
		return []Finding{{Check: name, Status: Fail,
			Summary:  "the host keeps conversations from the plugin: nothing is recalled before a turn or captured after it",
			Commands: set(entry+".hooks.allowConversationAccess", true)}}
	}
	if value(p.Host, entry+".hooks.allowPromptInjection") == false {
		return []Finding{{Check: name, Status: Warn, Summary: "the host lets the plugin add nothing to prompts: memories are recalled by tool only",
			Commands: set(entry+".hooks.allowPromptInjection", true)}}
	}
	return []Finding{{Check: name, Status: OK, Summary: "the plugin sees conversations"}}
}

func autoRecall(p *Patient) []Finding {
	const name = "auto-recall"
	if !p.Config.AutoRecall.Enabled {
		return []Finding{{Check: name, Status: Note, Summary: "off: memories are recalled only when the model calls the tool",
			Commands: set(entry+".config.autoRecall", true)}}
	}
	return []Finding{{Check: name, Status: OK, Summary: "on"}}
}

// otherMemory: two memories answer the same questions and capture the same turns.
func otherMemory(p *Patient) []Finding {
	const name = "other memory"
	entries, _ := value(p.Host, "plugins.entries").(map[string]any)
	var others []string
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		e, _ := entries[id].(map[string]any)
		named := strings.Contains(id, "memory") || strings.Contains(id, "mem0")
		if named && id != config.PluginID && id != "memory-core" && e["enabled"] == true {
			others = append(others, id)
		}
	}
	if len(others) == 0 {
		return []Finding{{Check: name, Status: OK, Summary: "no other memory plugin is switched on"}}
	}
	f := Finding{Check: name, Status: Warn, Facts: map[string]any{"plugins": others},
		Summary: "also switched on: " + strings.Join(others, ", ") + "; two memories capture the same turns and both add to prompts"}
	for _, id := range others {
		if plain(id) {
			f.Commands = append(f.Commands, "openclaw plugins disable "+id)
		}
	}
	return []Finding{f}
}

// plain reports whether a word can be pasted into a shell as it is.
func plain(word string) bool {
	return word != "" && word[0] != '-' && !strings.ContainsFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@", r))
	})
}

// dreaming: the host loads memory-core beside the owner of the slot, for a daily
// consolidation of its own files, unless told not to.
func dreaming(p *Patient) []Finding {
	const name = "dreaming"
	denied, _ := value(p.Host, "plugins.deny").([]any)
	allow, _ := value(p.Host, "plugins.allow").([]any)
	off := value(p.Host, "plugins.entries.memory-core.enabled") == false ||
		value(p.Host, entry+".config.dreaming.enabled") == false ||
		slices.Contains(denied, any("memory-core")) ||
		(len(allow) > 0 && !slices.Contains(allow, any("memory-core")))
	if off {
		return []Finding{{Check: name, Status: OK, Summary: "the host's own dreaming is off"}}
	}
	return []Finding{{Check: name, Status: Warn,
		Summary:  "the host loads its memory-core beside us: a daily agent turn that costs tokens, and memory_search tools that do not know our memories",
		Commands: set(entry+".config.dreaming.enabled", false)}}
}

// sessionMemory: two writers of session summaries.
func sessionMemory(p *Patient) []Finding {
	const name = "session memory"
	const theirs = "hooks.internal.entries.session-memory.enabled"
	strategy, _ := value(p.Host, entry+".config.sessionStrategy").(string)
	both := value(p.Host, theirs) == true && strategy != "" && strategy != "none"
	if !both {
		return []Finding{{Check: name, Status: OK, Summary: "sessions are summed up by one at most"}}
	}
	return []Finding{{Check: name, Status: Warn,
		Summary:  fmt.Sprintf("sessions are summed up twice: by the host and by sessionStrategy %q", strategy),
		Commands: set(theirs, false)}}
}

// toolSearch: the memory tools ask to be shown to the model directly; only a
// host that was told to hide everything keeps them behind its search.
func toolSearch(p *Patient) []Finding {
	summary := "the memory tools are shown to the model directly"
	setting, given := p.Host.Get("tools", "toolSearch")
	if given && setting != false {
		return []Finding{{Check: "tool search", Status: Note, Facts: map[string]any{"toolSearch": setting},
			Summary: summary + "; tools of other plugins have to be searched for by the model"}}
	}
	return []Finding{{Check: "tool search", Status: OK, Summary: summary}}
}
