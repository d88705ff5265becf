package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentifiers(t *testing.T) {
	for text, want := range map[string][]string{
		"why does svc-billing-eu2 restart?":         {"svc-billing-eu2"},
		"MAX_RETRY_COUNT, please":                   {"MAX_RETRY_COUNT"},
		"what means E1043.":                         {"E1043"},
		"what happens on 2026-11-30?":               {"2026-11-30"},
		"is v1.4.2 out":                             {"v1.4.2"},
		"where is maxRetryCount set":                {"maxRetryCount"},
		"mail mara@example.org about fuse.go":       {"mara@example.org", "fuse.go"},
		"修复E1043错误":                                 {"E1043"},
		"svc-billing-eu2的负责人":                       {"svc-billing-eu2"},
		"parking code 4417":                         {"4417"},
		"the 3rd of May 2026, v2, 10am, blue-green": nil,
		"e.g. and/or 1.5 McD":                       nil,
	} {
		if diff := cmp.Diff(want, ParseQuery(text).Identifiers); diff != "" {
			t.Errorf("identifiers of %q (-want +got):\n%s", text, diff)
		}
	}
}

func TestKeywords(t *testing.T) {
	for text, want := range map[string]string{
		"What is our deploy window for svc-billing-eu2?": "deploy window svc-billing-eu2",
		"the who":                      "the who",
		"to be or not to be":           "to be or not to be",
		"What does Will like?":         "Will like",
		"what's my favourite tea":      "favourite tea",
		"我们什么时候发布支付网关？":                "发布支付网关",
		"机票改签 行李清单 酒店预算":               "机票改签 行李清单 酒店预算",
		"когда поездка в Новосибирск?": "когда поездка в Новосибирск",
		"?!": "?!",
	} {
		if got := ParseQuery(text).Keywords; got != want {
			t.Errorf("keywords of %q = %q, want %q", text, got, want)
		}
	}
}

func TestExact(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        Exact
	}{
		{"svc-billing-eu2", "the node svc-billing-eu2 runs hot", Exact{1, 1, []string{"svc-billing-eu2"}}},
		{"svc-billing-eu2", "the node SVC-Billing-EU2.", Exact{1, 1, []string{"svc-billing-eu2"}}},
		{"svc-billing-eu2", "svc-billing-eu2-old was removed; svc-billing-eu22 too", Exact{}},
		{"svc-billing-eu2", "svc-billing-eu1 runs hot", Exact{}},
		{"E1043", "E10431 and XE1043", Exact{}},
		{"E1043", "错误E1043已修复", Exact{1, 1, []string{"E1043"}}},
		{"v1.4.2", "released v1.4.2.", Exact{1, 1, []string{"v1.4.2"}}},
		{"v1.4.2", "released v1.4.2.1 and v1.4.21", Exact{}},
		{"E1043 or E1044", "E1044 means out of paper", Exact{0.5, 0.5, []string{"E1044"}}},
		{"When do we deploy?", "Deployments happen on Tuesdays", Exact{0, 1, []string{"deploy"}}},
		{"the who", "The Who play on Friday", Exact{0, 1, []string{"the", "who"}}},
		{"cafe zurich", "Café Zürich is closed on Mondays", Exact{0, 1, []string{"cafe", "zurich"}}},
		{"НОВОСИБИРСК", "поездка в Новосибирск в марте", Exact{0, 1, []string{"НОВОСИБИРСК"}}},
		{"ＡＢＣ１２３", "the locker is abc123", Exact{1, 1, []string{"ＡＢＣ１２３"}}},
		{"支付网关什么时候发布", "部署方案：周三晚上用蓝绿发布更新支付网关", Exact{0, 1, []string{"支付网关", "发布"}}},
		{"会议记录放哪里", "會議記錄放在雲端硬碟", Exact{0, 1, []string{"会议记录放"}}},
		{"會議記錄", "会议记录放在云端硬盘", Exact{0, 1, []string{"會議記錄"}}},
		{"头发", "她的頭髮很長", Exact{0, 1, []string{"头发"}}},
		{"頭髮", "她的头发很长", Exact{0, 1, []string{"頭髮"}}},
		{"台湾里程", "臺灣里程 裡程", Exact{0, 1, []string{"台湾里程"}}},
		{"E1043錯誤", "错误E1043已修复", Exact{1, 1, []string{"E1043", "錯誤"}}},
		{"国際会議", "国際会議の予定", Exact{0, 1, []string{"国際会議"}}},
		{"国際会議の予定", "国際会議", Exact{0, 0.75, []string{"国際会議"}}},
		{"机の下", "機の下", Exact{}}, // Japanese has its own characters
		{"集合場所はどこですか", "東京駅の集合場所は南口", Exact{0, 1, []string{"集合場所"}}},
		{"회의실", "회의실은 3층", Exact{0, 1, []string{"회의실"}}},
		{"harpsichord tuning", "bread needs two hours", Exact{}},
		{"?!", "anything", Exact{}},
	} {
		got, _ := ParseQuery(c.query).Compare(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", c.query, c.text, diff)
		}
	}
}

func TestGuard(t *testing.T) {
	whole := Exact{Identifiers: 1, Words: 1}
	// A near miss with a cosine of 0.95 and half the words, by the default weights.
	neighbour := Fuse(DefaultWeights, Known(0.95), Known(0.5))
	if got := Guard(Fuse(DefaultWeights, Known(0), Known(0.4)), whole); got <= neighbour {
		t.Errorf("the row with the identifier has %v, its neighbour %v", got, neighbour)
	}
	if got := Guard(0.1, Exact{Words: 0.5}); got <= 0.1 || got >= 0.3 {
		t.Errorf("half the words gave %v, want a little more than 0.1 and no hit", got)
	}
	if got := Guard(0, Exact{Words: 1}); got != WordsFloor {
		t.Errorf("all words gave %v, want %v", got, WordsFloor)
	}
}

func TestExplanationText(t *testing.T) {
	tree := Explain("score", 0.8645, "lifted").Add(
		Explain("fused", 0.123456, "", Explain("meaning", 0.1, "cosine 0.1"), Explain("words", -0.00001, "")),
	)
	want := `score 0.8645: lifted
  fused 0.1235
    meaning 0.1: cosine 0.1
    words 0
`
	if diff := cmp.Diff(want, tree.String()); diff != "" {
		t.Errorf("rendered (-want +got):\n%s", diff)
	}
}
