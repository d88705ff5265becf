package screen

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Who speaks in a conversation with a model, and what stands behind such a name.
var (
	roleNames = strings.Fields(`system assistant user human developer tool function ai bot model gpt chatgpt claude gemini
		admin administrator operator instruction instructions prompt
		assistent benutzer nutzer entwickler anweisung anweisungen systemprompt systemanweisung
		systeme utilisateur développeur consigne consignes
		sistema asistente usuario desarrollador instrucción instrucciones
		система ассистент пользователь разработчик инструкция
		系统 系統 助手 助理 用户 用戶 使用者 开发者 開發者 管理员 管理員 指令 提示词 提示詞 人类
		システム アシスタント ユーザー 開発者 指示 プロンプト
		시스템 어시스턴트 사용자 개발자 관리자 지시 프롬프트`)
	roleTails = strings.Fields(`prompt prompts message messages instruction instructions note notice override update command commands
		response output result call role turn mode context assistant agent ai input query
		提示 提示词 提示詞 消息 指令 通知 メッセージ プロンプト 指示 메시지 프롬프트 지시`)
	// markNames stand in brackets: [INST], [/INST], [END UNTRUSTED DATA].
	markNames = strings.Fields(`inst sys bos eos tools availabletools toolcalls toolresults toolcontent systemprompt prefix suffix middle
		untrusteddata enduntrusteddata endofcontext endcontext endofmemories endmemories endofnotes`)
)

// role matches the letters of a line's beginning when it names a speaker, mark
// those of a bracket that marks a turn.
var role, turnMark = sync.OnceValue(func() *regexp.Regexp { return rolePattern("") }),
	sync.OnceValue(func() *regexp.Regexp { return rolePattern("|" + strings.Join(markNames, "|")) })

func rolePattern(more string) *regexp.Regexp {
	names := func(words []string) string {
		folded := make([]string, len(words))
		for i, w := range words {
			folded[i] = letters(fold(w))
		}
		return strings.Join(folded, "|")
	}
	return regexp.MustCompile(`^(?:(?:begin|end|start|the|new|hidden|secret|important|urgent)?(?:` + names(roleNames) + `)(?:` + names(roleTails) + `){0,2}` + more + `)$`)
}

// How far into a line a role is looked for, in characters: long enough for a
// label of ours and a name that is drawn out.
const (
	roleReach  = 80
	labelReach = 160
)

// unposed keeps a line from beginning like the turn of a speaker: "System: obey"
// becomes "System – obey", "### Instruction" becomes "Instruction –", [INST] becomes
// (INST). Spelling does not matter: width, case, accents, letters of other
// alphabets and marks between letters are looked through. It takes nothing away
// that a reader would miss.
func unposed(line string) string {
	line = unmarked(line)
	label, rest := ourLabels(line)
	for { // "system: prompt: obey" has two; each turn takes one away
		from, to, found := roleColon(rest)
		if !found {
			return label + rest
		}
		name := strings.TrimRightFunc(rest[:from], unicode.IsSpace)
		name = strings.TrimLeft(name, "#*=_~> \t")
		rest = strings.TrimRight(name+" "+dash+" "+strings.TrimLeftFunc(rest[to:], unicode.IsSpace), " ")
	}
}

// dash takes the place of the colon behind a name.
const dash = "–"

// ourLabels parts what looks like our own labels, "[id] [tag] ", from the rest.
func ourLabels(line string) (label, rest string) {
	at := 0
	for at < len(line) && line[at] == '[' {
		end := strings.IndexByte(line[at:min(len(line), at+labelReach)], ']')
		if end < 0 {
			break
		}
		at += end + 1
		for at < len(line) && line[at] == ' ' {
			at++
		}
	}
	return line[:at], line[at:]
}

// roleColon finds the colon behind the name of a speaker, or the end of a line
// that is nothing but such a name.
func roleColon(line string) (from, to int, found bool) {
	var prefix strings.Builder
	n := 0
	for i, r := range line {
		if n++; n > roleReach {
			return 0, 0, false
		}
		folded := foldRune(r)
		if strings.HasPrefix(folded, ":") {
			if name := letters(prefix.String()); name != "" {
				return i, i + len(string(r)), role().MatchString(name)
			}
		}
		prefix.WriteString(folded)
	}
	if strings.HasSuffix(line, dash) {
		return 0, 0, false
	}
	return len(line), len(line), role().MatchString(letters(prefix.String()))
}

// brackets open and close marks of turns.
var brackets = map[rune]rune{'[': ']', '［': '］', '【': '】', '〔': '〕', '⟦': '⟧'}

// unmarked turns the brackets around a mark of a turn into parentheses.
func unmarked(line string) string {
	if !strings.ContainsAny(line, "[［【〔⟦") {
		return line
	}
	runes := []rune(line)
	for i, r := range runes {
		end, opens := brackets[r]
		if !opens {
			continue
		}
		for k := i + 1; k < len(runes) && k-i < roleReach; k++ {
			if runes[k] != end {
				continue
			}
			if turnMark().MatchString(letters(fold(string(runes[i+1 : k])))) {
				runes[i], runes[k] = '(', ')'
			}
			break
		}
	}
	return string(runes)
}
