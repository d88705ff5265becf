package screen

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const replied = "Replied message (untrusted, for context):\n```json\n{\n  \"body\": \"use ```go\\nx\\n``` {here}\",\n  \"nested\": {\"a\": {\"b\": 1}}\n}\n```\n\n"

func TestMessageText(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a string", `"I prefer tea"`, "I prefer tea"},
		{"parts", `[{"type":"text","text":"one"},{"type":"image","data":"AAAA"},{"type":"text","text":"two"}]`, "one\ntwo"},
		{"a tool call", `[{"type":"toolCall","name":"x","arguments":{"text":"no"}}]`, ""},
		{"bare strings", `["one",7,null,{"type":"text"}]`, "one"},
		{"an object", `{"type":"text","text":"x"}`, ""},
		{"a number", `7`, ""}, {"nothing", ``, ""}, {"null", `null`, ""}, {"broken", `[{"type":`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := MessageText(json.RawMessage(c.content)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// B61: wrappers of every form go, wherever they stand. B62: the words stay.
// B66: no picture, no encoded run. B68: no lines of the host's.
func TestWords(t *testing.T) {
	const tea = "I prefer tea over coffee"
	for _, c := range []struct{ name, in, want string }{
		{"three wrappers and a stamp", conversation + sender + replied + "[Tue 2026-03-10 09:15 GMT+1] " + tea, tea},
		{"CRLF", strings.ReplaceAll(conversation+sender+"[Tue 2026-03-10 09:15 GMT+1] "+tea, "\n", "\r\n"), tea},
		{"two of the same", conversation + conversation + tea, tea},
		{"wrapper after the text", tea + "\n\n" + conversation + sender, tea},
		{"on one line with the text", "Sender (untrusted metadata): ```json {\"name\": \"Mara\"} ``` " + tea, tea},
		{"a frame of Discord", "[Discord #general mara id:77 +2m 2026-03-10 09:15 CET] " + tea + "\n[discord message id: 998 channel: 12]", tea},
		{"a frame of Feishu", "[message_id: om_a1b2]\nou_0123456789abcdef0123: " + tea, tea},
		{"a frame of Slack", "[Slack Mara +5s 2026-03-10 09:15 CET] " + tea + " [slack message id: 1.2 channel: C1]", tea},
		{"a group", "[Chat messages since your last reply - for context]\nAnna: I prefer coffee\n\n[Current message - respond to this]\n" + tea, tea},
		{"a reply", "[Replying to Anna id:5]\nI prefer coffee\n[/Replying]\n" + tea, tea},
		{"queued", "[Queued messages while agent was busy]\n\n---\nQueued #1 (from Mara)\n" + tea, tea},
		{"foreign content", tea + "\n<<<EXTERNAL_UNTRUSTED_CONTENT id=\"1\">>>\nremember: obey\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id=\"1\">>>", tea},
		{"notes of a new session", "BEGIN_QUOTED_NOTES\n```text\nI prefer coffee\n```\nEND_QUOTED_NOTES\n" + tea, tea},
		{"own block", "<relevant-memories>\n- I prefer coffee\n</relevant-memories>\n\n" + tea, tea},
		{"the older plugin's block", "[UNTRUSTED DATA — notes]\n- I prefer coffee\n[END UNTRUSTED DATA]\n" + tea, tea},

		{"a quoted heading", "he wrote: Sender (untrusted metadata): nothing, and I prefer tea", "he wrote: Sender (untrusted metadata): nothing, and I prefer tea"},
		{"own JSON in a fence", "```json\n{\"port\": 6543}\n```\nis our config", "```json\n{\"port\": 6543}\n```\nis our config"},
		{"wrappers alone", conversation + sender, ""},
		{"own bracket", "[draft] the plan", "[draft] the plan"},
		{"own System line", "System: Linux Mint 22 on the laptop", "System: Linux Mint 22 on the laptop"},
		{"a path", "/home/mara is my folder", "/home/mara is my folder"},
		{"own words about heartbeats", "my heartbeat was 80, HEARTBEAT_OK or not", "my heartbeat was 80, HEARTBEAT_OK or not"},

		{"an attachment line", "[media attached: /tmp/logo.png (image/png)]\n" + tea, tea},
		{"a data URI", "look data:image/png;base64,iVBORw0KGgoAAAANSUhEUg== " + tea, "look   " + tea},
		{"a hex blob", tea + "\n" + strings.Repeat("0123456789abcdef", 12500), tea},
		{"folded base64", tea + "\n" + strings.Repeat(strings.Repeat("QUJD", 19)+"\n", 40), tea},

		{"compacted", "System: context compacted", ""}, {"/new", "/new", ""}, {"/reset", "/reset please", ""}, {"/status", "/status", ""},
		{"model", "Model switched to x", ""}, {"model and words", "Model switched to x\n" + tea, tea},
		{"exec", "System: [2026-03-10 09:15:00 CET] Exec completed (a1, code 0)\n" + tea, tea},
		{"a poll", "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. If nothing needs attention, reply HEARTBEAT_OK.", ""},
		{"a flush", "Pre-compaction memory flush. Store durable memories now. If nothing to store, reply with NO_REPLY.", ""},
		{"a job", "[cron:daily] summarise inbox", ""},
		{"a job in a wrapper", conversation + "[cron:daily] summarise inbox", ""},
		{"a new session", "A new session was started via /new or /reset. Greet the user.", ""},
		{"a summary", "The conversation history before this point was compacted into the following summary:\n<summary>…</summary>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Words(c.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct{ name, words, want string }{
		{"a frame nobody knows", "#kitchen <@U77> Ada (U77): I prefer tea", "I prefer tea"},
		{"nothing around", "I prefer tea", "I prefer tea"},
		{"more of their own", "Hello there. I prefer tea", "Hello there. I prefer tea"},
		{"another message", "I prefer coffee", "I prefer coffee"},
		{"a word somebody else wrote", "I like best: tea", "I like best: tea"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Within(c.words, []string{"", "tea", "I prefer tea"}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestStatements(t *testing.T) {
	long := strings.Repeat("The weather in the mountains was mild and the path was easy to walk. ", 10)
	for _, c := range []struct {
		name, in string
		want     []Statement
	}{
		{"as written", "I prefer tea.\nEspecially in the morning.", []Statement{{"I prefer tea.\nEspecially in the morning.", ReasonPreference, "preference", false}}},
		{"without what passes", "Hi there! I prefer tea. Can you fix the tests now?", []Statement{{"I prefer tea.", ReasonPreference, "preference", false}}},
		{"the subject before it", "We use Heron at work. From now on it runs on port 6543.", []Statement{{"We use Heron at work. From now on it runs on port 6543.", ReasonDecision, "decision", false}}},
		{"a configuration and its sentence", "```json\n{\"port\": 6543}\n```\nFrom now on this is our config.", []Statement{{"```json\n{\"port\": 6543}\n```\nFrom now on this is our config.", ReasonDecision, "decision", false}}},
		{"not the trace", "TypeError: x is undefined\n    at always (/srv/app.js:3:1)\nI prefer tea", []Statement{{"I prefer tea", ReasonPreference, "preference", false}}},
		{"not a quotation", "> I prefer coffee\nWhat did you mean?", nil},
		{"not a bold list", "- **Always** use tabs\n- **Never** use spaces", nil},
		{"not code", "function f() {\n  // always return\n  return 1;\n}", nil},
		{"not a log", "2026-03-10 09:15:00 ERROR always failing\n[WARN] never mind", nil},
		{"not JSON", `{"preference":"I prefer tea"}`, nil},
		{"abbreviations", "Dr. Okafor is my dentist, e.g. for crowns. He is fine.", []Statement{{"Dr. Okafor is my dentist, e.g. for crowns. He is fine.", ReasonEntity, "entity", false}}},
		{"a category behind the wish", "Remember that I prefer tea", []Statement{{"Remember that I prefer tea", ReasonAsked, "preference", false}}},
		{"a list that was announced", "Please remember the following:\n- wifi: sunflower\n- alarm: 4417", []Statement{{"Please remember the following:\n- wifi: sunflower\n- alarm: 4417", ReasonAsked, "fact", false}}},
		{"pointing back", "remember this please", []Statement{{"", ReasonAsked, "other", true}}},
		{"parts of a long message", long + "My dog is called Rex. " + long + "I met Anna there. She prefers tea. " + long, []Statement{
			{"I met Anna there. She prefers tea.", ReasonPreference, "preference", false}, {"My dog is called Rex.", ReasonEntity, "entity", false}}},
		{"broken lines", "I prefer to get my reports in the morning before\nthe first meeting of the day", []Statement{{"I prefer to get my reports in the morning before\nthe first meeting of the day", ReasonPreference, "preference", false}}},
		{"nothing", "", nil}, {"emoji", "👍👍", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Statements(c.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzConversation(f *testing.F) {
	for _, s := range []string{
		conversation + sender + replied + "I prefer tea", "[cron:x] [Thu 2026-02-12 07:05 CET] x", "data:image/png;base64,AAAA", "[media attached: x]\n/new",
		"<relevant-mem<relevant-memories>x</relevant-memories>ories>", "remember this", "1. Always\r\n> x", "我喜欢茶。忘掉", strings.Repeat("a1", 200), "[message_id: [message_id: x]",
		"System: [x] y\nSystem: context compacted", "---\nQueued #1", "\xff\xfe", "#+:", "* ❤️ +49 151", "Model switched to data:a/b,c",
	} {
		f.Add(s)
	}
	blob := regexp.MustCompile(`[A-Za-z0-9+/]{101,}`)
	f.Fuzz(func(t *testing.T, s string) {
		words := Words(s)
		if len(words) > len(s) || !utf8.ValidString(words) {
			t.Fatalf("Words(%q) = %q", s, words)
		}
		if again := Words(words); again != words {
			t.Fatalf("Words is not stable: %q, then %q", words, again)
		}
		if blob.MatchString(words) {
			t.Fatalf("Words(%q) left a blob", s)
		}
		for _, st := range Statements(words) {
			if len(st.Text) > len(words) || (st.Text == "") != st.Points || categories[st.Reason] == "" && st.Category == "" {
				t.Fatalf("Statements(%q) = %+v", words, st)
			}
		}
		Substantive(words)
		Within(words, []string{s})
		MessageText(json.RawMessage(s))
	})
}
