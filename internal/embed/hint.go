package embed

import "strings"

// hints mark a text as a question or as something to be found: by a field of the
// request, or inside the text for models that were trained so.
type hints struct {
	profile
	// instruct wraps questions the way Qwen3's embedding models were trained with.
	instruct bool
	query    string
	passage  string
}

// instruction of questions where none is configured.
const instruction = "Find the notes that answer the question"

func hintsOf(p profile, o Options) hints {
	return hints{
		profile: p, query: o.TaskQuery, passage: o.TaskPassage,
		instruct: p.taskField == "" && strings.Contains(strings.ToLower(o.Model), "qwen3-embedding"),
	}
}

// of is the hint of a kind, "" for none.
func (h hints) of(kind Kind) string {
	given := h.query
	if kind == Passage {
		given = h.passage
	}
	switch {
	case h.instruct && kind == Passage:
		return ""
	case h.instruct && given == "":
		return instruction
	case h.instruct:
		return given
	case h.taskField != "" && given == "":
		return h.taskOf[kind]
	case h.taskField != "" || isPrefix(given):
		return given
	}
	return ""
}

// isPrefix tells "search_query:" and its like from the name of a task, which
// says nothing to a model that has no such field.
func isPrefix(hint string) bool { return strings.HasSuffix(strings.TrimSpace(hint), ":") }

// inText reports whether a hint goes into the text: no task is called so.
func (h hints) inText(hint string) bool { return h.instruct || h.taskOf == nil && isPrefix(hint) }

// field is the hint that goes into the request beside the texts, "" for none.
func (h hints) field(kind Kind) string {
	if hint := h.of(kind); h.taskField != "" && !h.inText(hint) {
		return hint
	}
	return ""
}

// wrap puts the hint into the texts where it belongs there.
func (h hints) wrap(kind Kind, texts []string) []string {
	hint := h.of(kind)
	if hint == "" || !h.inText(hint) {
		return texts
	}
	before := strings.TrimSpace(hint) + " "
	if h.instruct {
		before = "Instruct: " + hint + "\nQuery:"
	}
	wrapped := make([]string, len(texts))
	for i, text := range texts {
		wrapped[i] = before + text
	}
	return wrapped
}

// print names the family in fingerprints.
func (h hints) print() string {
	switch {
	case h.instruct:
		return "qwen"
	case h.profile.print != "":
		return h.profile.print
	}
	return "openai"
}
