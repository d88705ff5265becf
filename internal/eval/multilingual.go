package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
)

// languages of the set, in the order they are printed.
var languages = []string{"en", "zh", "ja", "ko", "de", "fr", "es"}

// entry is one fact and its question, by language.
type entry map[string][2]string

func loadMultilingual(path string) ([]entry, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var set []entry
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// hits counts questions answered: right fact first, among three, asked, how many
// bring memories before a turn that begins with them, and how many memories.
type hits struct{ first, three, asked, injected, memories int }

func (h hits) at1() float64  { return float64(h.first) / float64(max(h.asked, 1)) }
func (h hits) at3() float64  { return float64(h.three) / float64(max(h.asked, 1)) }
func (h hits) got() float64  { return float64(h.injected) / float64(max(h.asked, 1)) }
func (h hits) each() float64 { return float64(h.memories) / float64(max(h.asked, 1)) }

// strangers are questions about things that are not in the set, by language.
type strangers map[string][]string

// loadStrangers takes the questions of the calibration.
func loadStrangers(path string) (strangers, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := strangers{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	for {
		var p struct{ Kind, Lang, A string }
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case p.Kind == "question":
			all[p.Lang] = append(all[p.Lang], p.A)
		}
	}
}

// results are by language, and for questions in one to facts in another. Noise
// counts what is found for strangers, of three asked for; unmoved how many of
// them bring nothing before a turn.
type results struct {
	same                      map[string]*hits
	fromEnglish, intoEnglish  hits
	strangers, noise, unmoved int
}

// mean of the languages.
func (r results) mean(of func(hits) float64) (sum float64) {
	for _, h := range r.same {
		sum += of(*h) / float64(len(r.same))
	}
	return sum
}

func (r results) print(out io.Writer) {
	fmt.Fprintf(out, "%8s", "")
	for _, lang := range languages {
		fmt.Fprintf(out, "%7s", lang)
	}
	fmt.Fprintf(out, "%7s%9s%9s\n", "mean", "en to x", "x to en")
	for _, row := range []struct {
		name string
		of   func(hits) float64
	}{{"hit@1", hits.at1}, {"hit@3", hits.at3}, {"injected", hits.got}, {"memories", hits.each}} {
		fmt.Fprintf(out, "%8s", row.name)
		for _, lang := range languages {
			fmt.Fprintf(out, "%7.2f", row.of(*r.same[lang]))
		}
		fmt.Fprintf(out, "%7.3f%9.3f%9.3f\n", r.mean(row.of), row.of(r.fromEnglish), row.of(r.intoEnglish))
	}
	of := float64(max(r.strangers, 1))
	fmt.Fprintf(out, "%d questions about what is not there find %.2f of 3 memories each, and %d of them bring none before a turn (%.3f)\n",
		r.strangers, float64(r.noise)/of, r.unmoved, float64(r.unmoved)/of)
}

// multilingual asks every question of every language.
func multilingual(ctx context.Context, model *embed.Local, set []entry, foreign strangers) (results, error) {
	r := results{same: map[string]*hits{}}
	for _, facts := range languages {
		r.same[facts] = &hits{}
		var texts []statement
		for _, e := range set {
			texts = append(texts, statement{text: e[facts][0]})
		}
		err := func() error {
			c, err := fill(ctx, model, texts)
			defer c.remove()
			if err != nil {
				return err
			}
			e, err := c.open(model, hybrid)
			if err != nil {
				return err
			}
			defer e.Close()
			for _, question := range foreign[facts] {
				found, err := c.ask(ctx, e, question, 3)
				if err != nil {
					return err
				}
				r.strangers++
				r.noise += len(found)
				memories, err := c.injects(ctx, e, question)
				if err != nil {
					return err
				}
				if memories == 0 {
					r.unmoved++
				}
			}
			for _, asked := range languages {
				into := r.into(asked, facts)
				if into == nil {
					continue
				}
				for i, entry := range set {
					found, err := c.ask(ctx, e, entry[asked][1], 3)
					if err != nil {
						return err
					}
					into.asked++
					memories, err := c.injects(ctx, e, entry[asked][1])
					if err != nil {
						return err
					}
					into.memories += memories
					if memories > 0 {
						into.injected++
					}
					switch place := slices.Index(found, i); {
					case place == 0:
						into.first++
						into.three++
					case place > 0:
						into.three++
					}
				}
			}
			return nil
		}()
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// into is where a question in one language to facts in another counts, if it does.
func (r *results) into(asked, facts string) *hits {
	switch {
	case asked == facts:
		return r.same[facts]
	case asked == "en":
		return &r.fromEnglish
	case facts == "en":
		return &r.intoEnglish
	}
	return nil
}
