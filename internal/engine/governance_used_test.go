package engine

import "testing"

// D8: use is told by what the answer and the memory both say, not by phrases. The
// cases are of the kinds that word lists get wrong, in several languages.
func TestUsedIn(t *testing.T) {
	const (
		port   = "The staging database of project Heron listens on port 6543."
		tea    = "Mara prefers oolong tea without milk in the afternoon"
		nora   = "My daughter Nora is allergic to cashews and pistachios, peanuts are fine."
		deploy = "The team decided to deploy the billing service on Wednesdays only, never before a holiday"
	)
	for name, c := range map[string]struct {
		memory, prompt, answer string
		want                   verdict
	}{
		"a number":              {port, "Which port does the staging database of Heron use?", "It is 6543.", used},
		"a number in a command": {port, "connect to the staging database of Heron", `I connect. {"command":"psql -h heron -p 6543"} Done.`, used},
		"only the prompt's words": {port, "Which port does the staging database of Heron use?", "I do not know which port the staging database of Heron uses, please look into its configuration file on the server or ask the operators.",
			unused},
		"a phrase of remembering":     {port, "Tell me a joke about databases", "As you mentioned before, I remember that you like jokes: a query walks into a bar and asks two tables to join.", unused},
		"another subject":             {tea, "Plan the trip to Bergen", "Take the night train to Bergen, book a hotel close to the harbour and pack an umbrella.", unused},
		"two words":                   {tea, "What should I bring Mara?", "Bring her some oolong, she drinks it without milk.", used},
		"a word and no more":          {deploy, "Write a poem about winter", "On Wednesdays the snow falls slowly over the quiet village and the river sleeps.", unused},
		"in other words":              {deploy, "Can I ship billing tomorrow?", "Tomorrow is a Thursday; you deploy it on Wednesdays only, so better wait until next week.", used},
		"a name and a word":           {nora, "What can I cook for the children?", "Make a curry, but leave the cashews out because of Nora.", used},
		"next to nothing":             {port, "Which port does the staging database of Heron use?", "Done.", unclear},
		"nothing to add":              {"The port of staging is open", "Is the port of staging open?", "It certainly looks that way to everybody here today.", unclear},
		"no answer":                   {port, "Which port does the staging database of Heron use?", "", unclear},
		"a year is no number":         {"The archive was moved to Bergen in 2026", "Write a toast", "In 2026 may everybody in this house be healthy, merry and wise.", unused},
		"another language":            {tea, "Was mag Mara?", "Das weiß ich leider nicht, aber frag sie doch einfach heute Abend einmal.", unclear},
		"another language, a name":    {nora, "Was kann ich kochen?", "Ein Curry, aber ohne Pistachios wegen Nora.", used},
		"German":                      {"Mara trinkt nachmittags am liebsten Oolong ohne Milch", "Was soll ich Mara mitbringen?", "Bring ihr Oolong mit, den trinkt sie gern.", used},
		"German, unused":              {"Mara trinkt nachmittags am liebsten Oolong ohne Milch", "Wie wird das Wetter?", "Wie bereits erwähnt regnet es morgen in den Bergen, die Temperaturen bleiben mild.", unused},
		"Chinese":                     {"小林喜欢下午喝乌龙茶，不加牛奶", "我给小林带什么好？", "可以带一些乌龙茶，她不加牛奶。", used},
		"Chinese, unused":             {"小林喜欢下午喝乌龙茶，不加牛奶", "明天天气怎么样？", "之前我记得你说过要去爬山，明天多云转晴，气温二十度左右，适合出门。", unused},
		"Chinese and a number":        {"测试环境的数据库端口是6543", "数据库端口是多少？", "端口是6543。", used},
		"Japanese":                    {"田中さんは午後にウーロン茶を飲むのが好きです", "田中さんに何を持っていけばいい？", "ウーロン茶を持っていくと喜ばれます。", used},
		"Japanese, unused":            {"田中さんは午後にウーロン茶を飲むのが好きです", "明日の天気は？", "以前おっしゃったように、明日は晴れで気温は二十度くらいになる見込みです。", unused},
		"Korean":                      {"민수는 오후에 우롱차를 우유 없이 마신다", "민수에게 뭘 가져갈까?", "우롱차를 가져가세요, 우유 없이 마십니다.", used},
		"Russian":                     {"Мара пьёт после обеда улун без молока", "Что принести Маре?", "Принесите ей улун, она пьёт его без молока.", used},
		"Russian, unused":             {"Мара пьёт после обеда улун без молока", "Какая завтра погода?", "Как вы упоминали раньше, завтра обещают дождь и сильный ветер с моря.", unused},
		"the memory quoted in full":   {deploy, "Remind me of our rule", "Your rule: " + deploy + ".", used},
		"one sentence of a long one":  {"Mara told us about her new flat with the balcony, the noisy street, the broken lift and the friendly neighbours; the rent is high and mental health matters more", "What matters to Mara most?", "Mental health.", used},
		"an identifier with its dash": {"The service is called svc-billing-eu2", "What is the name of the service?", "svc-billing-eu2", used},
	} {
		t.Run(name, func(t *testing.T) {
			if got := usedIn(c.answer, c.memory, c.prompt); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
