package screen

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Does a turn need memory? The rules, in order:
//
//	wrapping off → commands, system lines and whole messages of politeness: no
//	asks for the past, or for what is the person's own: yes, however short
//	orders to a shell: no → shorter than the bound and no question: no → yes

// Shortest prompts that call for recall unless they ask something: 15
// characters, or 6 where a character is a word.
const (
	minPrompt      = 15
	minPromptDense = 6
)

var (
	// asksMemory is what brings recall in any language: the words are known to
	// people who write another one beside. The rest is [recall] of each language.
	asksMemory = regexp.MustCompile(`\b(?:remember|recall|forgot|forgotten|forget|memory|memories|remind|last (?:time|week|month|year)|previously|earlier|before|yesterday|ago|as (?:always|usual)|again)\b` +
		`|\bmy (?:name|e-?mail|phone|number|address|birthday|age|job|wife|husband|partner|son|daughter|dog|cat|favou?rite|preference)` +
		`|\bwhat (?:did|have|do) (?:i|we)\b|\bdid (?:i|we)\b|\bwho am i\b`)

	// Lines for a shell. "make" and "cat" are also words, so they need an argument
	// that looks like one.
	command = regexp.MustCompile(`^(?:(?:ls|cd|pwd|grep|git|npm|npx|pnpm|yarn|pip3?|python3?|cargo|docker|kubectl|curl|ssh|sudo|chmod|mkdir|rm|mv|cp)(?: \S+){0,6}|make(?: [a-z0-9_-]+)?|cat \S*[./]\S*)$`)
	// "run the tests", "build": orders of a few words.
	shortOrder = regexp.MustCompile(`^(?:run|build|test|lint|format|commit|push)(?: \S+){0,3}$`)

	goAhead = whole(
		`(?:please )?(?:go ahead|continue|proceed|keep going|carry on|do it|go on|next|try again|retry|start|stop|cancel)(?: please)?`,
		`(?:请|請)?(?:继续|繼續|实施|實施|开始|開始|执行|執行|下一步|停止|取消|再试一次|再試一次|可以继续|可以繼續)(?:吧|一下)?`,
		`(?:bitte )?(?:weiter|mach weiter|fahr fort|los|leg los|nochmal|abbrechen|stopp?|mach das|tu das)(?: bitte)?`,
		`(?:vas-y|continue[zr]?|allez|d'accord,? continue|recommence|arrête)(?: s'il te plaît)?`,
		`(?:adelante|contin[uú]a|sigue|hazlo|otra vez|para|cancela)(?: por favor)?`,
		`(?:avanti|continua|prosegui|vai avanti|fallo|riprova|ferma)(?: per favore)?`,
		`(?:continu[ae]|pode continuar|segue|vá em frente|faz isso|tenta de novo|pare)(?: por favor)?`,
		`(?:pokračuj|pokračujte|dál|do toho|znovu|stop|zruš to)(?: prosím)?`,
		`(?:продолжай|продолжайте|дальше|давай|вперёд|вперед|ещё раз|еще раз|стоп|отмена)(?:,? пожалуйста)?`,
		`続けて(?:ください)?|進めて(?:ください)?|次(?:へ)?|お願いします|やって(?:ください)?|止めて`,
		`계속(?:해 ?(?:줘|주세요)?)?|진행(?:해 ?(?:줘|주세요)?)?|다음|다시 해(?:줘)?|멈춰|취소`,
	)

	// politeness are greetings, thanks and assents beyond those that are noise in
	// package screen's own list.
	politeness = whole(
		`(?:bonjour|bonsoir|salut|coucou)(?: à tous)?|merci(?: (?:beaucoup|bien|à toi))?|oui|non|d'accord|ça marche|parfait|très bien|au revoir|bonne nuit`,
		`(?:hola|buenos días|buenas(?: (?:tardes|noches))?)(?: a todos)?|(?:muchas )?gracias|sí|si|no|vale|de acuerdo|perfecto|entendido|claro|adiós|hasta luego`,
		`(?:ciao|salve|buongiorno|buonasera|buonanotte)|grazie(?: mille)?|sì|va bene|d'accordo|perfetto|capito|certo|arrivederci`,
		`(?:olá|oi|bom dia|boa (?:tarde|noite))|(?:muito )?obrigad[oa]|sim|não|está bem|tá bom|certo|perfeito|entendi|tchau|até logo`,
		`(?:ahoj|dobrý (?:den|večer)|dobré ráno|čau|nazdar)|děkuji(?: moc)?|díky|ano|ne|dobře|jasně|rozumím|na shledanou`,
		`(?:привет|здравствуй(?:те)?|добр(?:ое утро|ый день|ый вечер))|(?:большое )?спасибо(?: большое)?|да|нет|хорошо|ладно|ок|понятно|понял[а]?|ясно|отлично|пока|до свидания`,
		`ja|nein|jo|nee|okay|passt|alles klar|klar|gut|super|prima|perfekt|stimmt|genau|verstanden|in ordnung|tschüss|bis (?:später|bald|dann)|guten morgen|danke(?: (?:dir|ihnen|sehr|nochmal))?`,
		`(?:你|您|大家|早上|上午|中午|下午|晚上)好(?:啊|呀|嗎|吗)?|(?:謝謝|谢谢)(?:你|您|啦)?|好的|沒問題|收到|明白|知道了|再見|再见|對|是的|嗯`,
		`もしもし|やあ|おやすみ(?:なさい)?|すみません|わかりました|分かりました|いいね|なるほど|さようなら|ok|オッケー`,
		`안녕(?:하세요|히 계세요|히 가세요)?|감사(?:합니다|해요)|고맙습니다|네|예|아니요?|알겠습니다|알겠어요?|좋아요?|그래요?|잘 자요?`,
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
	if courtesy(s) || greetingByName.MatchString(text) {
		return true
	}
	if asksMemory.MatchString(s) || speaks("recall", s) {
		return false
	}
	if width(s) < minNoiseWidth {
		return true
	}
	asks := strings.ContainsAny(text, "?？؟") || speaks("question", s)
	if !asks && !strings.Contains(strings.TrimSpace(text), "\n") && (command.MatchString(lower) || shortOrder.MatchString(s)) {
		return true
	}
	if shortest <= 0 {
		shortest = minPrompt
		if hasDense(s) {
			shortest = minPromptDense
		}
	}
	return !asks && utf8.RuneCountInString(strings.TrimSpace(text)) < shortest
}

// courtesy reports whether a prompt is greetings, thanks, assents and leave to go
// on, one or several of them ("thanks, go ahead").
func courtesy(s string) bool {
	whole := func(s string) bool {
		return greeting.MatchString(s) || acknowledgement.MatchString(s) || goAhead.MatchString(s) || politeness.MatchString(s)
	}
	if whole(s) {
		return true
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",.;!…、，。；！", r) })
	return len(parts) > 1 && len(parts) <= 4 && !slices.ContainsFunc(parts, func(part string) bool { return !whole(strings.TrimSpace(part)) })
}

// speaks reports whether a section of a language the text may be written in fits
// it; of a long text, its beginning and its end.
func speaks(section, s string) bool {
	if len(s) > pastedFrom {
		s = ends(s)
	}
	return slices.ContainsFunc(languagesOf(s), func(l *language) bool { return l.is(section, s) })
}
