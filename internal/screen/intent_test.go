package screen

import (
	"strings"
	"testing"
)

func TestIntentOf(t *testing.T) {
	for want, prompts := range map[string]string{
		"preference": "What tea do I like?|Which editor do I prefer|my favourite colour|Was ist mein Lieblingstee?|Quel thé est-ce que je préfère ?|¿Qué té me gusta?|Che tè preferisco?|Какой чай мне нравится?|我喜欢喝什么茶？|好きなお茶は何ですか|내가 좋아하는 차는?",
		"decision":   "Why did we drop Redis?|What have we decided about the queue|Warum haben wir Kafka genommen?|Qu'avons-nous décidé ?|¿Qué decidimos?|Что мы решили насчёт очереди?|我们为什么用 Postgres？|キューについて何を決めましたか|무엇을 결정했나요",
		"entity":     "Who is Anna Kovacs?|Tell me about project Heron|Wer ist unser Steuerberater?|Qui est Paul ?|¿Quién es Ana?|Chi è Marco?|Кто такой Иван?|林是谁？|田中さんは誰ですか|민수는 누구예요?",
		"event":      "When did the gateway go down?|What happened to the staging box?|Wann war der Ausfall?|Quand est parti le train ?|Когда был сбой?|支付网关什么时候发布？|いつ発表しましたか|언제 배포했어요",
		"fact":       "How many replicas does it have?|What is the port of staging?|Wie viele Replikate gibt es?|Combien de répliques ?|Сколько реплик?|测试环境的端口是多少？|ポートは何番",
		"broad":      "Plan the garden for this spring|Schreib einen Brief an das Amt|写一封信给房东",
	} {
		for _, prompt := range strings.Split(prompts, "|") {
			if got := IntentOf(prompt); got.Name != want {
				t.Errorf("%q is about %s, want %s", prompt, got.Name, want)
			}
		}
	}
	i := IntentOf("When did the gateway go down?")
	if i.Depth != Deep || len(i.Prefer) != 2 || IntentOf("plan a garden").Prefer != nil {
		t.Errorf("%+v", i)
	}
}
