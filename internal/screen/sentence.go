package screen

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit is one sentence of a message, or one line that is not prose.
type unit struct {
	text string
	// line says which line of the message it began on; sentences of one line are
	// put together again with a space.
	line int
	// withheld sentences pass, whatever they say.
	withheld bool
	verdict
}

var (
	fence    = regexp.MustCompile("^[ \t]*(?:```|~~~)")
	boldList = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,2}[.)])\s+\*\*`)
	// machineText are lines that people paste: code, logs, traces, tables, diffs.
	machineText = regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
		`at [\w.$<>/]+ ?\(`, `at (?:async )?[\w.$<>]+(?:\.[\w$<>]+)+`, `File "[^"]+", line \d+`, `Traceback \(most recent`, `Caused by: `, `goroutine \d+ \[`,
		`(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Panic)\b(?:: | at |$)`, `panic: `, `thread '[^']+' panicked`, `(?:Uncaught|Unhandled) `,
		`\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}`, `\d{2}:\d{2}:\d{2}[.,]\d+`, `\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\]?[ :]`, `(?:npm|yarn|pnpm) (?:ERR!|WARN)`, `level=\w+ `,
		`[$%>#] ?(?:sudo |cd |ls|git |npm |pnpm |docker |kubectl |go |python|curl )`, `(?:diff --git|@@ -\d|\+\+\+ |--- a/|index [0-9a-f]{7})`,
		`(?:import|from|package|using|#include|export|const|let|var|func|function|def|class|public|private|return|async|await|if|for|while|else|elif|try|except|catch|switch|type|interface|struct|fn|pub|impl|use) .*[;{:(]$`,
		`(?:const|let|var) \w+ ?=`, `(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP) .*\b(?:FROM|INTO|SET|TABLE|INDEX)\b`,
		`[})\]];?,?$`, `</?[a-zA-Z][^>]*>.*`, `\|.*\|$`, `.*(?:=>|\);|\) \{|};?)$`, `"[\w-]+": ?["\[{\d]`, `[A-Z][A-Z0-9_]{2,}=\S`, `>`, `#{1,6} `, `//`, `/\*`, `\*/`,
	}, "|") + `)`)
	// shortForms end in a full stop without ending a sentence.
	shortForms = regexp.MustCompile(`(?i)(?:^|[\s(])(?:\p{L}|dr|mr|mrs|ms|st|prof|inc|ltd|co|vs|etc|approx|no|nr|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|e\.g|i\.e|z\.b|d\.h|u\.a|bzw|ca|tel|str|hr|fr|sr|sra|art|av|avda|núm|pág|p\.ej|p\.ex|sig|dott|ecc|tzn|např|atd|č|ul|им|ул|т\.е|т\.к|т\.д|г|д|кв)$`)
	// lowMonth continues an ordinal: "12. Mai", "3. srpna".
	ordinal = regexp.MustCompile(`(?:^|\D)\d{1,2}$`)
)

// judged is how much of a sentence is looked at, in characters: what makes it
// worth keeping stands at its beginning, and the patterns are not free.
const judged = 500

// units takes a message apart: fenced and pasted lines are marked as a
// machine's, the rest is split into sentences and judged.
func units(words string) []unit {
	if isJSON(words) {
		return []unit{{text: words, verdict: verdict{kind: hostKind}}}
	}
	var out []unit
	fenced := false
	for n, line := range joinWrapped(strings.Split(words, "\n")) {
		text := strings.TrimSpace(line)
		switch {
		case fence.MatchString(line):
			fenced = !fenced
			fallthrough
		case fenced, machineText.MatchString(line), boldList.MatchString(line), isJSON(text):
			out = append(out, unit{text: text, line: n, verdict: verdict{kind: hostKind}})
			continue
		case text == "":
			continue
		}
		for _, s := range splitSentences(text) {
			u := unit{text: s, line: n, verdict: judge(cut(s, judged))}
			if _, noisy := Noise(s); noisy && u.kind == plainKind {
				u.kind = passingKind
			}
			if _, u.withheld = Withheld(s); u.withheld {
				u.kind = passingKind
			}
			out = append(out, u)
		}
	}
	return out
}

// joinWrapped puts lines together that an editor has broken: the one before is
// long and unfinished, and the next goes on in small letters.
func joinWrapped(lines []string) []string {
	var out []string
	for _, line := range lines {
		text := strings.TrimSpace(line)
		if n := len(out); n > 0 && text != "" {
			before := strings.TrimSpace(out[n-1])
			first, _ := utf8.DecodeRuneInString(text)
			last := lastRune(before)
			if utf8.RuneCountInString(before) > 45 && (unicode.IsLetter(last) || last == ',') && unicode.IsLower(first) &&
				!machineText.MatchString(before) && !machineText.MatchString(text) {
				out[n-1] = before + " " + text
				continue
			}
		}
		out = append(out, line)
	}
	return out
}

func isJSON(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) > 1 && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s))
}

// splitSentences cuts a line after its sentence ends. In doubt it does not cut:
// a sentence too long is kept whole, a sentence cut in two loses its sense.
func splitSentences(line string) []string {
	var out []string
	start := 0
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if !strings.ContainsRune(".!?。！？…", r) {
			continue
		}
		end := i + 1
		for end < len(runes) && strings.ContainsRune(".!?。！？…\"'”’»）)」』", runes[end]) {
			end++
		}
		wide := r == '。' || r == '！' || r == '？'
		if !wide && (end < len(runes) && !unicode.IsSpace(runes[end])) {
			i = end - 1
			continue
		}
		if r == '.' && end == i+1 && end < len(runes) {
			before := string(runes[max(start, i-12):i])
			next := firstLetter(runes[end:])
			if shortForms.MatchString(before) || ordinal.MatchString(before) || unicode.IsLower(next) {
				continue
			}
		}
		if s := strings.TrimSpace(string(runes[start:end])); s != "" {
			out = append(out, s)
		}
		start, i = end, end-1
	}
	if s := strings.TrimSpace(string(runes[start:])); s != "" {
		out = append(out, s)
	}
	return out
}

func firstLetter(runes []rune) rune {
	for _, r := range runes {
		if !unicode.IsSpace(r) {
			return r
		}
	}
	return 0
}
