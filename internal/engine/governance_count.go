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
// their order, as far as they matter. What was unused before a use is forgiven.
type reception struct {
	used        time.Time // the last use; zero if none
	unused      int       // since then
	first, last time.Time // of the unused ones
}

// then joins a later one to f. An unused recall long after the one before begins
// a new count.
func (f reception) then(later reception, forgiven time.Duration) reception {
	switch {
	case !later.used.IsZero():
		return later
	case later.unused == 0:
		return f
	case f.unused == 0 || forgiven > 0 && later.first.Sub(f.last) > forgiven:
		return reception{used: f.used, unused: later.unused, first: later.first, last: later.last}
	}
	return reception{used: f.used, unused: f.unused + later.unused, first: f.first, last: later.last}
}

// govern writes how often a memory was shown and how that was taken into its metadata.
func govern(c config.AutoRecall, d *memory.Metadata, t touch) {
	if t.shown == 0 && t.reception == (reception{}) {
		return
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
	if _, counted := d.Extra[keySuppressedMs]; !counted {
		bad = 0 // of a version that counted otherwise
	}
	f, held := t.reception, number(*d, keySuppressedMs)
	if !f.used.IsZero() {
		d.LastConfirmedUseAt, bad, held = later(d.LastConfirmedUseAt, f.used), 0, 0
	}
	if f.unused > 0 {
		if c.BadRecallDecayMs > 0 && before > 0 && f.first.UnixMilli()-before > int64(c.BadRecallDecayMs) {
			bad = 0
		}
		bad += int64(f.unused)
		put(d, keyBadRecallAt, f.last.UnixMilli())
		if bad >= unusedBefore && c.MinRepeated > 0 && c.SuppressionDurationMs > 0 {
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
