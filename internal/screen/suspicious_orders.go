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
	"{author}", `(?:developers?|system(?: ?prompts?| ?messages?)?|operators?|admin(?:istrator)?s?|creators?|user|assistant|openai|anthropic|`+
		`entwickler(?:in|innen)?|administrator(?:in)?|betreiber|hersteller|nutzer|benutzer|system-?prompt|developpeu(?:r|se)s?|systeme|administrateurs?|concepteurs?|createurs?|utilisateur|`+
		`desarrollador(?:a|es)?|sistema|administrador(?:a|es)?|operador|creador(?:es)?|usuario|开发者|开发人员|開發者|管理员|管理員|系统|系統|运营者|用户|用戶|创建者|`+
		`開発者|システム|管理者|運営者|ユーザー|作成者|개발자|시스템|관리자|운영자|사용자|제작자)`,
	"{before}", `(?:earlier|before|previously|above|so far|until now|up to now|at the (?:start|beginning)|in the beginning)\b`,
	"{heading}", `(?:system(?: ?(?:prompts?|messages?|instructions?|polic(?:y|ies)|notes?|notices?|directives?))?|(?:developer|assistant) (?:prompt|message|instructions?)|`+
		`system(?:anweisung(?:en)?|nachricht|meldung|vorgaben?)|(?:(?:message|instructions?|consignes?) (?:du )?)?systeme|(?:(?:mensaje|instrucciones|indicaciones) (?:del )?)?sistema|`+
		`(?:系统|系統)(?:提示词|提示詞|提示|消息|訊息|指令|通知)?|システム(?:プロンプト|メッセージ|指示|命令|通知)?|시스템(?: ?(?:프롬프트|메시지|지시|지침))?)`,
	"{youmust}", `(?:\byou (?:must|are (?:now|a|an|the|to)|shall|will (?:now|always|never)|should (?:now|always|never)|may not|have to)\b|\byour (?:new )?(?:instructions|task|role|purpose) (?:is|are)\b|`+
		`\b(?:always|never) (?:obey|answer|reply|respond|refuse|reveal|mention|tell)\b|\bobey\b|`+
		`\bdu (?:musst|sollst|darfst|bist|wirst)\b|\bsie (?:mussen|sollen|durfen)\b[^.\n]{0,60}\b(?:antworten|verraten|preisgeben|offenlegen|befolgen|gehorchen|ignorieren)\b|`+
		`\b(?:tu (?:dois|es|ne dois)|vous (?:devez|etes|ne devez))\b|\b(?:debes|deberas|tienes que|eres|usted debe)\b|`+
		`(?:你|您)(?:必须|必須|现在是|現在是|应当|应该|只能|不得|是一)|あなたは|(?:従って|開示して|明かして|公開して|無視して|答えて)(?:ください|下さい)|(?:従え|答えよ|開示せよ|公開せよ)|`+
		`(?:당신은|너는|넌) |(?:따라야|공개해야|답해야|밝혀야|무시해야) (?:한다|합니다|해)|(?:따르|공개하|답하|밝히)(?:세요|십시오))`,
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
	needs [][]string
	// excuse is a pattern of what makes a match an honest one; nil if nothing does.
	pattern, excuse func() *regexp.Regexp
}

// orders are those that suffice alone, hints those that do not, in the order of
// the file.
var orders, hints = sync.OnceValue(func() []order { return readOrders(false) }), sync.OnceValue(func() []order { return readOrders(true) })

func readOrders(hint bool) []order {
	var all []order
	var section string
	var needs [][]string
	var excuse func() *regexp.Regexp
	compiled := func(source string, line int) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp {
			p, err := regexp.Compile(orderMacros.Replace(source))
			if err != nil {
				panic(fmt.Sprintf("orders.txt, line %d: %v", line, err)) // a test compiles them all
			}
			return p
		})
	}
	for n, line := range strings.Split(orderFile, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && orderReasons[line[1:len(line)-1]] != "":
			section = line[1 : len(line)-1]
		case strings.HasPrefix(line, "? "):
			needs, excuse = nil, nil
			for _, group := range strings.Split(line[2:], " & ") {
				if group == "|" {
					needs = append(needs, []string{"|"})
					continue
				}
				needs = append(needs, strings.Split(group, " | "))
			}
		case strings.HasPrefix(line, "! "):
			excuse = compiled(line[2:], n+1)
		case (section == "hint") == hint:
			all = append(all, order{orderReasons[section], needs, compiled(line, n+1), excuse})
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
		if !reported(s, at[0]) && (o.excuse == nil || !o.excuse().MatchString(s[at[0]:at[1]])) {
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
