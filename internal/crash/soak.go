package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// roles are the processes of a soak.
var roles = []string{"soak-read", "soak-write", "soak-maintain"}

// sample is one look at a soak.
type sample struct {
	At    time.Duration
	Files int
	Bytes int64
	// Journal is the part of Bytes that is history, in MB.
	Journal float64
	Roles   []roleSample // in the order of roles
}

// roleSample is one process at that moment.
type roleSample struct {
	RSS         float64 // MB
	Descriptors int
	pulse
}

// soakRun is a soak as it is set up.
type soakRun struct {
	dir                    string
	seed                   uint64
	length, interval, rest time.Duration
	table                  io.Writer // a line for each sample
}

// run lets the three processes work on one store and looks at them.
func (s soakRun) run(ctx context.Context) (samples []sample, err error) {
	children := make([]*child, len(roles))
	newest := make([]pulse, len(roles))
	var mu sync.Mutex
	var reading sync.WaitGroup
	defer func() {
		for _, c := range children {
			if c != nil {
				_ = c.stdin.Close()
			}
		}
		reading.Wait()
		for i, c := range children {
			if c != nil {
				if e := c.ended(false); e != nil {
					err = errors.Join(err, fmt.Errorf("%s: %w", roles[i], e))
				}
				_ = c.record.Close()
			}
		}
	}()
	for i, role := range roles {
		c, err := startChild(childSpec{Task: role, Dir: s.dir, Seed: s.seed, Pause: s.rest, Interval: s.interval})
		if err != nil {
			return nil, err
		}
		children[i] = c
		reading.Go(func() {
			in := json.NewDecoder(c.record)
			for {
				var p pulse
				if in.Decode(&p) != nil {
					return
				}
				mu.Lock()
				newest[i] = p
				mu.Unlock()
			}
		})
	}
	fmt.Fprintf(s.table, "%8s %7s %8s", "time", "files", "MB")
	for _, role := range roles {
		fmt.Fprintf(s.table, " | %-13s %5s %6s %8s %8s %4s", role, "RSS", "fds", "p50", "p99", "bad")
	}
	fmt.Fprintln(s.table)
	begun := time.Now()
	tick := time.NewTicker(s.interval)
	defer tick.Stop()
	for time.Since(begun) < s.length {
		select {
		case <-ctx.Done():
			return samples, ctx.Err()
		case <-tick.C:
		}
		now := sample{At: time.Since(begun)}
		now.Files, now.Bytes = usage(s.dir)
		_, history := usage(filepath.Join(s.dir, journalDir))
		now.Journal = float64(history) / 1e6
		for i, c := range children {
			r, err := process(c.cmd.Process.Pid)
			if err != nil {
				return samples, fmt.Errorf("%s is gone: %w; it said: %s", roles[i], err, c.errors)
			}
			mu.Lock()
			r.pulse = newest[i]
			mu.Unlock()
			now.Roles = append(now.Roles, r)
		}
		samples = append(samples, now)
		now.print(s.table)
	}
	return samples, nil
}

func (s sample) print(w io.Writer) {
	fmt.Fprintf(w, "%8s %7d %8.1f", s.At.Round(time.Second), s.Files, float64(s.Bytes)/1e6)
	for _, r := range s.Roles {
		fmt.Fprintf(w, " | %7d ops %7.1f %6d %8s %8s %4d", r.Done, r.RSS, r.Descriptors,
			r.P50.Round(10*time.Microsecond), r.P99.Round(10*time.Microsecond), r.Faults)
		if r.Faults > 0 {
			fmt.Fprintf(w, " (%.160s)", r.Fault)
		}
	}
	fmt.Fprintln(w)
}

// process looks at a process from outside.
func process(pid int) (r roleSample, err error) {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return r, err
	}
	r.Descriptors = len(list)
	r.RSS, err = resident(pid)
	return r, err
}

// resident is the memory of a process in MB.
func resident(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kb); err == nil {
			return kb / 1024, nil
		}
	}
	return 0, fmt.Errorf("process %d has no memory", pid)
}

// The journal grows up to what it keeps, then its oldest part goes. In MB, with
// room for the segment that is being written.
const (
	journalDir   = ".memory-pro.journal"
	journalKeeps = 1.05 * (64 + 4)
)

// usage counts what lies below a directory.
func usage(dir string) (files int, bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // files vanish while housekeeping runs
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				files++
				bytes += info.Size()
			}
		}
		return nil
	})
	return files, bytes
}

// growth compares a figure's median over the last quarter of a run with the
// quarter before.
type growth struct {
	Name          string
	Before, After float64
	Allowed       float64 // factor
	Slack         float64 // difference that never counts
}

func (g growth) bad() bool { return g.After > g.Before*g.Allowed && g.After-g.Before > g.Slack }

func (g growth) String() string {
	return fmt.Sprintf("%s %.4g → %.4g (allowed × %.2f)", g.Name, g.Before, g.After, g.Allowed)
}

// judge says how every figure did in the second half.
func judge(samples []sample) (list []growth) {
	n := len(samples)
	third, last := samples[n/2:n*3/4], samples[n*3/4:]
	compare := func(name string, allowed, slack float64, of func(sample) float64) {
		list = append(list, growth{name, median(third, of), median(last, of), allowed, slack})
	}
	compare("files", 1.10, 20, func(s sample) float64 { return float64(s.Files) })
	compare("MB on disk without the journal", 1.10, 1, func(s sample) float64 { return float64(s.Bytes)/1e6 - s.Journal })
	list = append(list, growth{"MB of journal", journalKeeps, median(last, func(s sample) float64 { return s.Journal }), 1, 0})
	for i, role := range roles {
		compare(role+" RSS", 1.05, 5, func(s sample) float64 { return s.Roles[i].RSS })
		compare(role+" descriptors", 1.00, 5, func(s sample) float64 { return float64(s.Roles[i].Descriptors) })
		compare(role+" p50 ms", 1.30, 0.5, func(s sample) float64 { return s.Roles[i].P50.Seconds() * 1000 })
		compare(role+" p99 ms", 2.00, 10, func(s sample) float64 { return s.Roles[i].P99.Seconds() * 1000 })
	}
	return list
}

func median(samples []sample, of func(sample) float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// soakCommand is the long soak.
func soakCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	minutes := f.Float64("minutes", 30, "how long")
	rest := f.Duration("pause", 20*time.Millisecond, "between two operations of each process")
	seedText := seedFlag(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	seed, err := chosenSeed(*seedText)
	if err != nil {
		return err
	}
	dir, err := scratchDir("soak", false)
	if err != nil {
		return err
	}
	length := time.Duration(*minutes * float64(time.Minute))
	fmt.Printf("seed %d, %v, three processes on %s\n", seed, length, dir)
	samples, err := soakRun{filepath.Join(dir, "db"), seed, length, max(length/120, time.Second), *rest, os.Stdout}.run(ctx)
	if err != nil {
		return err
	}
	faults, grown := 0, []string(nil)
	for _, s := range samples {
		for _, r := range s.Roles {
			faults += r.Faults
		}
	}
	for _, g := range judge(samples) {
		fmt.Println(" ", g)
		if g.bad() {
			grown = append(grown, g.Name)
		}
	}
	if len(grown) > 0 || faults > 0 {
		return fmt.Errorf("verdict: not flat in the second half: %s; %d operations failed; the database is kept", strings.Join(grown, ", "), faults)
	}
	half, end, err := creep(ctx, filepath.Join(dir, "sessions"), 2000)
	if err != nil {
		return err
	}
	fmt.Printf("  10,000 recalls and 2,000 captures in 2,000 sessions: heap %.2f MB after half, %.2f MB at the end\n", half/1e6, end/1e6)
	if end/half > 1.05 {
		return errors.New("verdict: the heap grows with the number of sessions")
	}
	fmt.Println("verdict: memory, descriptors, files and latency were flat in the second half, no operation failed")
	return os.RemoveAll(dir)
}
