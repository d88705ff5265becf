package engine

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

const aDay = 24 * time.Hour

func TestGovern(t *testing.T) {
	at := now
	ms := func(t time.Time) int64 { return t.UnixMilli() }
	settings := config.AutoRecall{MinRepeated: 8, BadRecallDecayMs: 86_400_000, SuppressionDurationMs: 1_800_000}
	bad := func(n int, at time.Time) touch { return touch{reception: reception{unused: n, first: at, last: at}} }
	for name, c := range map[string]struct {
		had    map[string]int64
		change func(*config.AutoRecall)
		touch  touch
		want   map[string]int64
	}{
		"shown":                    {nil, nil, touch{shown: 2, shownAt: at}, map[string]int64{keyInjected: 2, keyInjectedAt: ms(at), keyBadRecalls: 0, keySuppressedMs: 0}},
		"unused once":              {nil, nil, bad(1, at), map[string]int64{keyBadRecalls: 1, keySuppressedMs: 0, keyBadRecallAt: ms(at)}},
		"unused a third time":      {map[string]int64{keyBadRecalls: 2, keySuppressedMs: 0, keyBadRecallAt: ms(at.Add(-time.Hour))}, nil, bad(1, at), map[string]int64{keyBadRecalls: 3, keySuppressedMs: ms(at) + 1_800_000, keyBadRecallAt: ms(at)}},
		"three in one batch":       {nil, nil, bad(3, at), map[string]int64{keyBadRecalls: 3, keySuppressedMs: ms(at) + 1_800_000, keyBadRecallAt: ms(at)}},
		"forgiven meanwhile":       {map[string]int64{keyBadRecalls: 2, keySuppressedMs: 0, keyBadRecallAt: ms(at.Add(-2 * aDay))}, nil, bad(1, at), map[string]int64{keyBadRecalls: 1, keySuppressedMs: 0, keyBadRecallAt: ms(at)}},
		"never forgiven":           {map[string]int64{keyBadRecalls: 2, keySuppressedMs: 0, keyBadRecallAt: ms(at.Add(-200 * aDay))}, func(c *config.AutoRecall) { c.BadRecallDecayMs = 0 }, bad(1, at), map[string]int64{keyBadRecalls: 3, keySuppressedMs: ms(at) + 1_800_000, keyBadRecallAt: ms(at)}},
		"of an older version":      {map[string]int64{keyBadRecalls: 9, keyInjectedAt: ms(at.Add(-time.Hour))}, nil, bad(1, at), map[string]int64{keyBadRecalls: 1, keySuppressedMs: 0, keyBadRecallAt: ms(at), keyInjectedAt: ms(at.Add(-time.Hour))}},
		"used":                     {map[string]int64{keyBadRecalls: 5, keySuppressedMs: ms(at.Add(time.Hour))}, nil, touch{reception: reception{used: at}}, map[string]int64{keyBadRecalls: 0, keySuppressedMs: 0}},
		"whatever may be repeated": {map[string]int64{keyBadRecalls: 7, keySuppressedMs: 0, keyBadRecallAt: ms(at)}, func(c *config.AutoRecall) { c.MinRepeated = 0 }, bad(1, at), map[string]int64{keyBadRecalls: 8, keySuppressedMs: ms(at) + 1_800_000, keyBadRecallAt: ms(at)}},
		"recalled while held back": {map[string]int64{keyBadRecalls: 5, keySuppressedMs: ms(at.Add(time.Hour)), keyBadRecallAt: ms(at)}, nil, touch{times: 1, last: at, reception: reception{asked: at}}, map[string]int64{keyBadRecalls: 0, keySuppressedMs: 0, keyBadRecallAt: ms(at)}},
		"recalled, never judged":   {nil, nil, touch{times: 1, last: at, reception: reception{asked: at}}, nil},
		"recalled, then unused":    {map[string]int64{keyBadRecalls: 5, keySuppressedMs: ms(at.Add(time.Hour)), keyBadRecallAt: ms(at)}, nil, touch{reception: reception{asked: at}.then(bad(1, at.Add(time.Minute)).reception, aDay)}, map[string]int64{keyBadRecalls: 1, keySuppressedMs: 0, keyBadRecallAt: ms(at.Add(time.Minute))}},
		"no duration":              {map[string]int64{keyBadRecalls: 7, keySuppressedMs: 0, keyBadRecallAt: ms(at)}, func(c *config.AutoRecall) { c.SuppressionDurationMs = 0 }, bad(1, at), map[string]int64{keyBadRecalls: 8, keySuppressedMs: 0, keyBadRecallAt: ms(at)}},
		"recalled on purpose":      {map[string]int64{keyBadRecalls: 7}, nil, touch{times: 3, last: at}, map[string]int64{keyBadRecalls: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			had := memory.Metadata{Extra: map[string]json.RawMessage{"theirs": json.RawMessage(`"kept"`)}}
			for k, v := range c.had {
				put(&had, k, v)
			}
			d, s := had, settings
			if c.change != nil {
				c.change(&s)
			}
			govern(s, &d, c.touch)
			for _, key := range []string{keyInjected, keyInjectedAt, keyBadRecalls, keySuppressedMs, keyBadRecallAt} {
				if got := number(d, key); got != c.want[key] {
					t.Errorf("%s = %d, want %d", key, got, c.want[key])
				}
			}
			if string(d.Extra["theirs"]) != `"kept"` || len(had.Extra) != len(c.had)+1 {
				t.Errorf("what others wrote changed, or the row that was read: %v, %v", d.Extra, had.Extra)
			}
			if c.touch.reception.used.IsZero() != d.LastConfirmedUseAt.IsZero() {
				t.Errorf("confirmed at %s", d.LastConfirmedUseAt)
			}
		})
	}
}

// Joining notes in any grouping gives what joining them one by one does.
func TestReceptionsJoin(t *testing.T) {
	at := func(h int) time.Time { return now.Add(time.Duration(h) * time.Hour) }
	bad := func(h int) reception { return reception{unused: 1, first: at(h), last: at(h)} }
	good := func(h int) reception { return reception{used: at(h)} }
	asked := func(h int) reception { return reception{asked: at(h)} }
	for _, c := range []struct {
		in   []reception
		want reception
	}{
		{[]reception{bad(0), bad(1), bad(2)}, reception{unused: 3, first: at(0), last: at(2)}},
		{[]reception{bad(0), good(1), bad(2)}, reception{used: at(1), unused: 1, first: at(2), last: at(2)}},
		{[]reception{bad(0), bad(1), good(2)}, good(2)},
		{[]reception{bad(0), bad(30), bad(31)}, reception{unused: 2, first: at(30), last: at(31)}},
		{[]reception{{}, bad(0), {}}, bad(0)},
		{[]reception{bad(0), asked(1), bad(2)}, reception{asked: at(1), unused: 1, first: at(2), last: at(2)}},
		{[]reception{good(0), bad(1), asked(2)}, reception{used: at(0), asked: at(2)}},
	} {
		var left reception
		for _, r := range c.in {
			left = left.then(r, aDay)
		}
		right := c.in[0].then(c.in[1].then(c.in[2], aDay), aDay)
		if left != c.want || right != c.want {
			t.Errorf("%+v\nand %+v, want\n%+v", left, right, c.want)
		}
	}
}
