package screen

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Withheld reports whether text may not be remembered without being asked for,
// and why: "credential" for what looks like a password or key, "planted" for
// words that want to rule the assistant. An agent that stores such a thing by
// its tool has decided to; a rule must not.
//
// It looks for values, not for the words around them: "my password manager is
// Bitwarden" is a fact.
func Withheld(text string) (reason string, withheld bool) {
	s := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // invisible, and fit to take a word apart
			return -1
		}
		return r
	}, norm.NFKC.String(text))
	switch {
	case credential(s):
		return "credential", true
	case planted.MatchString(strings.Join(strings.Fields(s), " ")):
		return "planted", true
	}
	return "", false
}

// keyForms are the keys that can be told by their beginnings.
var keyForms = regexp.MustCompile(`(?:^|[^\p{L}\p{N}_])(?:` + strings.Join([]string{
	`sk-[A-Za-z0-9_-]{16,}`, `[srp]k_(?:live|test)_\w{10,}`,
	`gh[pousr]_[A-Za-z0-9]{20,}`, `github_pat_\w{20,}`, `glpat-[\w-]{16,}`,
	`A[KS]IA[A-Z0-9]{16}`, `AIza[\w-]{30,}`, `xox[abeoprs]-[A-Za-z0-9-]{10,}`,
	`eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]{6,}`,
	`[a-z][a-z0-9+]*://[^\s/:@]+:[^\s/@]+@`,
}, "|") + `)|-----BEGIN [A-Z0-9 ]*PRIVATE KEY`)

// named is a word for a credential with what follows it: the name, how they are
// tied, the value, and what comes after the value.
var named = regexp.MustCompile(`(?i)(?:(?:^|[^\p{L}\p{N}])(password|passwort|kennwort|passwd|pwd|passphrase|(?:api|access|secret)[ _-]?key|api-?schlüssel|token|(?:client|app|webhook)[ _-]?secret)` +
	`(?: (?:for|of|on|to|für|von|im) (?:[\p{L}\p{N}_'-]+ ){0,3}[\p{L}\p{N}_'-]+)?|(密码|口令|令牌|密钥))` +
	`["']?\s*(\b(?:is|ist|lautet)\b:?|是|为|[:=])\s*([^\s,;，。；、！]+)([^\n]*)`)

// Words after "the token is" that describe it.
var describes = regexp.MustCompile(`(?i)^(?:not|no|too|very|now|the|an?|in|on|at|for|from|still|only|always|never|also|valid|invalid|wrong|correct|missing|secret|long|short|weak|strong|safe|empty|optional|public|private|unknown|gone|fine|ok(?:ay)?|mandatory|null|none|case-\p{L}+|\p{L}+(?:ed|able|ing|ory|based|managed)|abgelaufen|falsch|richtig|sicher|geheim|(?:base|sha|oauth|rs|hs|aes)-?\d.*)$`)

func credential(s string) bool {
	if keyForms.MatchString(s) {
		return true
	}
	for _, m := range named.FindAllStringSubmatch(s, -1) {
		// "The token is Ethereum" says as much as "the password is swordfish", but
		// keys are hardly ever words.
		said := len(m[3]) > 1 && m[2] == "" && !strings.HasPrefix(strings.ToLower(m[1]), "p") && !strings.EqualFold(m[1], "kennwort")
		if (!said || strings.ContainsAny(m[4], "0123456789")) && isValue(m[4], m[5]) {
			return true
		}
	}
	for _, run := range runs.FindAllString(s, -1) {
		if random(run) {
			return true
		}
	}
	return false
}

// isValue tells a credential from the beginning of a sentence about it: it looks
// like none of a language's words, or nothing comes after it.
func isValue(value, rest string) bool {
	quoted := strings.ContainsAny(value[:1], "\"'`") || strings.HasPrefix(value, "“") || strings.HasPrefix(value, "„")
	v := strings.Trim(value, "\"'`“”„‘’.!?)(")
	if len(v) < 3 || describes.MatchString(v) || hasDense(v) {
		return false
	}
	var letter, digit, mark bool
	for _, r := range v {
		switch {
		case unicode.IsLetter(r):
			letter = true
		case unicode.IsDigit(r):
			digit = true
		case strings.ContainsRune("!@#$%^&*+=~_", r):
			mark = true
		}
	}
	last := strings.Trim(rest, " .!?,;。！\"'`“”") == ""
	return quoted || last || len(v) >= 6 && letter && (digit || mark)
}

var (
	runs = regexp.MustCompile(`[A-Za-z0-9+/_=-]{32,}`)
	hex  = regexp.MustCompile(`^[0-9a-fA-F]{32,}$`)
)

// random reports whether a long run was drawn by a machine: letters and digits
// change places far more often than in names and paths.
func random(run string) bool {
	const lower, upper, digit = 1, 2, 4
	var kinds, before, changes, digits int
	for _, r := range run {
		kind := 0
		switch {
		case r >= 'a' && r <= 'z':
			kind = lower
		case r >= 'A' && r <= 'Z':
			kind = upper
		case r >= '0' && r <= '9':
			kind = digit
			digits++
		}
		if kind != 0 && before != 0 && kind != before {
			changes++
		}
		before = kind
		kinds |= kind
	}
	if hex.MatchString(run) {
		return digits >= 4 && digits < len(run) && 100*changes >= 20*len(run)
	}
	return kinds == lower|upper|digit && digits >= 3 && 100*changes >= 35*len(run)
}

// planted are sentences that want to take the assistant over. "My instructions"
// are the person's own to withdraw.
var planted = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}])(?:` + strings.Join([]string{
	`(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|every|of|the|these|those|your) ){0,4}(?:previous|prior|earlier|above|preceding|former|existing|original)(?: \p{L}+)? (?:instructions?|prompts?|rules|guidelines|directions|directives|orders)`,
	`(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|of) ){0,2}(?:your|all) (?:\p{L}+ )?(?:instructions?|rules|guidelines|directives|programming|training|restrictions)`,
	`(?:ignore|disregard|forget|override|bypass|reveal|print|leak) (?:\p{L}+ ){0,3}system (?:prompt|messages?|instructions?)`,
	`from now on,? (?:you )?(?:(?:must|will|shall|should|have to|are to|only|always) ){0,3}(?:obey|comply with|do (?:whatever|anything|everything))`,
	`(?:ignoriere?|vergiss|missachte)n?(?: sie)? (?:(?:all|alle|die|deine|ihre|sämtliche) ){0,3}(?:vorherigen|vorigen|bisherigen|früheren|obigen) (?:anweisungen|instruktionen|befehle|regeln)`,
	`(?:ignore[rz]?|oublie[rz]?) (?:toutes )?(?:les|tes|vos) (?:instructions|consignes) (?:précédentes|antérieures|ci-dessus)`,
	`(?:ignora|olvida|ignore|olvide) (?:todas )?(?:las|tus|sus) instrucciones (?:anteriores|previas)`,
	`(?:игнорируй|забудь)(?:те)? (?:все )?(?:предыдущие|прежние) (?:инструкции|указания)`,
}, "|") + `)(?:$|[^\p{L}\p{N}])` +
	`|(?i)(?:^|[.!?:;,"] ?)(?:and )?(?:you are now|you're now|du bist (?:jetzt|nun|ab jetzt)) ` +
	`|(?:忽略|无视|無視|忘记|忘掉|不要理会)掉?你?(?:之前|以前|先前|此前|前面|上面|上述|以上|所有|全部|一切|系统|系統)(?:的|所有|全部|一切|系统)*(?:指令|指示|提示词?|规则|设定|命令)` +
	`|(?:^|[。！，,.!] ?)你现在是|从现在(?:开始|起)[,，]? ?你?(?:必须|要|得|只能)(?:服从|听从|遵从)` +
	`|(?:これまで|以前|今まで|上記)の(?:すべての|全ての)?(?:指示|命令|ルール)を(?:すべて|全て)?無視`)
