package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// monotonic is a clock that all processes of the machine share.
func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // every Linux has it
	}
	return t.Nano()
}

// perform carries an act out and fills in its answer and its moments.
func perform(ctx context.Context, s *store.Store, a Act) (Act, error) {
	a.Call = monotonic()
	err := a.perform(ctx, s)
	a.Return = monotonic()
	return a, err
}

func (a *Act) perform(ctx context.Context, s *store.Store) error {
	if a.Op == "get" {
		return a.read(ctx, s)
	}
	err := s.Write(ctx, a.Op, func(tx *store.Tx) error {
		m := Row{ID: a.ID, Text: a.Text, Category: "fact", Importance: 0.5, Time: 1_770_000_000_000, Points: a.Text}.memory()
		switch a.Op {
		case "put":
			return tx.Insert(m)
		case "set":
			return tx.Update(m)
		case "forget":
			return tx.Delete(a.ID)
		}
		got, err := tx.Get(ctx, everyone(), a.ID)
		if err == nil && got.Text != a.Old {
			err = errOther
		}
		if err != nil {
			return err
		}
		return tx.Update(m)
	})
	a.Done = err == nil
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrExists) || errors.Is(err, errOther) {
		return nil
	}
	return err
}

var errOther = errors.New("the row is not the one expected")

// read looks the row up in one of three ways.
func (a *Act) read(ctx context.Context, s *store.Store) error {
	var list []memory.Memory
	var err error
	switch a.Old { // a get has no other use for it
	case "list":
		var page store.Page
		page, err = s.List(ctx, store.ListQuery{Who: everyone(), Limit: 1000})
		list = page.Memories
	case "prefix":
		list, err = s.FindPrefix(ctx, everyone(), a.ID, 2)
	default:
		var m memory.Memory
		m, err = s.Get(ctx, everyone(), a.ID)
		list = []memory.Memory{m}
		if errors.Is(err, store.ErrNotFound) {
			list, err = nil, nil
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(m memory.Memory) bool { return m.ID != a.ID })
	switch {
	case err != nil:
		return err
	case len(list) > 1:
		return errors.New("the row is there twice")
	case len(list) == 1:
		r, err := rowOf(list[0])
		if err == nil && r.Points != r.Text {
			err = errors.New("the row is torn: " + brief(r))
		}
		a.Found = r.Text
		return err
	}
	return nil
}

// answered is an act that a child performed.
type answered struct {
	Number int
	Act    Act
	Error  string `json:",omitempty"`
}

// serve performs acts that come as lines on standard input, each as soon as it
// comes, and answers them on the record.
func serve(spec childSpec) error {
	ctx := context.Background()
	s, err := openStore(ctx, spec.Dir, "")
	if err != nil {
		return err
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.NewFile(disk.MarkFD, "record"))
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	var all sync.WaitGroup
	for {
		var q answered
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			all.Wait()
			return s.Close()
		} else if err != nil {
			return errors.Join(err, s.Close())
		}
		all.Go(func() {
			var err error
			if q.Act, err = perform(ctx, s, q.Act); err != nil {
				q.Error = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			_ = out.Encode(q) // without a parent there is nobody to tell
		})
	}
}
