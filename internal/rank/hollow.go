package rank

import "slices"

// Hollow reports whether a question has words and none that carries a subject
// ("the", "what is it"). Its words are looked for all the same, for the sake of
// The Who and of "to be or not to be", but that a row holds them says nothing.
func (q Query) Hollow() bool {
	return len(q.terms) > 0 && !slices.ContainsFunc(q.terms, func(t term) bool { return !t.function })
}

// Missing are the identifiers of the question that are not among the words held.
func (q Query) Missing(held Held) []string {
	var out []string
	for i, t := range q.terms {
		if t.identifier && held&(1<<i) == 0 {
			out = append(out, t.written)
		}
	}
	return out
}
