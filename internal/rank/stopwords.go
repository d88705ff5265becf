package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// functionWords carry no subject. They are removed from a query, not from the
// index: "the who" still finds the band, because a query of nothing else keeps
// its words. Removing them took keyword recall of five from 0.45 to 0.54 on the
// conversations measured (together with stemming).
var functionWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
		a an the this that these those there here it its
		i me my mine we us our ours you your yours he him his she her hers they them their theirs
		am is are was were be been being do does did doing done have has had having
		can could shall should will would may might must
		what which who whom whose when where why how
		and or but if then than so because while as of at by for with about into to from in on onto off over under up down out
		not no nor only just also too very again ever any some all each both more most other such own same
		please tell know remember recall get let use uses used s t m re ve ll d
		der das den dem des ein eine einen einem einer eines ist sind wird werden wurde hat hast hatte hatten haben habe habt war waren gibt kann konnte soll sollte muss
		und oder aber wenn dass weil denn als auch noch schon nur nicht kein keine ich du er sie es wir ihr mich mir dich dir ihm ihn uns euch
		mein meine dein deine sein seine unser unsere ihre wann wie wer wo warum wieso wozu welche welcher welches welchen
		im ins am vom zum zur bei beim mit von aus nach vor zu auf an um bis durch gegen ohne unter seit dieser diese dieses
		le les la une du de des au aux et ou mais si est sont etait sera ont avait faut fait peut doit je tu il elle on nous vous ils elles
		mon ma mes ton ta tes sa ses notre nos votre vos leur leurs ce cet cette ces quand qui que quoi dont quel quelle quels quelles
		comment pourquoi combien dans en sur sous avec par chez vers entre depuis y ne pas se lui
		el los las lo un unos unas del al es esta estan era fue ha han hay puede debe yo ella nosotros ellos mi mis tu tus su sus
		nuestro nuestra nos les me te cuando como quien donde por para con sin sobre entre desde hasta pero cual cuales cuanto cuanta ser
		lo gli uno della del dello dei delle nel nella che chi cosa dove perche sono hanno suo sua loro come quando quale
		o e os as dela dele um uma uns umas da dos das na nos nas ao aos pelo pela ele ela eles elas voce seu sua seus suas onde quem qual sao tem
		`) {
		set[w] = true
	}
	return set
}()

// germanOnly are function words where the text is German, and others elsewhere.
var germanOnly = map[string]bool{"die": true}

// isFunctionWord judges a word as written. A capital inside a sentence marks a
// name (Will, May, IT, The Who), which is a subject.
func isFunctionWord(written string, first bool) bool {
	if !functionWords[Fold(written)] {
		return false
	}
	r, size := utf8.DecodeRuneInString(written)
	return first || !unicode.IsUpper(r) || (r == 'I' && size == len(written))
}

// phrases of the same kind in Chinese and Japanese, longest first. Only those
// that hardly ever lie inside another word: cutting 的 out would break 目的地.
var functionPhrases = strings.Fields(`
	什么时候 什麼時候 为什么 為什麼 怎么样 怎麼樣 是不是 有没有 有沒有 能不能
	什么 什麼 怎么 怎麼 如何 哪里 哪裡 哪儿 哪个 哪個 哪些 哪天 几点 幾點 多少 是否 请问 請問
	多久 多长时间 怎样 怎樣 应该 應該 比较 比較 会不会 最近 现在 現在
	我们 我們 你们 你們 他们 他們 咱们 咱們 可以 告诉 告訴 关于 關於
	どのくらい どんな ですか ますか ください について 何時 いつ どこ どれ どの どう なぜ
	그들은 그들의 그녀는 그녀의 그녀가 그는 그의 그가 우리는 우리의 저는 나는 제가 내가
	무엇인가요 누구인가요 얼마나 하나요 있나요 무슨 무엇 언제 어디 누구 누가 어떻게 왜
`)

// particles mark pairs of unspaced script that say nothing by themselves.
const particles = "的了吗嗎呢吧是在我你他她它和与與把被谁誰也都就很"

// cutPhrases replaces function phrases by spaces.
func cutPhrases(s string) string {
	for _, p := range functionPhrases {
		s = strings.ReplaceAll(s, p, " ")
	}
	return strings.TrimRight(cutPronouns(s), "吗嗎呢吧？?。! ！")
}

// cutPronouns takes Chinese pronouns out of a text, which every other row has,
// but not out of 其他, 吉他 and 自我.
func cutPronouns(s string) string {
	if !strings.ContainsAny(s, "他她它你我谁誰") {
		return s
	}
	var b strings.Builder
	var before rune
	for _, r := range s {
		switch {
		case r == '他' && (before == '其' || before == '吉'), r == '我' && before == '自':
			b.WriteRune(r)
		case strings.ContainsRune("他她它你我谁誰", r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// clitics follow a French verb in questions and requests, and would match every
// row with such a pronoun: faut-il, parle-t-on, dites-moi.
var clitics = map[string]bool{
	"je": true, "tu": true, "il": true, "elle": true, "on": true, "nous": true, "vous": true, "ils": true, "elles": true,
	"ce": true, "moi": true, "toi": true, "lui": true, "leur": true, "t": true,
}

// withoutClitic takes them off a word. What has digits is a name: svc-on-2.
func withoutClitic(word string) string {
	for !strings.ContainsFunc(word, unicode.IsDigit) {
		at := strings.LastIndexByte(word, '-')
		if at <= 0 || !clitics[strings.ToLower(word[at+1:])] {
			break
		}
		word = word[:at]
	}
	return word
}
