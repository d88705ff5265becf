package scope

import (
	"regexp"
	"slices"
)

var (
	agentIDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	sessionAgent   = regexp.MustCompile(`^agent:([^:]+):`)
	onlyDigits     = regexp.MustCompile(`^[0-9]+$`)
)

// Access is what one caller may do.
type Access struct {
	// Agent is the resolved agent id; empty for the operator.
	Agent    string
	filter   Filter
	fallback string
}

// ForCaller resolves an agent's access without configured rules: read and write
// on its own scope and on global, nothing else.
func ForCaller(c Caller) (Access, error) { return Rules{}.ForCaller(c) }

// Operator is the person at the command line: reads every row and writes
// to global unless told otherwise.
func Operator() Access { return Access{filter: Filter{all: true}, fallback: Global} }

// Accessible lists the scopes by name; empty for the operator, who has no list.
func (a Access) Accessible() []string { return a.filter.Names() }

// Filter admits everything the caller may read.
func (a Access) Filter() Filter { return a.filter }

// Read narrows the filter to one requested scope. An empty request means all
// readable ones; an inaccessible one is a *DeniedError.
func (a Access) Read(requested string) (Filter, error) {
	if requested == "" {
		return a.filter, nil
	}
	if !ValidName(requested) || !a.filter.Allows(requested) {
		return Filter{}, &DeniedError{Scope: requested, Accessible: a.Accessible()}
	}
	return Filter{names: []string{requested}}, nil
}

// Write picks the scope a new memory goes to: the requested one if allowed,
// the caller's own when none is requested.
func (a Access) Write(requested string) (string, error) {
	if requested == "" && a.fallback != "" {
		return a.fallback, nil
	}
	if !ValidName(requested) || (!a.filter.all && !slices.Contains(a.filter.names, requested)) {
		return "", &DeniedError{Scope: requested, Accessible: a.Accessible()}
	}
	return requested, nil
}
