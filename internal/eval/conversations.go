package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
)

// conversation is a set in the LoCoMo shape.
type conversation struct {
	ID    string `json:"id"`
	Turns []struct {
		ID, Speaker, Text, Caption string
	} `json:"turns"`
	Queries []struct {
		Q        string   `json:"q"`
		Category int      `json:"category"`
		Evidence []string `json:"evidence"`
	} `json:"queries"`
}

var categories = []string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

// depths are the numbers of hits looked at; the last is what is asked for.
var depths = []int{5, 10, 20}

// outcome of one question.
type outcome struct {
	category   int
	recall     []float64 // by depth
	reciprocal float64
	found      int
}

// conversations asks each question against its conversation alone, one memory a turn.
func conversations(ctx context.Context, out io.Writer, model *embed.Local, path string, tunings []tuning, only int) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the conversations: %w; DATA names a file", err)
	}
	var set struct{ Conversations []conversation }
	if err := json.Unmarshal(raw, &set); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	list := set.Conversations
	if only > 0 {
		list = list[:min(only, len(list))]
	}
	all := make([][]outcome, len(tunings))
	for _, c := range list {
		begun := time.Now()
		if err := converse(ctx, model, c, tunings, all); err != nil {
			return fmt.Errorf("conversation %s: %w", c.ID, err)
		}
		fmt.Fprintf(out, "== conversation %s: %d turns, %d questions (%.0f s)\n", c.ID, len(c.Turns), len(c.Queries), time.Since(begun).Seconds())
	}
	for i, t := range tunings {
		fmt.Fprintf(out, "== evidence recall, %s\n", t)
		report(out, all[i])
	}
	return nil
}

func converse(ctx context.Context, model *embed.Local, c conversation, tunings []tuning, all [][]outcome) error {
	texts, place := []string{}, map[string]int{}
	for i, turn := range c.Turns {
		text := turn.Speaker + ": " + turn.Text
		if turn.Caption != "" {
			text += " [shares " + turn.Caption + "]"
		}
		texts, place[turn.ID] = append(texts, text), i
	}
	stored, err := fill(ctx, model, texts)
	defer stored.remove()
	if err != nil {
		return err
	}
	for i, t := range tunings {
		e, err := stored.open(model, t)
		if err != nil {
			return err
		}
		for _, q := range c.Queries {
			var found []int
			if found, err = stored.ask(ctx, e, q.Q, depths[len(depths)-1]); err != nil {
				break
			}
			var wanted []int
			for _, id := range q.Evidence {
				if p, ok := place[id]; ok {
					wanted = append(wanted, p)
				}
			}
			if len(wanted) > 0 {
				all[i] = append(all[i], judge(q.Category, found, wanted))
			}
		}
		if closed := e.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func judge(category int, found, wanted []int) outcome {
	o := outcome{category: category, found: len(found)}
	for _, depth := range depths {
		n := 0
		for _, w := range wanted {
			if slices.Contains(found[:min(depth, len(found))], w) {
				n++
			}
		}
		o.recall = append(o.recall, float64(n)/float64(len(wanted)))
	}
	for i, f := range found {
		if slices.Contains(wanted, f) {
			o.reciprocal = 1 / float64(i+1)
			break
		}
	}
	return o
}

func report(out io.Writer, all []outcome) {
	fmt.Fprintf(out, "%-12s %6s %6s %6s %6s %6s %6s   recall@5 in 95%% of resamplings\n", "", "asked", "r@5", "r@10", "r@20", "MRR", "hits")
	print := func(name string, list []outcome) {
		low, high := resampled(list)
		fmt.Fprintf(out, "%-12s %6d %6.3f %6.3f %6.3f %6.3f %6.1f   %.3f to %.3f\n", name, len(list),
			mean(list, func(o outcome) float64 { return o.recall[0] }), mean(list, func(o outcome) float64 { return o.recall[1] }),
			mean(list, func(o outcome) float64 { return o.recall[2] }), mean(list, func(o outcome) float64 { return o.reciprocal }),
			mean(list, func(o outcome) float64 { return float64(o.found) }), low, high)
	}
	for category, name := range categories {
		var list []outcome
		for _, o := range all {
			if o.category == category {
				list = append(list, o)
			}
		}
		if len(list) > 0 {
			print(name, list)
		}
	}
	print("all", all)
}

func mean(list []outcome, of func(outcome) float64) (sum float64) {
	for _, o := range list {
		sum += of(o) / float64(len(list))
	}
	return sum
}

// resampled is a bootstrap interval of recall at the first depth.
func resampled(list []outcome) (low, high float64) {
	random := rand.New(rand.NewPCG(1, 2)) // the same interval at each run
	means := make([]float64, 1000)
	for i := range means {
		for range list {
			means[i] += list[random.IntN(len(list))].recall[0] / float64(len(list))
		}
	}
	slices.Sort(means)
	at := func(share float64) float64 { return means[int(math.Round(share*float64(len(means)-1)))] }
	return at(0.025), at(0.975)
}
