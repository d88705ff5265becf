package screen

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Shortest prompts that call for recall unless they ask something: 15
// characters, or 6 where a character is a word.
const (
	minPrompt      = 15
	minPromptDense = 6
)

var (
	// asksMemory brings recall on whatever else the prompt looks like.
	asksMemory = regexp.MustCompile(`\b(?:remember|recall|forgot|forgotten|forget|memory|memories|remind|last (?:time|week|month|year)|previously|earlier|before|yesterday|ago|as (?:always|usual)|again)\b` +
		`|\bmy (?:name|e-?mail|phone|number|address|birthday|age|job|wife|husband|partner|son|daughter|dog|cat|favou?rite|preference)` +
		`|\bwhat (?:did|have|do) (?:i|we)\b|\bdid (?:i|we)\b|\bwho am i\b` +
		`|\b(?:erinner\w*|letztes mal|gestern|vorher|früher|damals|neulich|vergessen|mein(?:e|en|em)? (?:name|adresse|geburtstag))\b` +
		`|记得|记住|记忆|忘了|上次|之前|以前|昨天|上周|曾经|我叫|我的(?:名字|生日|邮箱|电话|地址)|老样子` +
		`|覚えて|前回|昨日|以前|기억|지난번|어제`)

	// Lines for a shell. "make" and "cat" are also words, so they need an argument
	// that looks like one.
	command = regexp.MustCompile(`^(?:(?:ls|cd|pwd|grep|git|npm|npx|pnpm|yarn|pip3?|python3?|cargo|docker|kubectl|curl|ssh|sudo|chmod|mkdir|rm|mv|cp)(?: \S+){0,6}|make(?: [a-z0-9_-]+)?|cat \S*[./]\S*)$`)
	// "run the tests", "build": orders of a few words.
	shortOrder = regexp.MustCompile(`^(?:run|build|test|lint|format|commit|push)(?: \S+){0,3}$`)

	goAhead = whole(
		`(?:please )?(?:go ahead|continue|proceed|keep going|carry on|do it|go on|next|try again|retry|start|stop|cancel)(?: please)?`,
		`(?:请)?(?:继续|实施|开始|执行|下一步|停止|取消|再试一次|可以继续)(?:吧|一下)?`, `weiter|mach weiter|続けて(?:ください)?|계속(?:해)?`,
	)
)

// SkipRecall reports whether a prompt needs no memory: greetings, confirmations,
// commands, heartbeats, and anything too short to ask about something. A prompt
// that mentions memory or the past never is skipped.
func SkipRecall(prompt string) bool { return SkipRecallBelow(prompt, 0) }

// SkipRecallBelow is SkipRecall with another shortest length in characters; 0
// means the default.
func SkipRecallBelow(prompt string, shortest int) bool {
	text := StripEnvelope(prompt)
	s := plain(text)
	lower := strings.ToLower(text)
	if width(s) < 2 {
		return true
	}
	if strings.HasPrefix(text, "/") || strings.HasPrefix(lower, "[system") || boilerplate.MatchString(s) {
		return true
	}
	if greeting.MatchString(s) || greetingByName.MatchString(text) || acknowledgement.MatchString(s) || goAhead.MatchString(s) {
		return true
	}
	if asksMemory.MatchString(s) {
		return false
	}
	if width(s) < minNoiseWidth {
		return true
	}
	question := strings.ContainsAny(text, "?？")
	if !question && !strings.Contains(strings.TrimSpace(text), "\n") && (command.MatchString(lower) || shortOrder.MatchString(s)) {
		return true
	}
	if shortest <= 0 {
		shortest = minPrompt
		if hasDense(s) {
			shortest = minPromptDense
		}
	}
	return !question && utf8.RuneCountInString(strings.TrimSpace(text)) < shortest
}
