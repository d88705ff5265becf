package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// conversation is one of a set in the LoCoMo shape.
type conversation struct {
	ID    string `json:"id"`
	Turns []struct {
		ID, Speaker, Text, Caption, Date string
	} `json:"turns"`
	Queries []query `json:"queries"`
}

type query struct {
	Q        string   `json:"q"`
	Category int      `json:"category"`
	Evidence []string `json:"evidence"`
}

func loadConversations(path string) ([]conversation, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the conversations: %w; DATA names a file", err)
	}
	var set struct{ Conversations []conversation }
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(set.Conversations) == 0 {
		return nil, fmt.Errorf("%s holds no conversations", path)
	}
	return set.Conversations, nil
}

// statements are the turns, one memory each. Turns of one date are a session.
func (c conversation) statements() (list []statement, place map[string]int) {
	place = map[string]int{}
	for i, t := range c.Turns {
		text := t.Speaker + ": " + t.Text
		if t.Caption != "" {
			text += " [shares " + t.Caption + "]"
		}
		list = append(list, statement{text, c.ID + " " + t.Date})
		place[t.ID] = i
	}
	return list, place
}

// strangersAsked is how many questions about other conversations each is asked.
const strangersAsked = 100

// conversations asks each question against its conversation alone, and questions
// about the others.
func conversations(ctx context.Context, out io.Writer, model *embed.Local, list []conversation, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all := map[way][]outcome{}
	var own, foreign share
	for i, c := range list {
		begun := time.Now()
		if err := converse(ctx, model, c, strangersTo(list, i), all, &own, &foreign); err != nil {
			return fmt.Errorf("conversation %s: %w", c.ID, err)
		}
		fmt.Fprintf(out, "== conversation %s: %d turns, %d questions (%.0f s)\n", c.ID, len(c.Turns), len(c.Queries), time.Since(begun).Seconds())
	}
	for _, w := range []way{keywordOnly, vectorOnly, hybrid} {
		if err := write(filepath.Join(dir, strings.ReplaceAll(w.String(), " ", "-")+".jsonl"), all[w]); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(dir, "injections.jsonl"), append(slices.Clone(own.asked), foreign.asked...)); err != nil {
		return err
	}
	report(out, all)
	own.print(out, "questions about the conversation itself", "get memories before the turn", true)
	foreign.print(out, "questions about other conversations", "get none", false)
	fmt.Fprintf(out, "what came of each question: %s\n", dir)
	fmt.Fprintf(out, "hybrid recall@5 = %.3f\n", mean(all[hybrid], outcome.at5))
	return nil
}

// strangersTo draws questions about other conversations than the i-th, the same
// ones at each run.
func strangersTo(list []conversation, i int) (questions []string) {
	for k, c := range list {
		for _, q := range c.Queries {
			if k != i {
				questions = append(questions, q.Q)
			}
		}
	}
	random := rand.New(rand.NewPCG(uint64(i), 2))
	random.Shuffle(len(questions), func(a, b int) { questions[a], questions[b] = questions[b], questions[a] })
	return questions[:min(strangersAsked, len(questions))]
}

func converse(ctx context.Context, model *embed.Local, c conversation, strangers []string, all map[way][]outcome, own, foreign *share) error {
	list, place := c.statements()
	stored, err := fill(ctx, model, list)
	defer stored.remove()
	if err != nil {
		return err
	}
	for _, w := range []way{keywordOnly, vectorOnly, hybrid} {
		err := stored.with(model, w, func(e *engine.Engine) error {
			for _, q := range c.Queries {
				wanted := placesOf(q.Evidence, place)
				if len(wanted) == 0 {
					continue
				}
				found, err := stored.ask(ctx, e, q.Q, depths[len(depths)-1])
				if err != nil {
					return err
				}
				all[w] = append(all[w], judge(c, q, found, wanted))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return stored.with(model, hybrid, func(e *engine.Engine) error {
		for _, q := range c.Queries {
			if err := own.ask(ctx, stored, e, c.ID, q.Q, true); err != nil {
				return err
			}
		}
		for _, q := range strangers {
			if err := foreign.ask(ctx, stored, e, c.ID, q, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// placesOf leaves out evidence that is not in the conversation.
func placesOf(ids []string, place map[string]int) (places []int) {
	for _, id := range ids {
		if p, ok := place[id]; ok && !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places
}

// share counts turns that get memories.
type share struct{ asked []injection }

// injection is what came of one turn.
type injection struct {
	Conversation string `json:"conversation"`
	Question     string `json:"question"`
	Own          bool   `json:"own"`
	Injected     int    `json:"injected"` // memories
}

func (s *share) ask(ctx context.Context, c corpus, e *engine.Engine, id, question string, own bool) error {
	injected, err := c.injects(ctx, e, question)
	if err != nil {
		return fmt.Errorf("a turn that begins with %q: %w", question, err)
	}
	s.asked = append(s.asked, injection{id, question, own, injected})
	return nil
}

// print tells the share of turns that got memories, or of those that got none, and
// the lowest of a conversation.
func (s share) print(out io.Writer, what, came string, injected bool) {
	count := func(id string) (n, all int) {
		for _, a := range s.asked {
			if id == "" || a.Conversation == id {
				all++
				if (a.Injected > 0) == injected {
					n++
				}
			}
		}
		return n, all
	}
	lowest := 1.0
	for _, a := range s.asked {
		n, all := count(a.Conversation)
		lowest = min(lowest, float64(n)/float64(all))
	}
	n, of := count("")
	memories := 0
	for _, a := range s.asked {
		memories += a.Injected
	}
	fmt.Fprintf(out, "%d of %d %s %s (%.3f, lowest of a conversation %.3f), %.2f memories each\n", n, of, what, came,
		float64(n)/float64(max(of, 1)), lowest, float64(memories)/float64(max(of, 1)))
}

// write puts a list into a file, a line each.
func write[T any](path string, list []T) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, item := range list {
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
