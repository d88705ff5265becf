package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Act is one operation on one row by one client, with the moments at which it
// was called and answered. Together the acts on a row must be as if each had
// happened at one instant between the two.
type Act struct {
	Client int
	Op     string // get, put, set, swap, forget
	ID     string
	// Text is what put, set and swap write, Old what swap expects to find.
	Text, Old string
	// Found is what get found, empty for no row.
	Found string
	// Done is false when the operation changed nothing: put found a row, set and
	// forget found none, swap found another text.
	Done         bool
	Call, Return int64 // nanoseconds of one clock for all processes
}

func (a Act) String() string {
	out := map[bool]string{true: "done", false: "refused"}[a.Done]
	if a.Op == "get" {
		out = fmt.Sprintf("found %q", a.Found)
	}
	return fmt.Sprintf("client %d %d..%d %s %q %q: %s", a.Client, a.Call, a.Return, a.Op, a.Old, a.Text, out)
}

// next is the row after an act that met state, "" for no row; ok is false if the
// act cannot have met it.
func (a Act) next(state string) (after string, ok bool) {
	there := state != ""
	switch a.Op {
	case "get":
		return state, a.Found == state
	case "put":
		if a.Done {
			return a.Text, !there
		}
		return state, there
	case "set":
		if a.Done {
			return a.Text, there
		}
		return state, !there
	case "swap":
		if a.Done {
			return a.Text, there && state == a.Old
		}
		return state, state != a.Old
	case "forget":
		if a.Done {
			return "", there
		}
		return state, !there
	}
	return state, false
}

// linearizable looks for an order of the acts on one row, which has no state at
// first, that explains all answers. The error shows the acts if there is none.
// It is the search of Wing and Gong with the memory of Lowe.
func linearizable(acts []Act) error {
	acts = slices.Clone(acts)
	slices.SortFunc(acts, func(a, b Act) int { return cmp.Compare(a.Call, b.Call) })
	s := &search{acts: acts, placed: make([]byte, len(acts)), seen: map[string]bool{}}
	if s.from("", len(acts)) {
		return nil
	}
	lines := make([]string, len(acts))
	for i, a := range acts {
		lines[i] = a.String()
	}
	return fmt.Errorf("no order of these operations explains their answers:\n%s", strings.Join(lines, "\n"))
}

type search struct {
	acts   []Act
	placed []byte // '1' for acts that have their place
	seen   map[string]bool
}

func (s *search) from(state string, left int) bool {
	if left == 0 {
		return true
	}
	key := string(s.placed) + state
	if s.seen[key] {
		return false
	}
	s.seen[key] = true
	// Whatever comes next was called before any other that is left had returned.
	first := int64(1<<63 - 1)
	for i, a := range s.acts {
		if s.placed[i] == 0 {
			first = min(first, a.Return)
		}
	}
	for i, a := range s.acts {
		if s.placed[i] != 0 {
			continue
		}
		if a.Call > first {
			break
		}
		after, ok := a.next(state)
		if !ok {
			continue
		}
		s.placed[i] = 1
		if s.from(after, left-1) {
			return true
		}
		s.placed[i] = 0
	}
	return false
}
