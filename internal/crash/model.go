package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Effect is what an operation does to one row: it is After then, nil for gone.
type Effect struct {
	ID    string `json:"id"`
	After *Row   `json:"after,omitempty"`
}

// Line is one line of the record a child keeps while it works.
type Line struct {
	// Kind is opening, opened, intent, ack, fail, closed.
	Kind   string `json:"kind"`
	Worker int    `json:"worker,omitempty"`
	Step   int    `json:"step,omitempty"`
	// Operation and Effects belong to an intent.
	Operation string   `json:"operation,omitempty"`
	Effects   []Effect `json:"effects,omitempty"`
	Error     string   `json:"error,omitempty"`
}

// The kinds of lines.
const (
	lineOpening = "opening"
	lineOpened  = "opened"
	lineIntent  = "intent"
	lineAck     = "ack"
	lineFail    = "fail"
	lineClosed  = "closed"
)

// step names an operation that was begun.
type step struct{ worker, number int }

// Model is what a store must hold. Operations under way belong to different
// workers, which never touch each other's rows, so each is judged by itself.
type Model struct {
	rows map[string]Row
	open map[step]Line // begun and not acknowledged
	// past holds texts that rows had before, newest last, to be searched in vain.
	past  []string
	acked int
}

func newModel() *Model { return &Model{rows: map[string]Row{}, open: map[step]Line{}} }

// feed reads one line of a child's record. A child reports no failure of an
// operation unless the store is at fault.
func (m *Model) feed(text []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("the child's record has the line %.200q: %w", text, err)
	}
	at := step{l.Worker, l.Step}
	switch l.Kind {
	case lineIntent:
		m.open[at] = l
	case lineAck:
		begun, ok := m.open[at]
		if !ok {
			return l, fmt.Errorf("worker %d: step %d ended but never began", l.Worker, l.Step)
		}
		delete(m.open, at)
		m.apply(begun)
		m.acked++
	case lineFail:
		return l, fmt.Errorf("worker %d, step %d (%s): %s", l.Worker, l.Step, m.open[at].Operation, l.Error)
	}
	return l, nil
}

func (m *Model) apply(l Line) {
	for _, e := range l.Effects {
		if old, ok := m.rows[e.ID]; ok && (e.After == nil || e.After.Text != old.Text) {
			m.past = append(m.past, old.Text)
		}
		if e.After == nil {
			delete(m.rows, e.ID)
		} else {
			m.rows[e.ID] = *e.After
		}
	}
	if n := len(m.past) - 50; n > 0 {
		m.past = slices.Delete(m.past, 0, n)
	}
}

// clone is a copy that can be settled by itself.
func (m *Model) clone() *Model {
	return &Model{rows: maps.Clone(m.rows), open: maps.Clone(m.open), past: slices.Clone(m.past), acked: m.acked}
}

// settled says what became of the operations that were under way.
type settled struct{ applied, absent int }

// settle compares a store's rows with the model. Every acknowledged change must
// be there, every other one wholly or not at all; those that are become part of
// the model, the others are forgotten.
func (m *Model) settle(actual map[string]Row) (s settled, err error) {
	for _, at := range slices.SortedFunc(maps.Keys(m.open), func(a, b step) int { return a.worker - b.worker }) {
		l := m.open[at]
		applied, absent := 0, 0
		for _, e := range l.Effects {
			got, there := actual[e.ID]
			before, was := m.rows[e.ID]
			after := e.After != nil
			if there == after && (!there || got == *e.After) {
				applied++
			}
			if there == was && (!there || got == before) {
				absent++
			}
		}
		switch len(l.Effects) {
		case applied:
			m.apply(l)
			s.applied++
		case absent:
			s.absent++
		default:
			return s, fmt.Errorf("a %s of %d rows by worker %d (step %d) was not acknowledged and is torn: %d rows are as after it, %d as before: %s",
				l.Operation, len(l.Effects), l.Worker, l.Step, applied, absent, m.explain(l, actual))
		}
		delete(m.open, at)
	}
	for id, want := range m.rows {
		got, ok := actual[id]
		if !ok {
			return s, fmt.Errorf("memory %s is lost, though it was acknowledged: %.200q", id, want.Text)
		}
		if got != want {
			return s, fmt.Errorf("memory %s is not as it was acknowledged: %s, want %s", id, brief(got), brief(want))
		}
	}
	for id, got := range actual {
		if _, ok := m.rows[id]; !ok {
			return s, fmt.Errorf("memory %s is there, though it was forgotten or never stored: %s", id, brief(got))
		}
	}
	return s, nil
}

func (m *Model) explain(l Line, actual map[string]Row) string {
	text := ""
	for i, e := range l.Effects {
		if i == 4 {
			return text + " …"
		}
		got, there := actual[e.ID]
		before, was := m.rows[e.ID]
		text += fmt.Sprintf(" [%.8s before %v %s, after %s, is %v %s]", e.ID, was, brief(before), briefPtr(e.After), there, brief(got))
	}
	return text
}

func brief(r Row) string {
	return fmt.Sprintf("{%.30s… importance %.4f time %d points %.12s newer %.8s}", r.Text, r.Importance, r.Time, r.Points, r.Newer)
}

func briefPtr(r *Row) string {
	if r == nil {
		return "gone"
	}
	return brief(*r)
}
