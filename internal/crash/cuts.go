package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
)

// cut is one state of the disk after a power cut.
type cut struct {
	n     int // operations before it
	fates map[int]disk.Fate
	why   string
}

func (c cut) fate(i int) disk.Fate { return c.fates[i] }

// prefixes are the cuts before which everything is on the disk, after it nothing.
func (p *powerCut) prefixes() (list []cut) {
	for n := range len(p.trace.Ops) + 1 {
		if n == 0 || p.trace.Ops[n-1].Kind != disk.Mark {
			list = append(list, cut{n: n, why: "nothing later"})
		}
	}
	return list
}

// bare are the cuts after an acknowledgement when nothing lasts but what was synced.
func (p *powerCut) bare() (list []cut) {
	for _, n := range p.acks {
		c := cut{n: n, fates: map[int]disk.Fate{}, why: "nothing that was not synced"}
		for _, i := range p.trace.Unsynced(n) {
			c.fates[i] = disk.Fate{Lost: true}
		}
		list = append(list, c)
	}
	return list
}

// singles are the cuts with one operation that was not synced missing, torn or
// empty, and all others there: after the first acknowledgement that followed it,
// and after the last one at which it still was not durable.
func (p *powerCut) singles() (list []cut) {
	r := randomOf(p.seed, 2, 0)
	var order []int
	first, last := map[int]int{}, map[int]int{}
	for _, n := range p.acks {
		for _, i := range p.trace.Unsynced(n) {
			if _, ok := first[i]; !ok {
				order, first[i] = append(order, i), n
			}
			last[i] = n
		}
	}
	for _, i := range order {
		for _, f := range fatesOf(r, p.trace.Ops[i]) {
			for _, n := range slices.Compact([]int{first[i], last[i]}) {
				list = append(list, cut{n: n, fates: map[int]disk.Fate{i: f}, why: fmt.Sprintf("%+v: %v", f, p.trace.Ops[i])})
			}
		}
	}
	return list
}

// fatesOf are the ways in which an operation may fail to last.
func fatesOf(r *rand.Rand, o disk.Op) []disk.Fate {
	list := []disk.Fate{{Lost: true}}
	switch {
	case o.Kind == disk.Write && len(o.Data) > 0:
		list = append(list, disk.Fate{Torn: true, Keep: r.IntN(len(o.Data))}, disk.Fate{Zeroed: true})
	case o.Kind == disk.Names && len(o.Bindings) > 1:
		list = append(list, disk.Fate{Torn: true})
	}
	return list
}

// subsets are n cuts at random places with a random part of what was not synced.
func (p *powerCut) subsets(count int) (list []cut) {
	for k := range count {
		r := randomOf(p.seed, 3, k)
		n := 1 + r.IntN(len(p.trace.Ops))
		if r.IntN(2) == 0 {
			n = p.acks[r.IntN(len(p.acks))]
		}
		keep := []float64{0.05, 0.3, 0.5, 0.7, 0.95}[r.IntN(5)]
		c := cut{n: n, fates: map[int]disk.Fate{}, why: fmt.Sprintf("random subset %d, about %.0f %% kept", k, 100*keep)}
		for _, i := range p.trace.Unsynced(n) {
			if r.Float64() < keep {
				continue
			}
			all := fatesOf(r, p.trace.Ops[i])
			c.fates[i] = all[r.IntN(len(all))]
		}
		list = append(list, c)
	}
	return list
}

// some picks n of the cuts at random, in their order.
func some(r *rand.Rand, cuts []cut, n int) []cut {
	if len(cuts) <= n {
		return cuts
	}
	picked := r.Perm(len(cuts))[:n]
	slices.Sort(picked)
	list := make([]cut, n)
	for i, at := range picked {
		list[i] = cuts[at]
	}
	return list
}
