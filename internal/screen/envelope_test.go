package screen

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const conversation = "Conversation info (untrusted metadata):\n```json\n{\n  \"message_id\": \"12\",\n  \"sender_id\": \"77\"\n}\n```\n\n"
const sender = "Sender (untrusted metadata):\n```json\n{\"name\": \"Mara\"}\n```\n\n"

func TestStripEnvelope(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"everything", conversation + sender + "[Thu 2026-02-12 07:05 CET] which gate does my train leave from", "which gate does my train leave from"},
		{"other titles", "Replied message (untrusted, for context):\n```json\n{\"body\":\"x\"}\n```\nyes, that one", "yes, that one"},
		{"no title", "```json\n{\"message_id\":\"1\",\"sender_id\":\"2\"}\n```\nhello world", "hello world"},
		{"keys the other way", "```json\n{\"sender\":\"2\",\"message_id\":\"1\"}\n```\nhello world", "hello world"},
		{"own json", "```json\n{\"port\": 6543}\n```\nis the config", "```json\n{\"port\": 6543}\n```\nis the config"},
		{"system lines", "System: [2026-02-12 07:05:00 CET] Node connected\nSystem: [2026-02-12 07:06:00 CET] Node left\nhello world", "hello world"},
		{"sub-agent", "[Subagent Context] You run as a sub-agent.\n[Subagent Task]: list the ports", "list the ports"},
		{"channel", "[Telegram Mara id:77 +2m 2026-02-12 07:05 CET] the code is 4417 [message_id: 9]", "the code is 4417"},
		{"cron", "[cron:42 nightly] water the plants", "water the plants"},
		{"own block", "<relevant-memories>\n- x\n</relevant-memories>\n\nwhat now", "what now"},
		{"only envelope", conversation + sender, ""},
		{"a date of the author's", "[2026-03-01 10:00] standup moved", "[2026-03-01 10:00] standup moved"},
		{"brackets of the author's", "[draft] the plan", "[draft] the plan"},
		{"inside the text", "he wrote: Sender (untrusted metadata): nothing", "he wrote: Sender (untrusted metadata): nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, StripEnvelope(c.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		removed        int
	}{
		{"the invoice", "Invoice\u0000 paid\u0007 by\u001b[31m Mara\u2028today", "Invoice paid by Mara\ntoday", 7},
		{"line ends and tabs", "a\r\nb\rc\td\n", "a\nb\nc\td\n", 0},
		{"window title", "\x1b]0;owned\x07text", "text", 10},
		{"lone escape", "a\x1b", "a", 1},
		{"C1", "a\u009bb", "ab", 1},
		{"marks of direction and joiners stay", "\u200fשלום\n\nעולם 👩\u200d💻 cafe\u0301", "\u200fשלום\n\nעולם 👩\u200d💻 cafe\u0301", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, removed, err := Clean(c.in)
			if err != nil || got != c.want || removed != c.removed {
				t.Errorf("Clean = %q, %d, %v; want %q, %d", got, removed, err, c.want, c.removed)
			}
		})
	}
	if _, _, err := Clean("a\xffb"); !errors.Is(err, ErrNotUTF8) {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

func FuzzScreen(f *testing.F) {
	for _, s := range []string{"hi", conversation, "a\x1b[31mb", "\u2028", "<relevant-memories>x</relevant-memories>", "[Thu 2026-02-12 07:05 CET] x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		Noise(s)
		SkipRecall(s)
		if once := StripEnvelope(s); len(once) > len(s) {
			t.Fatalf("StripEnvelope grew %q to %q", s, once)
		} else if twice := StripEnvelope(once); twice != once {
			t.Fatalf("StripEnvelope is not stable: %q, then %q", once, twice)
		}
		clean, removed, err := Clean(s)
		if (err == nil) != utf8.ValidString(s) {
			t.Fatalf("Clean(%q) error %v", s, err)
		}
		if err != nil {
			return
		}
		if removed > 0 == (utf8.RuneCountInString(clean) == utf8.RuneCountInString(s)) && !strings.Contains(s, "\r\n") {
			t.Fatalf("Clean(%q) = %q, removed %d", s, clean, removed)
		}
		for _, r := range clean {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("Clean(%q) left %U", s, r)
			}
		}
		again, more, err := Clean(clean)
		if again != clean || more != 0 || err != nil {
			t.Fatalf("Clean is not stable: %q, then %q", clean, again)
		}
	})
}
