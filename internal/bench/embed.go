package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
)

// sentence has 31 tokens with its prefix and the two marks; the number differs,
// so that no two are the same text.
const sentence = "The staging database of project %d was moved to the new cluster on Friday and its old host is switched off in June."

// measureEmbedding shows what the embedded model costs: how soon it is ready,
// one short text on one core, many on two, and its memory.
func measureEmbedding(ctx context.Context, r *report) error {
	path, err := weights.InCheckout(".")
	if err != nil {
		return err
	}
	before := resident(os.Getpid())
	var opened, single []time.Duration
	var openCPU, singleCPU time.Duration
	const rounds, asked = 5, 60
	for range rounds {
		begun, used := time.Now(), processor()
		model, err := embed.NewLocal(embed.LocalOptions{Path: path, Threads: 1, CacheSize: -1})
		if err == nil {
			err = model.Warm(ctx)
		}
		if err != nil {
			return err
		}
		opened, openCPU = append(opened, time.Since(begun)), openCPU+processor()-used
		used = processor()
		for i := range asked {
			begun := time.Now()
			if _, err := model.EmbedQuery(ctx, fmt.Sprintf(sentence, 100+len(single)+i)); err != nil {
				return err
			}
			if i >= 5 { // the first ones warm the caches of the processor
				single = append(single, time.Since(begun))
			}
		}
		singleCPU += processor() - used
		if err := model.Close(); err != nil {
			return err
		}
	}
	r.timing("embedded model: ready", 0, opened, "")
	r.timing("embedded model: 31 tokens, one thread", 0, single, "")

	// On a shared machine the processor time says more than the clock.
	r.add(figure{Name: "embedded model: ready, processor time", Unit: "ms", Value: milliseconds(openCPU) / rounds}, "")
	r.add(figure{Name: "embedded model: 31 tokens, processor time", Unit: "ms", Value: milliseconds(singleCPU) / rounds / asked}, "")

	model, err := embed.NewLocal(embed.LocalOptions{Path: path, Threads: 2, CacheSize: -1})
	if err != nil {
		return err
	}
	defer model.Close()
	var texts []string
	for i := range 320 {
		texts = append(texts, fmt.Sprintf(sentence, 1000+i))
	}
	best, used := 0.0, processor()
	for range 3 {
		begun := time.Now()
		if _, err := model.EmbedPassages(ctx, texts); err != nil {
			return err
		}
		best = max(best, float64(len(texts))/time.Since(begun).Seconds())
	}
	r.add(figure{Name: "embedded model: many, two threads, best of 3", Unit: "texts/s", Value: best, N: len(texts)}, "")
	r.add(figure{Name: "embedded model: many, by processor time", Unit: "texts/s a core", Value: 3 * float64(len(texts)) / (processor() - used).Seconds()}, "")
	r.add(figure{Name: "embedded model: resident memory", Unit: "MB", Value: resident(os.Getpid()) - before}, "")
	return nil
}

// processor is the time this process has used on all cores.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
