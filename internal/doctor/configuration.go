package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
)

// configuration: what was read, what of it cannot be used, and what the
// operator should know about the rest.
func configuration(_ context.Context, p *Patient) []Finding {
	const name = "configuration"
	const next = "correct it in openclaw.json, under plugins.entries." + config.PluginID + ".config"
	if config.Fatal(p.ConfigError) {
		return []Finding{{Check: name, Status: Fail, Summary: p.ConfigError.Error(), Next: next}}
	}
	var found []Finding
	var problems *config.Error
	if errors.As(p.ConfigError, &problems) {
		for _, problem := range problems.Problems {
			found = append(found, Finding{Check: name, Status: Fail, Summary: problem.Error(), Next: next})
		}
	}
	unbuilt := config.NotBuilt(p.Config)
	for _, notice := range p.Config.Notices {
		if len(unbuilt) > 0 && strings.HasSuffix(notice, strings.Join(unbuilt, ", ")) {
			continue // below, with its facts
		}
		found = append(found, Finding{Check: name, Status: Note, Summary: notice})
	}
	if len(unbuilt) > 0 {
		found = append(found, Finding{Check: name, Status: Note,
			Summary: "accepted, but this version does not have the feature yet: " + strings.Join(unbuilt, ", "),
			Next:    "nothing to do; the keys take effect when their feature arrives",
			Facts:   map[string]any{"notBuilt": unbuilt}})
	}
	summary := "read from " + p.Origin
	if p.Origin == "defaults" {
		summary = "no openclaw.json with an entry of the plugin; the defaults are used"
	}
	status := OK
	if problems != nil {
		status = Note
		summary += fmt.Sprintf("; %d of its settings cannot be used", len(problems.Problems))
	}
	return append([]Finding{{Check: name, Status: status, Summary: summary, Facts: map[string]any{"origin": p.Origin}}}, found...)
}
