package scope

import (
	"slices"
	"strings"
)

// Rules are what the operator has configured about scopes. The zero value is
// the product's own rule: an agent reaches global and its own scope.
type Rules struct {
	// Default is where an agent writes that does not reach its own scope; it
	// has to reach this one. Empty means global.
	Default string
	// Access replaces, for the agents it names, what they reach. Ids are just
	// names here as everywhere; no entry gives more than it lists.
	Access map[string][]string
	// Everyone is added to what each agent reaches.
	Everyone []string
	// OwnOnly confines every agent to its own scope.
	OwnOnly bool
}

// ForCaller resolves what an agent may read and write. The id comes from the
// caller or, when that is blank, from a session key "agent:<id>:…". An id of
// digits alone is a chat id that slipped in, and is refused like a missing one.
func (r Rules) ForCaller(c Caller) (Access, error) {
	id := strings.TrimSpace(c.AgentID)
	if id == "" {
		if m := sessionAgent.FindStringSubmatch(c.SessionKey); m != nil {
			id = m[1]
		}
	}
	if !agentIDPattern.MatchString(id) || onlyDigits.MatchString(id) {
		return Access{}, &NoAgentError{Caller: c}
	}
	names := r.reach(id)
	return Access{Agent: id, filter: Filter{names: names}, fallback: r.home(id, names)}, nil
}

func (r Rules) reach(agent string) []string {
	own := ForAgent(agent)
	if r.OwnOnly {
		return []string{own}
	}
	names, listed := r.Access[agent]
	if !listed {
		names = []string{Global, own}
	}
	var out []string
	for _, name := range slices.Concat(names, r.Everyone) {
		if ValidName(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// home is where an agent writes when it names no scope; "" when it reaches none.
func (r Rules) home(agent string, reached []string) string {
	fallback := r.Default
	if fallback == "" {
		fallback = Global
	}
	for _, name := range []string{ForAgent(agent), fallback} {
		if slices.Contains(reached, name) {
			return name
		}
	}
	if len(reached) > 0 {
		return reached[0]
	}
	return ""
}
