package protocol

import (
	"encoding/json"
	"fmt"
)

// ParamError is a tool parameter that cannot be used. Its text is for the
// model, which can correct the call.
type ParamError struct {
	Tool, Param string
	// Problem says what was found and what is allowed.
	Problem string
}

func (e *ParamError) Error() string {
	if e.Param == "" {
		return e.Tool + ": " + e.Problem
	}
	return fmt.Sprintf("%s: parameter %q %s", e.Tool, e.Param, e.Problem)
}

// RecallArgs are the checked parameters of memory_recall.
type RecallArgs struct {
	Query    string
	Limit    int
	FullText bool
	MaxChars int
	Scope    string
	Category string
}

// StoreArgs are the checked parameters of memory_store.
type StoreArgs struct {
	Text       string
	Importance float64
	Category   string
	Scope      string
	Force      bool
}

// UpdateArgs are the checked parameters of memory_update.
type UpdateArgs struct {
	// MemoryID wins over Query.
	MemoryID, Query string
	// Text is empty when it stays as it is.
	Text string
	// Importance is nil when it stays as it is.
	Importance *float64
	Category   string
}

// ForgetArgs are the checked parameters of memory_forget.
type ForgetArgs struct {
	// MemoryID wins over Query; both may be empty.
	MemoryID, Query string
	Scope           string
}

// ExplainArgs are the checked parameters of memory_debug and memory_explain_rank.
type ExplainArgs struct {
	Query string
	Limit int
	Scope string
}

// ParseExplain checks what a model sent to one of the two.
func ParseExplain(tool string, raw json.RawMessage) (ExplainArgs, error) {
	p, err := openParams(tool, raw)
	if err != nil {
		return ExplainArgs{}, err
	}
	args := ExplainArgs{Query: p.text("query"), Limit: p.whole("limit", DefaultDebugLimit, 1, MaxLimit), Scope: p.word("scope")}
	p.short("query", args.Query)
	return args, p.err
}

// ParseStats checks what a model sent to memory_stats and returns the scope.
func ParseStats(raw json.RawMessage) (scope string, err error) {
	p, err := openParams(ToolStats, raw)
	if err != nil {
		return "", err
	}
	scope = p.word("scope")
	return scope, p.err
}

// ParseRecall checks what a model sent to memory_recall.
func ParseRecall(raw json.RawMessage) (RecallArgs, error) {
	p, err := openParams(ToolRecall, raw)
	if err != nil {
		return RecallArgs{}, err
	}
	args := RecallArgs{
		Query:    p.text("query"),
		Limit:    p.whole("limit", DefaultLimit, 1, MaxLimit),
		FullText: p.flag("includeFullText"),
		MaxChars: p.whole("maxCharsPerItem", DefaultMaxChars, MinMaxChars, MaxMaxChars),
		Scope:    p.word("scope"),
		Category: p.category(""),
	}
	p.short("query", args.Query)
	return args, p.err
}

// ParseStore checks what a model sent to memory_store.
func ParseStore(raw json.RawMessage) (StoreArgs, error) {
	p, err := openParams(ToolStore, raw)
	if err != nil {
		return StoreArgs{}, err
	}
	args := StoreArgs{
		Text:       p.text("text"),
		Importance: p.number("importance", DefaultImportance, 0, 1),
		Category:   p.category(DefaultCategory),
		Scope:      p.word("scope"),
		Force:      p.flag("force"),
	}
	return args, p.err
}

// ParseUpdate checks what a model sent to memory_update. Models fill in optional
// strings with blanks; those count as left out.
func ParseUpdate(raw json.RawMessage) (UpdateArgs, error) {
	p, err := openParams(ToolUpdate, raw)
	if err != nil {
		return UpdateArgs{}, err
	}
	args := UpdateArgs{
		MemoryID: p.word("memoryId"),
		Query:    p.word("query"),
		Text:     p.optional("text"),
		Category: p.category(""),
	}
	if _, ok := p.get("importance"); ok {
		n := p.number("importance", DefaultImportance, 0, 1)
		args.Importance = &n
	}
	if args.MemoryID == "" && args.Query == "" {
		p.fail("memoryId", "is required; pass the id of a memory, or describe the memory in query to get candidates")
	}
	p.short("memoryId", args.MemoryID)
	p.short("query", args.Query)
	return args, p.err
}

// ParseForget checks what a model sent to memory_forget.
func ParseForget(raw json.RawMessage) (ForgetArgs, error) {
	p, err := openParams(ToolForget, raw)
	if err != nil {
		return ForgetArgs{}, err
	}
	args := ForgetArgs{MemoryID: p.word("memoryId"), Query: p.word("query"), Scope: p.word("scope")}
	p.short("memoryId", args.MemoryID)
	p.short("query", args.Query)
	return args, p.err
}
