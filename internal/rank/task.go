package rank

import (
	"regexp"
	"strings"
	"unicode"
)

// workVerbs begin a prompt that is a piece of work: what it is to be done with
// is in the prompt, not in what is remembered.
var workVerbs = setOf(`
	write translate explain fix run rerun make give summarise summarize refactor draft generate calculate compute convert rewrite rephrase
	paraphrase proofread debug implement draw compose describe define compare create design build solve count sort list correct invent imagine
	suggest format simplify optimise optimize review print code pretend act teach
	schreib schreibe schreiben übersetze übersetz übersetzen erkläre erklär berechne rechne erstelle zeichne vergleiche fasse verfasse dichte
	korrigiere formuliere beschreibe nenne liste behebe repariere gib mach mache führe starte erfinde
	écris écrivez rédige rédigez traduis traduisez explique expliquez résume résumez calcule calculez compare comparez corrige corrigez crée créez
	dessine décris donne donnez fais invente compose reformule exécute
	escribe escribeme escribir traduce traduceme explica explicame resume calcula compara corrige crea dibuja describe dame redacta haz inventa compon
	enumera ejecuta reformula define`)

// politeWords may stand before the verb.
var politeWords = setOf(`please kindly hey hi hello ok okay now can could would will you just also then quickly i need want you to help me let's lets
	bitte kannst könntest können du sie mir mal hallo s'il te plaît vous plait peux tu pouvez pourriez moi por favor puedes podrías podria`)

// weakWords are verbs and nouns of requests and of daily life that are in many
// rows and prompts, whatever those are about.
var weakWords = setOf(`
	write translate explain fix run make give take go come get put set see look find show list check try ask say said tell told want need like liked likes
	think know work works help start stop open close add change update read send call keep use using book build create compare happen happened expected got
	good best better new old big small first last next one two three many much few long short time times day days today tomorrow yesterday week year years thing things way
	people person someone something anything lot kind sort part number example question answer table line lines word words text tips
	schreibe schreib mach mache gib gibt geht gehen macht machen kommt finde zeig zeige sag erkläre erklären übersetze brauche möchte will gut neue neuen neuer jahr tag zeit heute morgen
	écris écrire fais faire donne donner dis dire explique montre traduis bon bonne nouveau jour temps aujourd'hui demain
	escribe haz hacer da dame dime di explica traduce bueno buena nuevo nueva dia tiempo hoy manana`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[Fold(w)] = true
	}
	return set
}

// workInHan are the requests for work in Chinese and Japanese.
var workInHan = regexp.MustCompile(`翻[译譯](一下|成|为|為|这|這|以下|下面)|译成|譯成|訳して|訳せ|翻訳を?お願い|[写寫]一|[写寫][个個篇首封段]|[写寫]代|帮我[写寫改做算画]|幫我|解[释釋]一下|解[释釋]|总结|總結|摘要|计算|計算|列出|画一|畫一|润色|改写|` +
	`書いて|書き直|説明して|要約|作って|作成して|直して|修正して|描いて|比較して|実行して`)

// general are questions about the world, which no memory answers, and small
// requests that begin with a common verb.
var general = regexp.MustCompile(`(?i)^\W*(how (do|does|did|can) [\w' -]+ (work|works|function)\b|tell me (a|another) (joke|story|riddle|fun fact|poem)|continue\b|go on\b|` +
	`what('s| is| are) the (difference|capital)|wie funktionier(t|en)\b|wie geht das\b|was ist (die hauptstadt|der unterschied)|erzähl\w* (mir )?(einen witz|eine geschichte)|` +
	`comment (fonctionne|fonctionnent|marche|marchent)\b|quelle est la (capitale|différence)|raconte(-moi)?\b|c[oó]mo funcionan?\b|cu[aá]l es la (capital|diferencia)|cu[eé]ntame (un|una)\b)|` +
	`\b(in general|generally|en général|en general|im allgemeinen)\b|一般来说|一般來說|一般的に|讲个笑话|講個笑話|的首都|の首都|的区别|是什么原理`)

// ours are words of who asks for something of his own.
var ours = regexp.MustCompile(`(?i)\b(i|my|mine|we|our|ours|ich|wir|mein\w*|unser\w*|je|j'ai|mon|ma|mes|notre|nos|yo|mi|mis|nuestr\w+)\b|我|咱|私|僕|うち`)

// asksForWork reports whether a prompt begins as a piece of work, or asks about the
// world at large.
func asksForWork(text string) bool {
	if workInHan.MatchString(text) || general.MatchString(text) && !ours.MatchString(text) {
		return true
	}
	for i, field := range strings.Fields(text) {
		word := Fold(strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		switch {
		case workVerbs[word]:
			return true
		case i > 6 || !politeWords[word]:
			return false
		}
	}
	return false
}

// fewDigits is how long a number must be to be a name of something.
const fewDigits = 4

// weak reports whether finding the term in a row says nothing about the row: small
// numbers, times of day, common verbs and function words.
func weak(t term) bool {
	digits, letters := 0, 0
	for _, r := range t.folded {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	switch {
	case t.function:
		return true
	case letters == 0:
		return digits < fewDigits || digits == fewDigits && strings.ContainsAny(t.folded, ":./")
	case t.kind == unspaced:
		return workInHan.MatchString(t.written)
	}
	return weakWords[t.folded]
}
