package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
)

// onTrial are the blocks of settings that decide a ranking.
var onTrial = []string{"retrieval.", "decay.", "tier."}

// otherSettings is the configuration with some values replaced. used spells the
// replacements as they came out: a number out of its bounds becomes the nearest.
func otherSettings(loaded config.Loaded, sets []string) (c config.Config, used []string, err error) {
	given := map[string]any{}
	if len(loaded.Raw) > 0 {
		if err := json.Unmarshal(loaded.Raw, &given); err != nil {
			return c, nil, fmt.Errorf("%s: %w", loaded.Origin, err)
		}
	}
	var keys []string
	for _, set := range sets {
		key, value, ok := strings.Cut(set, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		known := slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return k.Path == key && k.Built })
		searches := slices.ContainsFunc(onTrial, func(block string) bool { return strings.HasPrefix(key, block) })
		switch {
		case !ok || value == "":
			return c, nil, &engine.BadInputError{Problem: fmt.Sprintf("--set %s: write key=value, for example retrieval.vectorWeight=0.5", set)}
		case !searches:
			return c, nil, &engine.BadInputError{Problem: fmt.Sprintf("--set %s: only settings of search and ageing can be tried, those that begin with retrieval., decay. or tier.", key)}
		case !known:
			return c, nil, &engine.BadInputError{Problem: fmt.Sprintf("--set %s: there is no such setting; docs/configuration.md lists them", key)}
		}
		put(given, strings.Split(key, "."), valueOf(value))
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return c, nil, err
	}
	loaded.Raw = raw
	if c, err = loaded.Parse(); err != nil {
		return c, nil, err
	}
	settings, err := loaded.Effective()
	for _, key := range keys {
		for _, s := range settings {
			if s.Key.Path == key {
				used = append(used, key+"="+spelled(s.Value))
			}
		}
	}
	return c, used, err
}

// spelled writes a value as it is given to --set.
func spelled(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// valueOf reads a value as JSON, and what is none as text.
func valueOf(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		return v
	}
	return text
}

// put sets a value at a path, making the objects on the way.
func put(object map[string]any, path []string, value any) {
	for ; len(path) > 1; path = path[1:] {
		next, ok := object[path[0]].(map[string]any)
		if !ok {
			next = map[string]any{}
			object[path[0]] = next
		}
		object = next
	}
	object[path[0]] = value
}

// askedBy says who asked, and how.
func askedBy(e recalls.Entry) string {
	by := cmp.Or(e.Source, "recall")
	if e.Agent != "" {
		by += " of " + e.Agent
	}
	return by
}

// cameTo says in a few words what came of a recall.
func cameTo(e recalls.Entry) string {
	if e.Failed != "" {
		return "failed: " + e.Failed
	}
	return fmt.Sprintf("%d found in %.1f ms", len(e.Hits), float64(e.Took.Microseconds())/1000)
}

func recordedOf(n int, e recalls.Entry) recordedJSON {
	j := recordedJSON{
		Number: n, ID: e.ID, At: millis(e.At), Source: e.Source, Agent: e.Agent, Query: e.Query, Mode: e.Mode, Failed: e.Failed,
		TookMs: float64(e.Took.Microseconds()) / 1000, Settings: e.Config, Version: e.Version, Hits: []hit{}, Drops: e.Drops,
	}
	for _, h := range e.Hits {
		j.Hits = append(j.Hits, hit(h))
	}
	return j
}

// replayJSON compares a recall with itself. Places count from 1; 0 is not in the list.
type replayJSON struct {
	Recall          recordedJSON `json:"recall"`
	TableChanged    bool         `json:"tableChanged"`
	SettingsChanged bool         `json:"settingsChanged"`
	With            []string     `json:"with"`
	Moves           []moveJSON   `json:"moves"`
}

type moveJSON struct {
	ID   string `json:"id"`
	Text string `json:"text,omitempty"`
	Then place  `json:"then"`
	Now  place  `json:"now"`
	With *place `json:"with,omitempty"`
	// Change is same, up, down, entered or left.
	Change string `json:"change"`
	Lost   string `json:"lost,omitempty"`
}

type place struct {
	Place int     `json:"place"`
	Score float64 `json:"score"`
}

func replayOf(a engine.ReplayAnswer, used []string) replayJSON {
	j := replayJSON{
		Recall: recordedOf(a.Number, a.Entry), TableChanged: a.TableChanged, SettingsChanged: a.SettingsChanged,
		With: append([]string{}, used...), Moves: []moveJSON{},
	}
	for _, m := range a.Moves {
		one := moveJSON{
			ID: m.ID, Then: place{m.Then, m.ThenScore}, Now: place{m.Now, m.NowScore}, Lost: string(m.Lost),
		}
		one.Change, _ = changeOf(a, m)
		if m.Memory != nil {
			one.Text = m.Memory.Text
		}
		if a.With != nil {
			one.With = &place{m.With, m.WithScore}
		}
		j.Moves = append(j.Moves, one)
	}
	return j
}

// changeOf compares the last list with the one before it.
func changeOf(a engine.ReplayAnswer, m engine.Move) (kind string, by int) {
	before, after := m.Then, m.Now
	if a.With != nil {
		before, after = m.Now, m.With
	}
	switch {
	case before == after:
		return "same", 0
	case before == 0:
		return "entered", 0
	case after == 0:
		return "left", 0
	case after < before:
		return "up", before - after
	}
	return "down", after - before
}

// printMoves shows the lists beside each other.
func (a *app) printMoves(s screen, answer engine.ReplayAnswer) {
	columns := []column{{title: "THEN", right: true}, {title: "NOW", right: true}}
	if answer.With != nil {
		columns = append(columns, column{title: "WITH", right: true, style: bold})
	}
	scored := "SCORE NOW"
	if answer.With != nil {
		scored = "SCORE WITH"
	}
	columns = append(columns, column{title: "CHANGE"}, column{title: scored, style: dim}, column{title: "ID", style: dim}, column{title: "TEXT"})
	var rows [][]string
	for _, m := range answer.Moves {
		row := []string{placeText(m.Then), placeText(m.Now)}
		value := m.NowScore
		if answer.With != nil {
			row = append(row, placeText(m.With))
			value = m.WithScore
		}
		kind, by := changeOf(answer, m)
		switch {
		case by > 0:
			kind = fmt.Sprintf("%s %d", kind, by)
		case m.Lost != "":
			kind = "left: " + string(m.Lost)
		}
		text := "(gone)"
		if m.Memory != nil {
			text = m.Memory.Text
		}
		shown := "-"
		if value > 0 {
			shown = fmt.Sprintf("%.3f", value)
		}
		rows = append(rows, append(row, kind, shown, shortID(m.ID), engine.Shorten(text, shownChars)))
	}
	if s.width == 0 {
		s.width = 160 // into a file: the same table, wide enough
	}
	a.table(s, columns, rows)
}

func placeText(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
