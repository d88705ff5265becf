package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// measureResident shows the memory of a process that opens a filled store and recalls.
// It is a process of its own, so that filling the store is not counted.
func measureResident(ctx context.Context, r *report) error {
	for _, c := range []struct {
		memories, width int
		goal            string
	}{{10_000, 384, "≤ 200"}, {50_000, 1024, "≤ 400"}} {
		dir, err := os.MkdirTemp("", "memory-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		db := filepath.Join(dir, "db")
		if _, err := fill(ctx, db, c.memories, c.width); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, os.Args[0], "-recall-in", db, "-width", strconv.Itoa(c.width))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return err
		}
		mb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return err
		}
		peer := ""
		if c.width == dimensions {
			peer = "rss_mb"
		}
		r.add(figure{Name: fmt.Sprintf("resident memory, recalling, %d numbers a vector", c.width), Size: c.memories, Unit: "MB", Value: mb}, peer)
		r.want(c.goal)
	}
	return nil
}

// keepRecalling is the process that is measured; it prints its megabytes.
func keepRecalling(ctx context.Context, db string, width int) error {
	e, err := openWith(db, standIn(width))
	if err != nil {
		return err
	}
	defer e.Close()
	if err := warm(ctx, e); err != nil {
		return err
	}
	if _, err := each(400, func(i int) error { return recall(ctx, e, i, i%2 == 1) }); err != nil {
		return err
	}
	fmt.Println(resident(os.Getpid()))
	return nil
}
