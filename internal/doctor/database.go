package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// database: is it there, can it be read and written, is anything odd about it?
func database(ctx context.Context, p *Patient) []Finding {
	const name = "database"
	if p.Engine == nil {
		return unseen(name)
	}
	x, err := p.Engine.ExamineInside(ctx)
	f := Finding{Check: name, Status: OK, Facts: map[string]any{"path": p.Config.DBPath}}
	switch {
	case err != nil:
		f.Status, f.Summary = Fail, err.Error()
		return append([]Finding{f}, besides(x)...)
	case len(x.Damage) > 0:
		f.Status, f.Summary = Fail, fmt.Sprintf("files of the database in %s are damaged, see below", p.Config.DBPath)
		return append([]Finding{f}, besides(x)...)
	case x.Writable != nil:
		f.Status, f.Summary = Fail, x.Writable.Error()
		if !x.Made {
			return []Finding{f}
		}
	case !x.Made:
		f.Status, f.Summary = Note, fmt.Sprintf("there is none in %s yet; the first memory makes it", p.Config.DBPath)
		return append([]Finding{f}, besides(x)...)
	default:
		f.Summary = fmt.Sprintf("%d %s in %s", x.Rows, memories(x.Rows), p.Config.DBPath)
		if x.Files > 0 {
			f.Summary += fmt.Sprintf(" (%s in %d files)", size(x.Bytes), x.Files)
		}
	}
	f.Facts["rows"], f.Facts["version"], f.Facts["dimensions"] = x.Rows, x.Version, x.Width
	f.Facts["files"], f.Facts["bytes"] = x.Files, x.Bytes
	found := append([]Finding{f}, oddities(x)...)
	return append(append(found, textIndex(x), vectors(p, x)), besides(x)...)
}

// besides is what can be said whether or not the table can be read.
func besides(x store.Examination) []Finding {
	found := filesFindings(x)
	if x.Journal.Present {
		found = append(found, recordFinding(x.Journal))
	} else if x.Journal.Gone {
		found = append(found, Finding{Check: "journal", Status: Warn, Commands: []string{"memory-pro backup now"},
			Summary: "the record of changes (.memory-pro.journal) is gone; with it went the history of the memories, undo, and what repairs the table after a power cut",
			Next:    "put the directory back from a copy if there is one; otherwise make a backup now, the next change begins a new record"})
	}
	return found
}

// size writes bytes as people read them.
func size(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1_000_000:
		return fmt.Sprintf("%.0f kB", float64(bytes)/1e3)
	case bytes < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

func memories(n int64) string {
	if n == 1 {
		return "memory"
	}
	return "memories"
}

func oddities(x store.Examination) (found []Finding) {
	note := func(status Status, facts map[string]any, next, format string, args ...any) {
		found = append(found, Finding{Check: "database", Status: status, Summary: fmt.Sprintf(format, args...), Next: next, Facts: facts})
	}
	if len(x.Early) > 0 {
		note(Note, map[string]any{"missingColumns": x.Early}, "nothing to do; the next use adds them",
			"the table comes from an early version and lacks the columns %s", strings.Join(x.Early, ", "))
	}
	if len(x.Extra) > 0 {
		note(Note, map[string]any{"extraColumns": x.Extra}, "", "the table has columns of another program, which are kept: %s", strings.Join(x.Extra, ", "))
	}
	if x.IntegerTimes {
		note(Note, nil, "", "times are kept as whole numbers, as some versions of the TypeScript plugin did; both forms work")
	}
	if x.Unscoped > 0 {
		note(Warn, map[string]any{"rows": x.Unscoped}, "look at them, and put them into a scope with --apply",
			"%d %s in no scope, so no agent finds them", x.Unscoped, plural(x.Unscoped, "memory is", "memories are"))
		found[len(found)-1].Commands = []string{"memory-pro repair-scopes"}
	}
	return found
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func textIndex(x store.Examination) Finding {
	f := Finding{Check: "text index", Status: OK, Facts: map[string]any{
		"present": x.Text.Present, "tokenizer": x.Text.Tokenizer, "indexedRows": x.Text.Indexed, "unindexedRows": x.Text.Unindexed}}
	switch {
	case !x.Text.Present:
		f.Status, f.Summary, f.Next = Warn, "there is none, so words are not found", "the next use of the database builds it"
	case x.Text.Tokenizer != "icu":
		f.Status, f.Summary = Note, fmt.Sprintf("made by another program (tokenizer %q), without Chinese, Japanese and Korean words", x.Text.Tokenizer)
		f.Next = "the next use of the database builds it anew"
	case x.Text.Unindexed > 0:
		f.Summary = fmt.Sprintf("%d rows, and %d more searched without it until maintenance adds them", x.Text.Indexed, x.Text.Unindexed)
	default:
		f.Summary = fmt.Sprintf("%d rows", x.Text.Indexed)
	}
	return f
}

// vectors: do the table's vectors and the model's belong together?
func vectors(p *Patient, x store.Examination) Finding {
	return vectorsFinding(x, p.Engine.EmbeddingModel())
}

func vectorsFinding(x store.Examination, model engine.EmbeddingModel) Finding {
	f := Finding{Check: "vectors", Status: OK, Facts: map[string]any{"pending": x.Pending, "dimensions": x.Width}}
	vectors := x.Rows - x.Pending
	reembed := func(format string, args ...any) Finding {
		f.Status, f.Summary = Fail, fmt.Sprintf(format, args...)+"; they are not compared, memories are found by keywords alone"
		f.Next = "embed them anew, or configure the model that wrote them"
		if x.Reembedded > 0 {
			f.Facts["reembedded"] = x.Reembedded
			f.Next = fmt.Sprintf("go on with embedding them anew, which has done %d and did not come to its end, or configure the model that wrote them", x.Reembedded)
		}
		f.Commands = []string{"memory-pro reembed"}
		return f
	}
	f.Facts["fingerprint"] = x.Fingerprint
	switch {
	case model.Width == 0 || vectors == 0:
		f.Summary = fmt.Sprintf("%d of %d rows have one", vectors, x.Rows)
	case model.Width != x.Width:
		return reembed("the database holds vectors of %d numbers, the configured model gives %d", x.Width, model.Width)
	case x.Fingerprint == store.UnknownModel && model.Fingerprint != "":
		return reembed("the vectors are of a time before a re-embed, since the table was damaged and put back")
	case x.Fingerprint != "" && model.Fingerprint != "" && x.Fingerprint != model.Fingerprint:
		f.Facts["configured"] = model.Fingerprint
		return reembed("the vectors were written with %s, the configured model is %s", x.Fingerprint, model.Fingerprint)
	case x.Fingerprint == "" && model.Fingerprint != "" && !model.Named:
		return reembed("the vectors were written by a program that did not note its model")
	default:
		f.Summary = fmt.Sprintf("%d of %d rows have one, of the configured model", vectors, x.Rows)
	}
	if x.Pending > 0 {
		f.Status = Note
		f.Summary += fmt.Sprintf("; %d %s found by keywords until ", x.Pending, plural(x.Pending, "is", "are"))
		if model.Width == 0 {
			f.Summary += "there is a model"
		} else {
			f.Summary += "the gateway fills them in"
		}
		for _, r := range x.Refused {
			f.Summary += fmt.Sprintf("; %s gets none as it is: %s", r.ID, r.Why)
		}
		if len(x.Refused) > 0 {
			f.Next = "change what these memories say, or what the provider takes"
		}
	}
	return f
}
