package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// killLanes is how many databases live at the same time.
const killLanes = 2

// killCommand runs the long kill test. Its log holds every line of every child
// and, for each kill, what was found; a run with the log of one that was stopped
// goes on where that one was.
func killCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("kill", flag.ContinueOnError)
	n := f.Int("n", 2000, "how many kills")
	seedText := seedFlag(f)
	path := f.String("log", "", "the record, kept; an existing one is continued; empty makes one beside the databases")
	if err := f.Parse(args); err != nil {
		return err
	}
	seed, err := chosenSeed(*seedText)
	if err != nil {
		return err
	}
	dir, err := scratchDir("kill", false)
	if err != nil {
		return err
	}
	if *path == "" {
		*path = filepath.Join(dir, "log")
	}
	done, seed, err := earlier(*path, seed, *seedText != "")
	if err != nil {
		return err
	}
	log, err := os.OpenFile(*path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	shared := &sharedLog{to: log}
	if len(done) == 0 {
		fmt.Fprintf(shared, "seed %d\n", seed)
	}
	fmt.Printf("seed %d, %d kills, %d of them done before; log %s\n", seed, *n, len(done)*episodeKills, *path)

	begun := time.Now()
	var mu sync.Mutex
	counted := 0
	killed := func(int) {
		mu.Lock()
		defer mu.Unlock()
		if counted++; counted%100 == 0 {
			fmt.Printf("%d kills in %v, nothing lost\n", counted, time.Since(begun).Round(time.Second))
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	faults := make([]error, killLanes)
	for lane := range killLanes {
		wg.Go(func() {
			k := &killer{seed: seed, log: shared, looks: 12, killed: killed}
			for first := lane * episodeKills; first < *n; first += killLanes * episodeKills {
				if done[first] {
					continue
				}
				db := filepath.Join(dir, fmt.Sprintf("kills-%d", first))
				err := k.episode(ctx, db, first, *n)
				if err == nil {
					err = os.RemoveAll(db)
				}
				if err != nil {
					faults[lane] = err
					stop()
					return
				}
				if first+episodeKills <= *n {
					fmt.Fprintf(shared, "episode %d done\n", first)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("after %d kills: %w; the log is %s", counted, err, *path)
	}
	_ = os.Remove(dir) // stays if the log lies in it
	fmt.Printf("%d kills in %v: every acknowledged change was there, nothing was torn\n", counted, time.Since(begun).Round(time.Second))
	return nil
}

// earlier reads the log of a run that was stopped: its seed, and the episodes
// that need not be run again.
func earlier(path string, seed uint64, given bool) (done map[int]bool, _ uint64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, seed, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	done = map[int]bool{}
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return done, seed, nil
		}
		if err != nil {
			return nil, 0, err
		}
		var was uint64
		var first int
		switch {
		case strings.HasPrefix(line, "seed "):
			if _, err := fmt.Sscanf(line, "seed %d", &was); err == nil && given && was != seed {
				return nil, 0, fmt.Errorf("the log %s is of seed %d, not %d; name another", path, was, seed)
			}
			seed = was
		case strings.HasPrefix(line, "episode "):
			if _, err := fmt.Sscanf(line, "episode %d done", &first); err == nil {
				done[first] = true
			}
		}
	}
}

// sharedLog takes lines from several lanes, each whole.
type sharedLog struct {
	mu sync.Mutex
	to io.Writer
}

func (l *sharedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}
