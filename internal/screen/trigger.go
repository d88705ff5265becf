package screen

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Reason says why a sentence is worth remembering.
type Reason string

// The reasons, the most telling first. A message with several is filed under
// the first of this order.
const (
	// ReasonAsked: the person asked for it ("remember that …").
	ReasonAsked Reason = "asked"
	// ReasonPreference: what somebody likes or dislikes.
	ReasonPreference Reason = "preference"
	// ReasonDecision: what was settled, switched to, or will be used.
	ReasonDecision Reason = "decision"
	// ReasonInstruction: how things are to be done from now on.
	ReasonInstruction Reason = "instruction"
	// ReasonIdentity: who the person is, and who and what is theirs.
	ReasonIdentity Reason = "identity"
	// ReasonContact: a telephone number or an e-mail address.
	ReasonContact Reason = "contact"
	// ReasonEntity: what somebody or something is called or stands for.
	ReasonEntity Reason = "entity"
	// ReasonFact: the value of something that has one: a port, a code, a deadline.
	ReasonFact Reason = "fact"
	// ReasonEvent: what happened in somebody's life.
	ReasonEvent Reason = "event"
	// ReasonPlan: something that will happen at a stated time.
	ReasonPlan Reason = "plan"
)

// reasons in the order of their weight.
var reasons = []Reason{
	ReasonAsked, ReasonPreference, ReasonDecision, ReasonInstruction, ReasonIdentity,
	ReasonContact, ReasonEntity, ReasonFact, ReasonEvent, ReasonPlan,
}

// kind is what a sentence does in a conversation.
type kind int

const (
	plainKind    kind = iota // says something, but nothing lasting by itself
	statesKind               // holds something worth remembering
	pointsKind               // "remember this": points at what was said before
	passingKind              // a question, an order, chatter: not worth keeping
	hostKind                 // written by a machine: code, a log, a quotation
	opensKind                // "remember the following:" – what comes after belongs to it
	unspokenKind             // nothing but marks
)

// verdict is the judgement of one sentence.
type verdict struct {
	kind   kind
	reason Reason
	lang   string
}

// judge decides about one sentence. Only the languages it may be written in are
// asked, and each of them decides by itself: a question in German is no
// objection to a statement in English.
func judge(sentence string) verdict {
	s := tidy(sentence)
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return verdict{kind: unspokenKind}
	}
	v := judgeTidy(s)
	if v.kind == plainKind && numberMark.MatchString(s) {
		// "2. Always …" in a list; but "2. May" is a date.
		return judgeTidy(numberMark.ReplaceAllString(s, ""))
	}
	return v
}

func judgeTidy(s string) verdict {
	worst := verdict{kind: plainKind}
	asks := asksSomething(s)
	for _, l := range languagesOf(s) {
		v := l.judge(s, asks)
		switch v.kind {
		case statesKind, pointsKind, opensKind:
			v.lang = l.code
			return v
		case passingKind:
			worst = v
		}
	}
	if worst.kind == plainKind && !asks && contact.MatchString(s) && !mailHeader.MatchString(s) {
		return verdict{kind: statesKind, reason: ReasonContact}
	}
	if asks {
		worst.kind = passingKind
	}
	return worst
}

// Trigger reports whether a sentence states something worth remembering, and
// why.
func Trigger(sentence string) (Reason, bool) {
	v := judge(sentence)
	return v.reason, v.kind == statesKind || v.kind == opensKind
}

// judge applies the language's patterns in an order that matters: an explicit
// wish counts even inside a question; questions and suppositions state nothing;
// a standing instruction looks like an order, so it is looked for before orders
// are dismissed.
func (l *language) judge(s string, asks bool) verdict {
	s = l.withoutLead(s)
	no, yes := verdict{kind: passingKind}, func(r Reason) verdict { return verdict{kind: statesKind, reason: r} }
	switch {
	case l.is("forget", s):
		return no
	case l.is("bare", s):
		return verdict{kind: pointsKind, reason: ReasonAsked}
	case l.is("handover", s), !asks && l.is("remember", s):
		if strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") {
			return verdict{kind: opensKind, reason: ReasonAsked}
		}
		return yes(ReasonAsked)
	case asks, l.is("question", s), l.is("supposition", s):
		return no
	case l.is("instruction", s) && !l.is("empty", s):
		if l.is("settled", s) {
			return yes(ReasonDecision)
		}
		return yes(ReasonInstruction)
	case l.is("order", s) && !l.is("statement", s), l.is("empty", s):
		return no
	case l.is("preference", s):
		return yes(ReasonPreference)
	case l.is("decision", s):
		return yes(ReasonDecision)
	case l.is("entity", s):
		return yes(ReasonEntity)
	case l.is("identity", s):
		return yes(ReasonIdentity)
	case contact.MatchString(s) && !mailHeader.MatchString(s):
		return yes(ReasonContact)
	case l.is("trouble", s):
		return verdict{kind: plainKind}
	case l.is("fact", s) && specific(s, l.code != "de"):
		return yes(ReasonFact)
	case l.is("event", s):
		return yes(ReasonEvent)
	case l.is("plan", s) && (l.is("date", s) || date.MatchString(s)):
		return yes(ReasonPlan)
	}
	return verdict{kind: plainKind}
}

// tidy brings a sentence to the form the patterns are written for: one line,
// straight apostrophes, no list mark or quotation mark in front.
func tidy(sentence string) string {
	s := norm.NFKC.String(sentence)
	s = strings.NewReplacer("’", "'", "‘", "'", "`", "'", "…", "...").Replace(s)
	s = listMark.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	return strings.TrimLeftFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '¿' && r != '¡' && r != '@' && r != '+'
	})
}

var (
	listMark = regexp.MustCompile(`^[-*+•–—] `)
	// numeral is a figure written in characters: half past nine, the third.
	numeral    = regexp.MustCompile(`[一二三四五六七八九十百千两兩]+[点點时時月日号號楼樓层層元块塊人倍次个個分]`)
	numberMark = regexp.MustCompile(`^\d{1,2}[.)] `)
	// contact is a telephone number in the international form, or an address.
	contact    = regexp.MustCompile(`(?:^|[^\w+])\+\d[\d ()./-]{8,18}\d(?:\D|$)|(?:^|[\s<(:,])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}`)
	mailHeader = regexp.MustCompile(`(?i)^(?:from|to|cc|bcc|reply-to|sent|date|subject|author|signed-off-by|co-authored-by|von|an|de|para|à)\s*:`)
	// date is a date or a time in figures, in whatever language.
	date = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}\.?(?:[./]?\d{2,4})?\b|\b\d{1,2}:\d{2}\b|\d{1,2}\s*[月日時时點点]|\d{1,2}\s*[월일시]`)
)

// asksSomething reports whether a sentence ends in a question mark, closing
// quotation marks and emoji aside.
func asksSomething(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '?' && r != ':'
	})
	return strings.HasSuffix(s, "?") || strings.HasPrefix(s, "¿")
}

// common are words in capitals that name nothing in particular.
var common = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields("I API APIs URL URLs IP ID IDs PIN DB UI UX CPU GPU RAM OS JSON XML HTML CSS SQL HTTP HTTPS DNS SSH CI CD PR TODO OK CLI SDK IDE TV PC AM PM") {
		set[w] = true
	}
	return set
}()

// specific reports whether a sentence names something by figure, name, address
// or quotation: "the port is 6543", not "the port is open".
//
// German writes every noun with a capital, so there capitals say nothing.
func specific(s string, capitals bool) bool {
	first := true
	if numeral.MatchString(s) {
		return true
	}
	for _, word := range strings.Fields(s) {
		for _, r := range word {
			if unicode.IsDigit(r) || strings.ContainsRune(`"“”„«»「」『』/`, r) {
				return true
			}
			// A capital inside the sentence is a name, where the script has capitals.
			if capitals && !first && unicode.IsUpper(r) && !common[strings.Trim(word, ".,;:!?()")] && !strings.HasPrefix(word, "I'") {
				return true
			}
			break
		}
		if strings.ContainsFunc(word, unicode.IsDigit) || strings.ContainsAny(word, "/@") || dense(lastRune(word)) && mixed(word) {
			return true
		}
		first = false
	}
	return false
}

func lastRune(s string) (last rune) {
	for _, r := range s {
		last = r
	}
	return last
}

// mixed reports whether Latin letters stand inside a run of a dense script.
func mixed(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) })
}
