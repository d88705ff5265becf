package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
)

var categories = []string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

// depths are the numbers of hits looked at; the last is what is asked for.
var depths = []int{5, 10, 20}

// outcome of one question.
type outcome struct {
	Conversation string    `json:"conversation"`
	Question     string    `json:"question"`
	Category     int       `json:"category"`
	Recall       []float64 `json:"recall"` // by depth
	Reciprocal   float64   `json:"reciprocalRank"`
	Wanted       []string  `json:"wanted"` // ids of turns
	Found        []string  `json:"found"`  // best first
}

func (o outcome) at5() float64  { return o.Recall[0] }
func (o outcome) at10() float64 { return o.Recall[1] }
func (o outcome) at20() float64 { return o.Recall[2] }
func (o outcome) mrr() float64  { return o.Reciprocal }

func judge(c conversation, q query, found, wanted []int) outcome {
	o := outcome{Conversation: c.ID, Question: q.Q, Category: q.Category}
	for _, depth := range depths {
		n := 0
		for _, w := range wanted {
			if slices.Contains(found[:min(depth, len(found))], w) {
				n++
			}
		}
		o.Recall = append(o.Recall, float64(n)/float64(len(wanted)))
	}
	for i, f := range found {
		if slices.Contains(wanted, f) {
			o.Reciprocal = 1 / float64(i+1)
			break
		}
	}
	for _, f := range found {
		o.Found = append(o.Found, c.Turns[f].ID)
	}
	for _, w := range wanted {
		o.Wanted = append(o.Wanted, c.Turns[w].ID)
	}
	return o
}

// report prints a line for each way of searching, then hybrid search by category
// and by conversation.
func report(out io.Writer, all map[way][]outcome) {
	fmt.Fprintf(out, "== evidence recall, at turns; in brackets recall@5 in 95%% of resamplings\n")
	fmt.Fprintf(out, "%-14s %6s %9s %9s %9s %7s\n", "", "asked", "recall@5", "recall@10", "recall@20", "MRR")
	for _, w := range []way{keywordOnly, vectorOnly, hybrid} {
		line(out, w.String(), all[w])
	}
	fmt.Fprintln(out, "hybrid, by kind of question and by conversation:")
	group(out, all[hybrid], func(o outcome) string {
		if o.Category > 0 && o.Category < len(categories) {
			return categories[o.Category]
		}
		return fmt.Sprintf("category %d", o.Category)
	})
	group(out, all[hybrid], func(o outcome) string { return o.Conversation })
}

func group(out io.Writer, list []outcome, key func(outcome) string) {
	by, names := map[string][]outcome{}, []string{}
	for _, o := range list {
		k := key(o)
		if by[k] == nil {
			names = append(names, k)
		}
		by[k] = append(by[k], o)
	}
	slices.Sort(names)
	for _, name := range names {
		line(out, name, by[name])
	}
}

func line(out io.Writer, name string, list []outcome) {
	low, high := resampled(list)
	fmt.Fprintf(out, "%-14s %6d %9.3f %9.3f %9.3f %7.3f   [%.3f, %.3f]\n", name, len(list),
		mean(list, outcome.at5), mean(list, outcome.at10), mean(list, outcome.at20), mean(list, outcome.mrr), low, high)
}

func mean(list []outcome, of func(outcome) float64) (sum float64) {
	for _, o := range list {
		sum += of(o) / float64(len(list))
	}
	return sum
}

// resampled is a bootstrap interval of recall at the first depth.
func resampled(list []outcome) (low, high float64) {
	if len(list) == 0 {
		return 0, 0
	}
	random := rand.New(rand.NewPCG(1, 2)) // the same interval at each run
	means := make([]float64, 1000)
	for i := range means {
		for range list {
			means[i] += list[random.IntN(len(list))].at5() / float64(len(list))
		}
	}
	slices.Sort(means)
	at := func(share float64) float64 { return means[int(math.Round(share*float64(len(means)-1)))] }
	return at(0.025), at(0.975)
}
