package screen

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed orders/orders.txt
var orderFile string

// orderMacros stand in the file as {name}.
var orderMacros = strings.NewReplacer(
	// Where an order begins: at the start of a sentence or of a quotation, or
	// behind a word that turns to the listener; then words that urge.
	"{begin}", `(?:^|[.!?;:…。！？；：,，、\n"'“”„«»「『(\[*>|–—-]\s*|\b(?:please|now|then|and|so|kindly|instead|immediately|must|should|will|shall|you to|you can|may now|bitte|nun|jetzt|und|dann|sofort|maintenant|et|puis|desormais|por favor|ahora|y|luego|debes|you have to|you need to|you are to)\s+)`+
		`(?:(?:please|now|then|and|also|just|kindly|instead|first|next|immediately|attention|important|urgent|note|ok|okay|hey|hi|hello|dear|assistant|ai|model|agent|claude|gpt|chatgpt|system|bitte|jetzt|nun|por favor|ahora|maintenant|s'il (?:te|vous) plait)[\s,:!]*){0,4}`,
	"{earlier}", `(?:previous|prior|above|earlier|preceding|existing|foregoing|original|former|initial|past|current|other|system|safety|security|developer|developer's|admin|built-in|default)`,
	"{rules}", `(?:instructions?|prompts?|guidelines?|directives?|orders|programming|training|safeguards?|guardrails?|polic(?:y|ies))`,
	"{secrets}", `conversations?|conversation history|chat history|chat logs?|transcripts?|messages|memor(?:y|ies)|passwords?|api[ -]?keys?|credentials?|secrets?|private keys?|ssh keys?|access tokens?|tokens?|system prompt|\.env(?: file)?|environment variables|personal (?:data|information)|session (?:data|history)|files`,
	"{zhsecrets}", `密码|密碼|密钥|密鑰|对话|對話|聊天记录|聊天記錄|记忆|記憶|凭据|憑證|令牌|私钥|隐私|系统提示`,
	"{away}", `https?://|www\.|[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z]|webhook|(?:this|the following|that|my) (?:url|address|server|endpoint|site|email)`,
)

// orderReasons by section of the file.
var orderReasons = map[string]string{
	"turn": SuspectTurn, "override": SuspectOverride, "persona": SuspectPersona, "reveal": SuspectReveal,
	"command": SuspectCommand, "send": SuspectSend, "hint": SuspectHints,
}

// order is one pattern. It is compiled when a text first holds what it needs.
type order struct {
	reason string
	// needs are groups of words; a text without one of each group cannot match.
	// Looking for them costs a hundredth of the pattern.
	needs   [][]string
	pattern func() *regexp.Regexp
}

// orders are those that suffice alone, hints those that do not, in the order of
// the file.
var orders, hints = sync.OnceValue(func() []order { return readOrders(false) }), sync.OnceValue(func() []order { return readOrders(true) })

func readOrders(hint bool) []order {
	var all []order
	var section string
	var needs [][]string
	for n, line := range strings.Split(orderFile, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && orderReasons[line[1:len(line)-1]] != "":
			section = line[1 : len(line)-1]
		case strings.HasPrefix(line, "? "):
			needs = nil
			for _, group := range strings.Split(line[2:], " & ") {
				if group == "|" {
					needs = append(needs, []string{"|"})
					continue
				}
				needs = append(needs, strings.Split(group, " | "))
			}
		case (section == "hint") == hint:
			source, number := orderMacros.Replace(line), n+1
			all = append(all, order{orderReasons[section], needs, sync.OnceValue(func() *regexp.Regexp {
				p, err := regexp.Compile(source)
				if err != nil {
					panic(fmt.Sprintf("orders.txt, line %d: %v", number, err)) // a test compiles them all
				}
				return p
			})})
		}
	}
	return all
}

// in reports whether the order stands in a text and is not merely quoted there.
func (o order) in(s string) bool {
	for _, group := range o.needs {
		if !holdsOne(s, group) {
			return false
		}
	}
	for _, at := range o.pattern().FindAllStringIndex(s, 8) {
		if !reported(s, at[0]) {
			return true
		}
	}
	return false
}

func holdsOne(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
