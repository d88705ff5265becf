package rank

import (
	"slices"
	"strings"
	"unicode"
)

// asksWhen reports whether a question asks for a time, in the languages the
// function words are of.
func asksWhen(question string) bool {
	folded := " " + strings.Join(strings.FieldsFunc(Fold(question), func(r rune) bool { return scriptOf(r) == separator }), " ") + " "
	return slices.ContainsFunc(whenWords, func(w string) bool { return strings.Contains(folded, " "+w+" ") }) ||
		slices.ContainsFunc(whenPhrases, func(p string) bool { return strings.Contains(folded, p) })
}

// whenWords stand between spaces, folded; whenPhrases in unspaced script.
var (
	whenWords = strings.Split("when|how long|what date|what day|what month|what year|what time|which day|which date|which month|which year|since when|"+
		"wann|wie lange|seit wann|welchem tag|welchem monat|welchem jahr|um wie viel uhr|"+
		"quand|depuis quand|combien de temps|quelle date|quel jour|quel mois|quelle annee|quelle heure|"+
		"cuando|cuanto tiempo|que fecha|que dia|que mes|que ano|que hora|desde cuando|"+
		"quando|quanto tempo|que horas|da quando", "|")
	whenPhrases = strings.Fields("什么时候 什麼時候 何时 何時 哪天 哪年 哪一天 哪一年 几点 幾點 几月 幾月 几号 幾號 多久 多长时间 多長時間 いつ 何日 何月 何年 언제 몇시 몇월 며칠")
)

// timeWords name a time by themselves, folded.
var timeWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
		yesterday today tonight tomorrow last next ago week weeks weekend month months year years recently since morning night
		monday tuesday wednesday thursday friday saturday sunday summer spring fall autumn winter
		january february march april june july august september october november december
		gestern heute morgen letzte letzten letztes nachste nachsten woche wochen wochenende monat monate jahr jahre abend uhr
		montag dienstag mittwoch donnerstag freitag samstag sonntag sommer fruhling herbst
		januar februar marz mai juni juli oktober dezember
		hier aujourd demain dernier derniere prochain prochaine semaine semaines mois annee annees ans matin soir
		lundi mardi mercredi jeudi vendredi samedi dimanche ete printemps automne hiver
		janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
		ayer hoy manana pasado pasada proximo proxima semana semanas mes meses ano anos noche
		lunes martes miercoles jueves viernes sabado domingo verano primavera otono invierno
		enero febrero marzo abril junio julio agosto septiembre octubre noviembre diciembre`) {
		set[w] = true
	}
	return set
}()

// isTimeWord also knows years.
func isTimeWord(written string) bool {
	if len(written) == 4 && strings.IndexFunc(written, func(r rune) bool { return !unicode.IsDigit(r) }) < 0 {
		return true
	}
	return timeWords[Fold(written)]
}

// timeParts name a time in unspaced script.
var timeParts = strings.Fields(`昨天 今天 明天 前天 昨晚 今晚 上周 下周 上週 下週 周一 周二 周三 周四 周五 周六 周日 星期 礼拜 月底 年底 去年 今年 明年 上个月 下个月 春天 夏天 秋天 冬天 早上 晚上 点钟
	昨日 今日 明日 先週 来週 今週 週末 先月 来月 去年 来年 曜日 年前 月前 前日 月 年
	어제 오늘 내일 지난주 다음주 지난달 다음달 작년 내년 올해 요일 주말 전에 아침 저녁 년 월`)

func namesTime(run string) bool {
	return slices.ContainsFunc(timeParts, func(p string) bool { return strings.Contains(run, p) })
}
