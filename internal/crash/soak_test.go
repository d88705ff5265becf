package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A short soak: three processes on one store for twenty seconds. No operation
// fails, descriptors do not grow, and files stay within what the versions of the
// last minutes need. Times are not judged here.
func TestShortSoak(t *testing.T) {
	var table strings.Builder
	samples, err := soakRun{
		dir: filepath.Join(t.TempDir(), "db"), seed: 1, length: 20 * time.Second, interval: time.Second, rest: 10 * time.Millisecond, table: &table,
	}.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range shortSoakLimits(samples) {
		if g.bad() {
			t.Error(g)
		}
	}
	done := 0
	for _, s := range samples {
		for i, r := range s.Roles {
			done += r.Done
			if r.Faults > 0 {
				t.Errorf("%s: %s", roles[i], r.Fault)
			}
		}
	}
	if done == 0 {
		t.Error("nothing was done")
	}
	if t.Failed() {
		t.Log("\n" + table.String())
	}
}

// shortSoakLimits are the figures that mean something after seconds.
func shortSoakLimits(samples []sample) (list []growth) {
	for _, g := range judge(samples) {
		if strings.HasSuffix(g.Name, "descriptors") {
			g.Slack = 10
			list = append(list, g)
		}
	}
	written := 0
	for _, s := range samples {
		written += s.Roles[1].Done
	}
	last := samples[len(samples)-1]
	// A commit leaves at most a data file, a file of deletions, a transaction, a
	// manifest, and its share of an index part.
	return append(list, growth{Name: "files per change", Before: 1, After: float64(last.Files) / float64(max(written, 1)), Allowed: 8})
}

// The judge must see growth, and must not see it where there is none.
func TestJudge(t *testing.T) {
	series := func(of func(i int) sample) (list []sample) {
		for i := range 40 {
			list = append(list, of(i))
		}
		return list
	}
	at := func(rss float64, fds, files int, p50 time.Duration) sample {
		r := roleSample{RSS: rss, Descriptors: fds, pulse: pulse{P50: p50, P99: 2 * p50}}
		return sample{Files: files, Bytes: int64(files) * 1000, Roles: []roleSample{r, r, r}}
	}
	tests := map[string]struct {
		of   func(i int) sample
		want string // part of a name that must be called bad; empty for none
	}{
		"flat":                     {func(i int) sample { return at(100, 20, 100, time.Millisecond) }, ""},
		"a saw":                    {func(i int) sample { return at(100+float64(i%5), 20+i%3, 100+i%8, time.Millisecond) }, ""},
		"growth in the first half": {func(i int) sample { return at(50+float64(min(i, 20))*5, 20, 100, time.Millisecond) }, ""},
		"memory grows":             {func(i int) sample { return at(100+2*float64(i), 20, 100, time.Millisecond) }, "RSS"},
		"descriptors grow":         {func(i int) sample { return at(100, 20+i, 100, time.Millisecond) }, "descriptors"},
		"files grow":               {func(i int) sample { return at(100, 20, 100+30*i, time.Millisecond) }, "files"},
		"everything gets slower":   {func(i int) sample { return at(100, 20, 100, time.Duration(1+i)*time.Millisecond) }, "p50"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var bad []string
			for _, g := range judge(series(test.of)) {
				if g.bad() {
					bad = append(bad, g.Name)
				}
			}
			if test.want == "" && len(bad) > 0 || !strings.Contains(strings.Join(bad, " "), test.want) {
				t.Errorf("called bad: %q, want %q", bad, test.want)
			}
		})
	}
}

// C4: two processes that store at the same time both get on, and nothing of
// theirs is lost. The TypeScript plugin took up to nine seconds for one store.
func TestTwoProcessesStoreAtOnce(t *testing.T) {
	const each = 20
	dir := filepath.Join(t.TempDir(), "db")
	r := randomOf(1, 11, 0)
	var acts []Act
	for range 2 * each {
		acts = append(acts, Act{Op: "put", ID: ownedID(r, 7), Text: sentence(r)})
	}
	var all sync.WaitGroup
	for i := range 2 {
		p := startRemote(t, dir)
		all.Go(func() {
			for _, a := range acts[i*each : (i+1)*each] {
				done, err := p.perform(t.Context(), a)
				if err != nil || !done.Done {
					t.Errorf("%v: %v", done, err)
				}
				if took := time.Duration(done.Return - done.Call); took > 5*time.Second {
					t.Errorf("one store took %v", took)
				}
			}
		})
	}
	all.Wait()
	s, err := openStore(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readAll(t.Context(), s)
	if err == nil && len(rows) != 2*each {
		err = fmt.Errorf("%d rows, want %d", len(rows), 2*each)
	}
	if err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
