package screen

import (
	"regexp"
	"strings"
)

// What hosts put in front of a message. Each pattern is tried at the start of the
// text, again and again until none fits.
var envelopes = []*regexp.Regexp{
	// Context the host itself marks as untrusted: a title line and fenced JSON.
	regexp.MustCompile("^[A-Z][^\n]{0,80}\\(untrusted[^)\n]*\\):[ \t]*\r?\n+```[a-z]*\r?\n(?s:.*?)\n```[ \t]*(?:\r?\n|$)"),
	// The same without a title, known by its keys.
	regexp.MustCompile("^```(?:json)?\r?\n(?s:[^`]*?\"message_id\"[^`]*?\"sender(?:_id)?\"[^`]*?)\n```[ \t]*(?:\r?\n|$)"),
	regexp.MustCompile("^```(?:json)?\r?\n(?s:[^`]*?\"sender(?:_id)?\"[^`]*?\"message_id\"[^`]*?)\n```[ \t]*(?:\r?\n|$)"),
	// "System: [2026-02-12 07:05:00 CET] Node connected"
	regexp.MustCompile(`^System: \[[^\]\n]+\][^\n]*(?:\n|$)`),
	// Frames of a sub-agent: the context line goes whole, of the task its mark.
	regexp.MustCompile(`^\[Subagent Context\][^\n]*(?:\n|$)`),
	regexp.MustCompile(`^\[Subagent Task\]:?[ \t]*`),
	// "[Thu 2026-02-12 07:05 CET]" and "[Telegram Mara id:77 +2m 2026-02-12 07:05 CET]".
	// Without weekday or channel a date in brackets is the author's own.
	regexp.MustCompile(`^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?: [A-Za-z0-9+:/_-]{1,30})?\][ \t]*`),
	regexp.MustCompile(`^\[(?:Telegram|WhatsApp|Discord|Slack|Signal|iMessage|Matrix|Teams|MSTeams|Google Chat|LINE|Feishu|Mattermost|WebChat|Nostr|IRC|Zalo|BlueBubbles|Nextcloud Talk)\b[^\]\n]*\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[^\]\n]*\][ \t]*`),
	regexp.MustCompile(`^\[cron:[^\]\n]*\][ \t]*`),
}

// trailing marks the host appends.
var trailingMark = regexp.MustCompile(`\s*\[message_id: ?[^\]\n]{1,80}\]\s*$`)

// StripEnvelope removes what a host wrapped around a message, and blocks this
// product injected itself. What is left is the message, empty if there was none;
// there is nothing to strip from it any more.
func StripEnvelope(text string) string {
	for range rounds {
		stripped := stripOnce(text)
		if stripped == text {
			break
		}
		text = stripped
	}
	return text
}

func stripOnce(text string) string {
	s := strings.TrimSpace(StripInjected(text))
	for again := true; again; {
		again = false
		for _, p := range envelopes {
			if at := p.FindStringIndex(s); at != nil && at[1] > 0 {
				s, again = strings.TrimSpace(s[at[1]:]), true
			}
		}
	}
	return strings.TrimSpace(trailingMark.ReplaceAllString(s, ""))
}
