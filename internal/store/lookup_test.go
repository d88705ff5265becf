package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Peer defects E1 and E2: rows are found by their ids, whole or by their beginning, and
// by scope, without a question to LanceDB: its versions are looked at, no more.
func TestLookupsNeverScan(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	rows := numbered("row %d", 300)
	rows[7].Scope, rows[8].Vector = "agent:alice", nil
	insert(t, s, rows...)
	withMirror(t, s)
	reads := s.fresh.reads.Load()
	for i, row := range rows {
		got, err := s.Get(t.Context(), agent(t, "alice"), row.ID)
		if diff := cmp.Diff(row.Vector, got.Vector); err != nil || got.Text != row.Text || diff != "" {
			t.Fatalf("%s, %v: %s", got.Text, err, diff)
		}
		_, err = s.Get(t.Context(), agent(t, "bob"), row.ID)
		if (err == nil) != (i != 7) || (i == 7 && !errors.Is(err, ErrNotFound)) {
			t.Fatalf("row %d, of another: %v", i, err)
		}
	}
	found, err := s.FindPrefix(t.Context(), everyone(), rows[3].ID[:12], 10)
	if err != nil || len(found) != 1 || found[0].ID != rows[3].ID || found[0].Vector != nil {
		t.Errorf("by the beginning of an id: %v, %v", found, err)
	}
	if found, err = s.FindPrefix(t.Context(), agent(t, "bob"), rows[7].ID, 10); err != nil || len(found) != 0 {
		t.Errorf("of another, by the beginning of an id: %v, %v", found, err)
	}
	if _, err := s.Get(t.Context(), everyone(), "no such id"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an id that does not exist: %v", err)
	}
	if hits, err := s.Nearest(t.Context(), agent(t, "bob"), memory.Narrow{}, rows[7].Vector, 3); err != nil || len(hits) != 3 || hits[0].Memory.ID == rows[7].ID {
		t.Errorf("nearest of what bob may read: %v, %v", texts(hits), err)
	}
	if n := s.fresh.reads.Load() - reads; n != 0 {
		t.Errorf("%d questions were put to LanceDB", n)
	}
}

// Peer defect D5: a larger pool brings more candidates, in either half.
func TestPoolSizes(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, numbered("heron number %d", 150)...)
	for _, held := range []bool{false, true} {
		if held {
			withMirror(t, s)
		}
		for _, pool := range []int{20, 100} {
			near, err := s.Nearest(t.Context(), everyone(), memory.Narrow{ActiveAt: start}, vec("x"), pool)
			if err != nil || len(near) != pool {
				t.Errorf("held: %v: %d of %d near, %v", held, len(near), pool, err)
			}
			words, err := s.Matching(t.Context(), everyone(), memory.Narrow{ActiveAt: start}, "heron", pool)
			if err != nil || len(words) != pool {
				t.Errorf("held: %v: %d of %d by keyword, %v", held, len(words), pool, err)
			}
		}
	}
}

// Peer defects D4 and D7: a fact with a history longer than any pool, and one row of
// a rare category among many others, are found however many rows lie nearer.
func TestLiveRowBehindItsPast(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	var rows []memory.Memory
	for i := range 400 {
		row := mem(fmt.Sprintf("the deploy day is the heron day, version %d heron heron", i), withVector(vec("deploy")))
		row.Metadata.ValidFrom = start.Add(-2 * time.Hour)
		if row.Metadata.InvalidatedAt = start.Add(-time.Hour); i%2 == 0 {
			row.Metadata.InvalidatedAt, row.Metadata.State = time.Time{}, memory.StateArchived
		}
		rows = append(rows, row)
	}
	live := mem("the heron day is Friday", withVector(vec("some other way of saying it")))
	rare := mem("Heron Ltd", withVector(vec("rare")))
	rare.Category, rare.Metadata = memory.StoredEntity, memory.NewMetadata("Heron Ltd", memory.Entities, memory.SourceManual, start)
	insert(t, s, append(rows, live, rare)...)
	for _, held := range []bool{false, true} {
		if held {
			withMirror(t, s)
		}
		for name, c := range map[string]struct {
			n    memory.Narrow
			want []string
		}{
			"current":         {memory.Narrow{ActiveAt: start, HideArchived: true}, []string{live.ID, rare.ID}},
			"of one category": {memory.Narrow{Category: "entities", ActiveAt: start}, []string{rare.ID}},
		} {
			near, err := s.Nearest(t.Context(), agent(t, "main"), c.n, vec("deploy"), 20)
			if diff := cmp.Diff(asSet(c.want...), asSet(foundIDs(near)...)); err != nil || diff != "" {
				t.Errorf("%s, held: %v, near, %v: %s", name, held, err, diff)
			}
			words, err := s.Matching(t.Context(), agent(t, "main"), c.n, "heron", 20)
			if diff := cmp.Diff(asSet(c.want...), asSet(foundIDs(words)...)); err != nil || diff != "" {
				t.Errorf("%s, held: %v, by keyword, %v: %s", name, held, err, diff)
			}
		}
	}
}

func foundIDs(hits []memory.Hit) (list []string) {
	for _, h := range hits {
		list = append(list, h.Memory.ID)
	}
	return list
}

func asSet(list ...string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[s] = true
	}
	return set
}

// Peer defects D1 and D2: a Chinese question finds its rows through the index, and in
// about the time of an English one; where words are not cut, every row is looked at,
// which takes twenty times as long. The best of many tries says little of the machine.
func TestChineseIsIndexed(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	places, drinks := []string{"支付系统", "搜索服务", "数据仓库", "消息队列"}, []string{"tea", "coffee", "juice", "water"}
	var rows []memory.Memory
	for i := range 4000 {
		text := fmt.Sprintf("%s的负责人每周三更新第%d号文档", places[i%4], i)
		if i%2 == 0 {
			text = fmt.Sprintf("the office orders %s from supplier number %d", drinks[i/2%4], i)
		}
		rows = append(rows, mem(text, withVector(vec("any"))))
	}
	rows = append(rows, mem("王芳只喝乌龙茶", withVector(vec("any"))), mem("Wang only drinks oolong", withVector(vec("any"))))
	insert(t, s, rows...)
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	best := func(query, first string) time.Duration {
		shortest := time.Hour
		for range 30 {
			begun := time.Now()
			got := matching(t, s, query, 20)
			shortest = min(shortest, time.Since(begun))
			if len(got) == 0 || got[0] != first {
				t.Fatalf("%q finds %q", query, got)
			}
		}
		return shortest
	}
	for _, held := range []bool{false, true} {
		put(s, nil)
		if held {
			m := newMirror(width)
			if err := s.sync(t.Context(), m, 0); err != nil {
				t.Fatal(err)
			}
			put(s, m)
		}
		chinese, english := best("谁喝乌龙茶", "王芳只喝乌龙茶"), best("who drinks oolong", "Wang only drinks oolong")
		if chinese > 3*english+2*time.Millisecond {
			t.Errorf("held: %v: a Chinese question takes %v, an English one %v", held, chinese, english)
		}
	}
}
