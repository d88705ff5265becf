package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func recall(ctx context.Context, e *engine.Engine, i int, chinese bool) error {
	_, err := e.Recall(ctx, engine.RecallRequest{Who: me, Query: question(i, chinese), Limit: 5})
	return err
}

// warm asks until the process has what it keeps in memory.
func warm(ctx context.Context, e *engine.Engine) error {
	_, err := each(100, func(i int) error { return recall(ctx, e, 1000+i, i%2 == 0) })
	if err == nil {
		time.Sleep(time.Second) // the table is read in the background
		_, err = each(20, func(i int) error { return recall(ctx, e, 2000+i, i%2 == 0) })
	}
	return err
}

// measureRecall asks in English and in Chinese, with the question's vector at hand,
// and shows what the steps take.
func measureRecall(ctx context.Context, r *report, e *engine.Engine, n int) error {
	if err := warm(ctx, e); err != nil {
		return err
	}
	for _, half := range []struct {
		name, peer string
		chinese    bool
	}{{recallEnglish, "recall_en_p50", false}, {"recall, Chinese", "recall_zh_p50", true}} {
		used := processor()
		ds, err := each(400, func(i int) error { return recall(ctx, e, i, half.chinese) })
		if err != nil {
			return err
		}
		used = processor() - used
		r.timing(half.name, n, ds, half.peer)
		switch n {
		case 10_000:
			r.want("p50 ≤ 5, p99 ≤ 25, ours / peer ≤ 0.05")
		case 50_000:
			r.want("p50 ≤ 8")
		}
		// On a shared machine the processor time says more than the clock.
		r.add(figure{Name: half.name + ", processor time", Size: n, Unit: "ms", Value: milliseconds(used) / 400}, "")
	}
	return measureStages(ctx, r, e, n)
}

const recallEnglish = "recall, English"

// measureStages is the median of what each step of a recall says that it took. The
// searches run at the same time.
func measureStages(ctx context.Context, r *report, e *engine.Engine, n int) error {
	took, names := map[string][]float64{}, []string{}
	for i := range 200 {
		a, err := e.Recall(ctx, engine.RecallRequest{Who: me, Query: question(i, i%2 == 1), Limit: 5})
		if err != nil {
			return err
		}
		for _, s := range a.Stages {
			if took[s.Name] == nil {
				names = append(names, s.Name)
			}
			took[s.Name] = append(took[s.Name], milliseconds(s.Took))
		}
	}
	for _, name := range names {
		slices.Sort(took[name])
		r.add(figure{Name: "recall's step " + name, Size: n, Unit: "ms", Value: took[name][len(took[name])/2]}, "")
	}
	return nil
}

// growth compares the sizes measured: how many times longer a recall takes when there
// are twice as many memories.
func growth(r *report) {
	var before figure
	for _, f := range slices.Clone(r.figures) {
		if f.Name != recallEnglish {
			continue
		}
		if before.Size > 0 && f.Size > before.Size {
			doublings := math.Log2(float64(f.Size) / float64(before.Size))
			r.add(figure{Name: fmt.Sprintf("recall from %d memories on, for each doubling", before.Size), Size: f.Size, Unit: "times",
				Value: math.Pow(f.Value/before.Value, 1/doublings)}, "")
			r.want("≤ 1.3")
		}
		before = f
	}
}
