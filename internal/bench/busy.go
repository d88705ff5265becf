package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// measureBusy compares recalls beside a process that writes without pause with
// recalls of a store at rest.
func measureBusy(ctx context.Context, r *report, db string, n int) error {
	const recalls = 400
	e, err := open(db)
	if err != nil {
		return err
	}
	defer e.Close()
	run := func() ([]time.Duration, error) {
		return each(recalls, func(i int) error { return recall(ctx, e, i, i%2 == 1) })
	}
	if _, err := run(); err != nil { // the caches are warm then
		return err
	}
	quiet, err := run()
	if err != nil {
		return err
	}
	stop, err := startWriter(ctx, db)
	if err != nil {
		return err
	}
	busy, err := run()
	if err = errors.Join(err, stop()); err != nil {
		return err
	}
	r.timing("recall, store at rest", n, quiet, "")
	r.timing("recall beside a busy writer", n, busy, "")
	p99 := func(ds []time.Duration) time.Duration { slices.Sort(ds); return ds[len(ds)*99/100] }
	r.add(figure{Name: "p99 beside a busy writer against at rest", Size: n, Unit: "times", Value: float64(p99(busy)) / float64(p99(quiet))}, "")
	r.want("≤ 2")
	return nil
}

// startWriter has another process write, and returns when it does.
func startWriter(ctx context.Context, db string) (stop func() error, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-write-to", db)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() error { return errors.Join(in.Close(), cmd.Wait()) }
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a writer: %w", err), stop())
	}
	return stop, nil
}

// keepWriting is the other process.
func keepWriting(ctx context.Context, db string) error {
	e, err := open(db)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	for i := 0; err == nil; i++ {
		err = storeOne(ctx, e, busyFrom+i)
		if i == 0 {
			fmt.Println("writing")
		}
		select {
		case <-ended:
			return errors.Join(err, e.Close())
		default:
		}
	}
	return errors.Join(err, e.Close())
}
