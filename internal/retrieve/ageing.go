package retrieve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// corpusPrefix begins the ids of rows that stand for a file. Their length and age
// say nothing about them.
const corpusPrefix = "corpus:"

func isFile(m memory.Memory) bool { return strings.HasPrefix(m.ID, corpusPrefix) }

// length makes long rows count less. It reorders: a row that fits stays above the
// last cut however long it is, for the longest memory may hold the fullest answer.
func (r *Retriever) length(_ context.Context, p *pass, rows []*row) []*row {
	anchor, longer := r.opts.LengthNormAnchor, 0
	for _, x := range rows {
		n := utf8.RuneCountInString(x.hit.Memory.Text)
		if n <= anchor || isFile(x.hit.Memory) {
			continue
		}
		longer++
		x.scale(StageLength, r.opts.HardMinScore, rank.Length(n, anchor), "%d characters, rows count in full up to %d", n, anchor)
	}
	if longer > 0 {
		p.says(float64(anchor), "%d of %d rows are longer", longer, len(rows))
	}
	return order(rows)
}

// importance makes unimportant rows count less, where no tiers do.
func (r *Retriever) importance(_ context.Context, _ *pass, rows []*row) []*row {
	for _, x := range rows {
		i := x.hit.Memory.Importance
		x.scale(StageImportance, 0, rank.Importance(i), "0.7 + 0.3 x %.2f", i)
	}
	return order(rows)
}

// decay makes rows count less that have not been of use for long: by tier, or by
// plain age where the tiers are switched off. It is the only step that looks at
// the clock.
func (r *Retriever) decay(_ context.Context, p *pass, rows []*row) []*row {
	for _, x := range rows {
		if isFile(x.hit.Memory) {
			continue
		}
		life := rank.LifeOf(x.hit.Memory)
		if r.opts.Decay != nil {
			r.byTier(x, life, p.q.now)
		} else {
			r.byAge(x, life, p.q.now)
		}
	}
	return order(rows)
}

func (r *Retriever) byTier(x *row, life rank.Life, now time.Time) {
	d, faded := r.opts.Decay, ""
	if d.Stale(life, now) {
		faded = fmt.Sprintf(", stale (under %.2f)", d.StaleThreshold)
	}
	x.scale(StageDecay, 0, d.Factor(life, now), "%s, %s old, %s; recency %.2f, composite %.2f%s",
		tier(life.Tier), days(now.Sub(life.Created)), times(life.Accesses), d.Recency(life, now), d.Composite(life, now), faded)
}

func (r *Retriever) byAge(x *row, life rank.Life, now time.Time) {
	a := r.opts.Age
	node := x.scale(StageDecay, 0, a.Factor(life, now), "%s old, %s", days(now.Sub(life.Created)), times(life.Accesses))
	if node == nil {
		return
	}
	if f := a.Recency(life, now); f != 1 {
		node.Add(rank.Explain("recency", f, fmt.Sprintf("half-life %s, weight %.2f", days(hours(a.RecencyHalfLifeDays)), a.RecencyWeight)))
	}
	if f := a.TimeDecay(life, now); f != 1 {
		node.Add(rank.Explain("time decay", f, "half-life "+days(hours(a.HalfLife(life, now)))))
	}
}

// intentLift is what a row of a preferred category gains: enough to decide
// between rows that fit about equally, and no more.
const intentLift = 1.15

// intent lifts rows of the categories that the question asks for.
func (r *Retriever) intent(_ context.Context, p *pass, rows []*row) []*row {
	lifted := 0
	for _, x := range rows {
		if !slices.Contains(p.q.prefer, x.hit.Memory.Category) {
			continue
		}
		lifted++
		x.set(rank.Clamp(x.hit.Score*intentLift), StageIntent, intentLift, "the question asks for a %s", x.hit.Memory.Category)
	}
	if lifted > 0 {
		p.says(intentLift, "%d of %d rows are of a kind the question asks for", lifted, len(rows))
	}
	return order(rows)
}

func tier(t memory.Tier) memory.Tier {
	if t == "" {
		return memory.TierWorking
	}
	return t
}

func hours(days float64) time.Duration { return time.Duration(days * 24 * float64(time.Hour)) }

func days(d time.Duration) string { return fmt.Sprintf("%.1f days", max(0, d.Hours()/24)) }

func times(n float64) string {
	switch n {
	case 0:
		return "never recalled"
	case 1:
		return "recalled once"
	}
	return fmt.Sprintf("recalled %g times", n)
}
