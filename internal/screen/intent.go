package screen

import (
	"regexp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Depth is how much of a memory a turn is shown.
type Depth string

// Short is a memory in a line, Middle what the settings give one, Deep its whole text.
const (
	Short  Depth = "l0"
	Middle Depth = "l1"
	Deep   Depth = "full"
)

// Intent is what a prompt is after: which kinds of memories answer it, and how
// much of each it takes.
type Intent struct {
	// Name is preference, decision, entity, event, fact or broad.
	Name string
	// Prefer are the kinds, as they are stored; none for broad.
	Prefer []memory.StoredCategory
	Depth  Depth
}

// intents in the order they are tried; the first that fits counts. Order, kinds
// and depths are those of the plugin this product replaces.
var intents = []struct {
	Intent
	says *regexp.Regexp
}{
	{
		Intent{"preference", []memory.StoredCategory{memory.StoredPreference, memory.StoredDecision}, Short},
		regexp.MustCompile(`(?i)\b(?:prefer\w*|preferences?|favou?rites?|(?:do|does|did|would) (?:i|we|he|she|they|\w+) (?:like|love|hate|enjoy|want|rather)|likes?|dislikes?|style|taste)\b` +
			`|\b(?:bevorzug\w*|lieblings\p{L}*|lieber|am liebsten|vorlieben?|mag ich|magst|gefällt|geschmack)` +
			`|\b(?:préf[éè]r\p{L}*|aime\w*|goûts?|prefier\p{L}*|preferid\p{L}*|favorit\p{L}*|gusta\w*|preferi\p{L}*|preferenz\p{L}*|piace\w*|gosto|gosta\w*|oblíben\p{L}*|raději|nejradši)` +
			`|предпоч|любим|нравится|偏好|喜欢|喜歡|讨厌|討厭|爱吃|愛吃|爱喝|愛喝|口味|风格|風格|好き|嫌い|好み|スタイル|좋아하|싫어하|선호|취향`),
	},
	{
		Intent{"decision", []memory.StoredCategory{memory.StoredDecision, memory.StoredFact}, Middle},
		regexp.MustCompile(`(?i)\b(?:decid\w*|decisions?|chose|chosen|choose|agreed?|agreement|settled? on|why did (?:we|i)|why (?:are|do) we (?:use|using)|rationale|trade-?offs?|went with)\b` +
			`|\b(?:entschied\p{L}*|entscheid\p{L}*|beschlossen|beschluss|vereinbart|geeinigt|warum (?:haben|nehmen|nutzen) wir)` +
			`|\b(?:décid\p{L}*|décision|convenu|choisi\p{L}*|decid\p{L}*|decisi\p{L}*|acord\p{L}*|elegi\p{L}*|concordat\p{L}*|scelt\p{L}*|escolh\p{L}*|combin(?:amos|ado)|rozhod\p{L}*|dohod\p{L}*)` +
			`|реши|решен|договор|выбра|决定|決定|选择了|選擇了|为什么(?:选|用)|為什麼(?:選|用)|约定|約定|商定|決め|選ん|合意|결정|정했|선택한|합의`),
	},
	{
		Intent{"entity", []memory.StoredCategory{memory.StoredEntity, memory.StoredFact}, Middle},
		regexp.MustCompile(`(?i)\b(?:who(?:'s| is| are| was| were)|whose|tell me about|what do you know about|contact|phone number|e-?mail address)\b` +
			`|\b(?:wer (?:ist|sind|war|waren)|wem gehört|erzähl\w* mir (?:von|über)|was weißt du über)\b` +
			`|(?:^|[^\p{L}])(?:qui (?:est|sont|était)|parle-moi de|quién(?:es)? (?:es|son|era)|háblame de|chi (?:è|sono|era)|parlami di|quem (?:é|são|era)|me fal[ae] sobre|kdo (?:je|jsou|byl)|kto takoj)` +
			`|кто так|кто (?:это|был)|расскажи (?:мне )?о|(?:是谁|是誰|谁是|誰是|介绍一下|介紹一下|告诉我关于|告訴我關於)|(?:誰です|誰だ|誰が|について教えて)|누구|에 대해 (?:알려|말해)`),
	},
	{
		Intent{"event", []memory.StoredCategory{memory.StoredEntity, memory.StoredDecision}, Deep},
		regexp.MustCompile(`(?i)\b(?:when (?:did|was|were|is|are|will)|what happened|what went (?:wrong|on)|happened|incident|outage|deploy\w*|release[ds]?|launch\w*|recently|lately|last (?:time|week|month|year)|yesterday|timeline|history of)\b` +
			`|\b(?:wann|was ist passiert|passiert|vorfall|ausfall|neulich|kürzlich|gestern|letzte[nrs]? (?:woche|monat|jahr|mal))\b` +
			`|(?:^|[^\p{L}])(?:quand|que s'est-il passé|récemment|hier|cuándo|qué pasó|recientemente|ayer|quando|cos'è successo|recentemente|ieri|o que aconteceu|ontem|kdy|co se stalo|nedávno|včera)(?:$|[^\p{L}])` +
			`|когда|что случилось|недавно|вчера|什么时候|什麼時候|何时|何時|发生了什么|發生了什麼|最近|昨天|上周|上週|部署|いつ|何が起き|最近|昨日|先週|デプロイ|언제|무슨 일|최근|어제|지난주|배포`),
	},
	{
		Intent{"fact", []memory.StoredCategory{memory.StoredFact, memory.StoredEntity}, Middle},
		regexp.MustCompile(`(?i)\b(?:how (?:to|do|does|can|many|much|long|often|far)|what(?:'s| is| are| was| were)|which|where|config\w*|settings?|api|port|url|version|address|number|explain|error|fix)\b` +
			`|\b(?:wie (?:viel\w*|lange|oft|kann|geht|heißt)|was (?:ist|sind|war)|welche[rnsm]?|wo(?:hin|her)?|einstellung\w*|erklär\w*|fehler)\b` +
			`|(?:^|[^\p{L}])(?:comment|combien|quel(?:le)?s?|où|qu'est-ce|cómo|cuánt[oa]s?|cuál(?:es)?|dónde|qué es|come (?:si|fare|posso)|quant[oaie]|qual[ei]?|dove|cos'è|como (?:se|faço)|quanto|qual|onde|o que é|jak|kolik|kter\p{L}+|kde|co je)(?:$|[^\p{L}])` +
			`|как |сколько|какой|какая|какие|где|что такое|настройк|怎么|怎麼|如何|什么是|什麼是|是什么|是什麼|多少|哪个|哪個|哪里|哪裡|配置|端口|错误|錯誤|どう|何です|何の|どの|どこ|いくら|設定|ポート|어떻게|무엇|뭐|몇|어느|어디|얼마|설정|포트`),
	},
}

// IntentOf reads what a prompt is after; a long one by its beginning and end.
func IntentOf(prompt string) Intent {
	if len(prompt) > pastedFrom {
		prompt = ends(prompt)
	}
	for _, i := range intents {
		if i.says.MatchString(prompt) {
			return i.Intent
		}
	}
	return Intent{Name: "broad", Depth: Short}
}
