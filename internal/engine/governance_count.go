package engine

import (
	"encoding/json"
	"maps"
	"strconv"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Keys of the metadata that governance writes; all but the last are those of the
// plugin this product replaces.
const (
	keyInjected     = "injected_count"
	keyInjectedAt   = "last_injected_at"
	keyBadRecalls   = "bad_recall_count"
	keySuppressedMs = "suppressed_until_ms"
	keyBadRecallAt  = "last_bad_recall_at"
)

// reception is how a memory that was shown was taken: the verdicts of some turns, in
// their order, as far as they matter. What was unused before a use, or before
// somebody asked for it, is forgiven.
type reception struct {
	used        time.Time // the last use; zero if none
	asked       time.Time // the last recall on purpose, which forgives like a use
	unused      int       // since then
	first, last time.Time // of the unused ones
}

// then joins a later one to f. An unused recall long after the one before begins
// a new count.
func (f reception) then(o reception, forgiven time.Duration) reception {
	switch {
	case o.wanted():
		o.used, o.asked = later(f.used, o.used), later(f.asked, o.asked)
		return o
	case o.unused == 0:
		return f
	case f.unused == 0 || forgiven > 0 && o.first.Sub(f.last) > forgiven:
		f.unused, f.first = 0, o.first
	}
	f.unused, f.last = f.unused+o.unused, o.last
	return f
}

// wanted reports whether something in f forgives what was before.
func (f reception) wanted() bool { return !f.used.IsZero() || !f.asked.IsZero() }

// govern writes how often a memory was shown and how that was taken into its metadata.
func govern(c config.AutoRecall, d *memory.Metadata, t touch) {
	f := t.reception
	_, counted := d.Extra[keySuppressedMs]
	if t.shown == 0 && f.unused == 0 && f.used.IsZero() && (f.asked.IsZero() || !counted) {
		return // nothing to count, or to forgive
	}
	d.Extra = maps.Clone(d.Extra)
	if d.Extra == nil {
		d.Extra = map[string]json.RawMessage{}
	}
	before := number(*d, keyBadRecallAt)
	if before == 0 {
		before = number(*d, keyInjectedAt)
	}
	if t.shown > 0 {
		put(d, keyInjected, number(*d, keyInjected)+int64(t.shown))
		put(d, keyInjectedAt, max(number(*d, keyInjectedAt), t.shownAt.UnixMilli()))
	}
	bad := number(*d, keyBadRecalls)
	if !counted {
		bad = 0 // of a version that counted otherwise
	}
	held := number(*d, keySuppressedMs)
	if f.wanted() {
		d.LastConfirmedUseAt, bad, held = later(d.LastConfirmedUseAt, f.used), 0, 0
	}
	if f.unused > 0 {
		if c.BadRecallDecayMs > 0 && before > 0 && f.first.UnixMilli()-before > int64(c.BadRecallDecayMs) {
			bad = 0
		}
		bad += int64(f.unused)
		put(d, keyBadRecallAt, f.last.UnixMilli())
		if bad >= unusedBefore && c.SuppressionDurationMs > 0 {
			held = max(held, f.last.UnixMilli()+int64(c.SuppressionDurationMs))
		}
	}
	put(d, keyBadRecalls, bad)
	put(d, keySuppressedMs, held)
}

// number reads a count or a time in epoch milliseconds; 0 for anything else.
func number(d memory.Metadata, key string) int64 {
	var n float64
	if json.Unmarshal(d.Extra[key], &n) != nil || !(n > 0 && n <= latestMilli) {
		return 0
	}
	return int64(n)
}

// latestMilli is the last time that JavaScript can name.
const latestMilli = 8.64e15

func put(d *memory.Metadata, key string, n int64) { d.Extra[key] = strconv.AppendInt(nil, n, 10) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
