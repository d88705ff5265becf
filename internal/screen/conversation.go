package screen

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// What reaches capture. A session's history holds a person's words inside what
// the host, the channel and this product put around them:
//
//	message → MessageText (text parts only) → Words (without wrapping, pictures,
//	machine lines) → Statements (the sentences worth keeping)
//
// Every step only takes away, and what it takes away is known by its form: the
// person's own words are never guessed at.

// MessageText is the text of a message: its content is a string, or parts of
// which those of type "text" count. Anything else has no text.
func MessageText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, raw := range parts {
		var part struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		var bare string
		switch {
		case json.Unmarshal(raw, &bare) == nil && bare != "":
			texts = append(texts, bare)
		case json.Unmarshal(raw, &part) == nil && (part.Type == "text" || part.Type == "input_text") && part.Text != "":
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// removal takes what a pattern matches out of a text that holds the mark; the
// mark is looked for first because it costs next to nothing.
type removal struct {
	mark    string
	pattern *regexp.Regexp
}

func (r removal) from(s, left string) string {
	if !strings.Contains(s, r.mark) {
		return s
	}
	return r.pattern.ReplaceAllString(s, left)
}

var (
	// wrappers are blocks of the host that may stand anywhere in a message, at
	// the beginning of a line.
	wrappers = []removal{
		{"(untrusted", regexp.MustCompile("(?m)^[A-Z][^\n]{0,80}\\(untrusted[^)\n]*\\):[ \t]*\n+```[a-z]*\n(?s:.*?)\n```[ \t]*(?:\n|$)")},
		{"(untrusted", regexp.MustCompile("(?m)^[A-Z][^\n]{0,80}\\(untrusted[^)\n]*\\):[ \t]*\n?```[a-z]*[ \t]*\\{[^\n]*?\\}[ \t]*```[ \t]*")},
		{"<<<EXTERNAL", regexp.MustCompile("(?s)<<<EXTERNAL_UNTRUSTED_CONTENT[^>\n]*>>>.*?<<<END_EXTERNAL_UNTRUSTED_CONTENT[^>\n]*>>>")},
		{"BEGIN_QUOTED_NOTES", regexp.MustCompile(`(?s)BEGIN_QUOTED_NOTES\b.*?\bEND_QUOTED_NOTES`)},
		{"[UNTRUSTED", regexp.MustCompile(`(?s)\[UNTRUSTED DATA\b[^\]\n]*\].*?\[END UNTRUSTED DATA\]`)},
		// A group chat: what others said since, then the message itself.
		{"[Chat messages", regexp.MustCompile(`(?s)^\[Chat messages since your last reply[^\]\n]*\].*?\[Current message[^\]\n]*\][ \t]*\n?`)},
		{"[Replying", regexp.MustCompile(`(?sm)^\[Replying to [^\]\n]*\].*?\[/Replying\][ \t]*`)},
		{"[Queued", regexp.MustCompile(`(?m)^\[Queued messages while [^\]\n]*\][ \t]*$`)},
		{"Queued #", regexp.MustCompile(`(?m)^---\nQueued #\d+[^\n]*$`)},
		{"message", regexp.MustCompile(`(?m)[ \t]*\[(?:(?:slack|discord|telegram|feishu|lark|whatsapp|signal|matrix|teams|mattermost) message id|message_id): ?[^\]\n]{1,120}\][ \t]*$`)},
		// The sender in front of a message in a group.
		{"_", regexp.MustCompile(`^\s*(?:ou|on)_[0-9a-f]{16,}: `)},
	}
	// attachments are what stands for a picture or a file.
	attachments = []removal{
		{"attached", regexp.MustCompile(`\[(?:media|file|image|audio|video|document|attachment)s? attached[^\]\n]*\](?:[ \t]*\|[^\n]*)?`)},
		{"<media:", regexp.MustCompile(`<media:[a-z]+>(?: \(\d+ \w+\))?`)},
		{"send an image back", regexp.MustCompile(`(?m)^To send an image back, (?:prefer|use) [^\n]*$`)},
		{"](data:", regexp.MustCompile(`!\[[^\]\n]*\]\(data:[^)\s]*\)`)},
		{"data:", regexp.MustCompile(`data:[A-Za-z0-9.+-]{1,40}/[A-Za-z0-9.+-]{1,60}(?:;[A-Za-z0-9=.+-]{1,60})*,[A-Za-z0-9+/=_%-]*`)},
	}
	// machineLines are notices that hosts put into the history as if the person
	// had written them.
	machineLines = regexp.MustCompile(`^[ \t]*(?:` + strings.Join([]string{
		`System: (?:\[|(?:the )?(?:context|conversation|session|history|compaction|model|exec|node|gateway|heartbeat|reminder|memory)\b)[^\n]*`,
		`(?:System: )?[Mm]odel (?:switched|changed|set|reset) to \S+`,
		`(?:System: )?(?:⚙️ ?|🧹 ?|🔄 ?)?(?:Context|Session|Conversation|History) (?:was |has been )?(?:compacted|reset|cleared|truncated)[^\n]{0,60}`,
		`\[(?:System Message|system)\][^\n]*`,
	}, "|") + `)[ \t]*$`)
	slashCommand = regexp.MustCompile(`^/[A-Za-z][\w:-]*(?:\s|$)`)
	// hostMade are whole messages of the host: heartbeats, jobs, the turn before
	// a compaction, the summary after it, the start of a session.
	hostMade = regexp.MustCompile(`^(?:` + strings.Join([]string{
		`Read HEARTBEAT\.md\b`, `(?i:pre-compaction memory flush)\b`, `(?i:post-compaction context)\b`,
		`A new session was started via /new or /reset\b`, `(?i:the conversation history before this point was compacted)\b`,
		`(?i:an async command (?:you ran earlier|did)\b)`, `(?i:a scheduled reminder has been triggered)\b`,
		`(?:\[[^\]\n]{0,120}\][ \t]*){0,3}\[cron:`, `\[System\b`, `\[Subagent (?:Context|Task)\]`, `\[Inter-session message\]`, `<(?:summary|compaction)\b`,
	}, "|") + `)`)
	replyToken = regexp.MustCompile(`(?i:reply|respond|answer)\b[^\n]{0,40}\b(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP)\b`)
	blankLines = regexp.MustCompile(`\n[ \t]*\n(?:[ \t]*\n)+`)
)

// rounds bounds how often wrapping inside wrapping is looked for.
const rounds = 8

// Words is what a person wrote in a message, with its wrapping, its pictures
// and the host's own lines taken off; "" when nothing is left. It never makes a
// text longer, and applied again it changes nothing.
func Words(text string) string {
	s := strings.ToValidUTF8(text, "")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	for range rounds {
		before := s
		if s = unwrap(s); s == before {
			break
		}
	}
	return s
}

func unwrap(s string) string {
	for _, w := range wrappers {
		s = w.from(s, "")
	}
	// Before the envelope goes: it may say that a job wrote the message.
	if FromHost(s) {
		return ""
	}
	s = withoutMachineLines(StripEnvelope(s))
	for _, a := range attachments {
		s = a.from(s, " ")
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(withoutBlobs(s), "\n\n"))
}

// withoutMachineLines empties the lines a host wrote. Only lines that begin
// like one are compared.
func withoutMachineLines(s string) string {
	if !strings.ContainsAny(s, "SMCHm[⚙🧹🔄") {
		return s
	}
	lines := strings.Split(s, "\n")
	changed := false
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if text == "" || !strings.ContainsRune("SMCHm[⚙🧹🔄", []rune(text[:min(len(text), 4)])[0]) {
			continue
		}
		if machineLines.MatchString(line) {
			lines[i], changed = "", true
		}
	}
	if !changed {
		return s
	}
	return strings.Join(lines, "\n")
}

// tokens are what a host asks a model to answer with when there is nothing to say.
var tokens = []string{"HEARTBEAT_OK", "NO_REPLY", "ANNOUNCE_SKIP"}

func asksForToken(s string) bool {
	return slices.ContainsFunc(tokens, func(t string) bool { return strings.Contains(s, t) }) && replyToken.MatchString(s)
}

// FromHost reports whether a whole message was made by the host or is a command
// to it: then nobody's words are in it.
func FromHost(text string) bool {
	s := strings.TrimSpace(StripInjected(text))
	if slashCommand.MatchString(s) || hostMade.MatchString(s) || asksForToken(s) {
		return true
	}
	s = StripEnvelope(s)
	return slashCommand.MatchString(s) || hostMade.MatchString(s)
}

// longestWrapping is how many characters may stand before or after a message
// that arrived, and still be a channel's wrapping.
const longestWrapping = 120

// leastReceived is the width of what can be told from a word of somebody else's
// that the message happens to hold; shorter ones state nothing anyway.
const leastReceived = 10

// Within finds what arrived on a channel, word for word, inside the message that
// reached the agent. If only a short frame of one line is around it, what
// arrived is what the person wrote; otherwise words stays as it is, because the
// rest may be theirs, too.
func Within(words string, received []string) string {
	best := ""
	for _, r := range received {
		before, after, found := strings.Cut(words, r)
		if found && width(r) >= leastReceived && frameOnly(before) && frameOnly(after) && len(r) > len(best) {
			best = r
		}
	}
	if best == "" {
		return words
	}
	return best
}

// frameOnly reports whether s could be a sender, a channel or an id, and not a
// sentence.
func frameOnly(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || len([]rune(s)) <= longestWrapping && !strings.Contains(s, "\n") && frameMark.MatchString(s)
}

// frameMark ends or begins with the mark that sets it off.
var frameMark = regexp.MustCompile(`[:\])>|]$|^[\[(<|]`)

// Substantive reports whether a message says enough for "remember this" to mean
// it.
func Substantive(words string) bool {
	if len(words) > pastedFrom {
		words = ends(words)
	}
	if _, noisy := Noise(words); noisy {
		return false
	}
	for _, u := range units(words) {
		if u.kind == plainKind || u.kind == statesKind || u.kind == opensKind {
			return true
		}
	}
	return false
}
