// Package scope decides who may read and write what. A Caller (an agent, or the
// operator at the command line) becomes an Access, and an Access yields a
// Filter: the only thing store and retrieve accept, so that a read without a
// decision about scopes cannot be written.
//
// Caveats: the zero Filter matches nothing. There are no ids with special
// powers; an agent called "system" sees what any agent sees.
package scope

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Global is the scope every agent reads.
const Global = "global"

var namePattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,100}$`)

// ValidName reports whether s is a well-formed scope name.
func ValidName(s string) bool { return namePattern.MatchString(s) }

// ForAgent names the private scope of an agent.
func ForAgent(agentID string) string { return "agent:" + agentID }

// Filter says which scopes a read may touch. Make one from an Access.
type Filter struct {
	all   bool
	names []string
}

// All reports whether every row is readable, also rows without a scope.
// Only the operator has such a filter.
func (f Filter) All() bool { return f.all }

// Names lists the readable scopes; empty with All false means none.
func (f Filter) Names() []string { return slices.Clone(f.names) }

// Allows reports whether rows of the scope may be read.
func (f Filter) Allows(name string) bool { return f.all || slices.Contains(f.names, name) }

// Only narrows the filter to one scope; it admits nothing if that is out of reach.
func (f Filter) Only(name string) Filter {
	if !f.Allows(name) {
		return Filter{}
	}
	return Filter{names: []string{name}}
}

// Caller is who asks, as the host describes it.
type Caller struct {
	AgentID    string
	SessionKey string
}

// NoAgentError says that a call could not be tied to an agent. The call is
// refused: guessing one would show its memories to a stranger.
type NoAgentError struct{ Caller Caller }

func (e *NoAgentError) Error() string {
	return fmt.Sprintf("the host named no usable agent (agent id %.100q, session key %.100q): memory is kept per agent, so the call is refused; pass agentId or a session key of the form agent:<id>:…",
		e.Caller.AgentID, e.Caller.SessionKey)
}

// DeniedError says that a scope is outside the caller's reach.
type DeniedError struct {
	Scope      string
	Accessible []string
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("access denied to scope %.100q; accessible scopes: %s", e.Scope, strings.Join(e.Accessible, ", "))
}
