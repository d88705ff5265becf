package rank

import (
	"math"
	"testing"
)

func TestProfiles(t *testing.T) {
	p := ProfileOf("multilingual-e5-small")
	if len(p.Points) == 0 || len(ProfileOf("text-embedding-3-small").Points) != 0 {
		t.Fatal("only the embedded model has a profile")
	}
	for i := 1; i < len(p.Points); i++ {
		if a, b := p.Points[i-1], p.Points[i]; a.Cosine >= b.Cosine || a.Similarity >= b.Similarity {
			t.Errorf("point %d does not ascend: %v, %v", i, a, b)
		}
	}
	last := 0.0
	for c := -1.0; c <= 1.0001; c += 0.01 {
		v := Calibrate(p, c)
		if v < last || v < 0 || v > 1 || math.IsNaN(v) {
			t.Errorf("at %.2f: %g after %g", c, v, last)
		}
		last = v
	}
	if Calibrate(p, 1) != 1 || Calibrate(p, -0.25) != 0 {
		t.Error("the same text is 1, what points away is 0")
	}
}

func TestSaturateOf(t *testing.T) {
	for _, terms := range []int{-1, 0, 1, 2} {
		if got := SaturateOf(5, terms); got != Saturate(5) {
			t.Errorf("%d terms: %g, want %g", terms, got, Saturate(5))
		}
	}
	if six, two := SaturateOf(5, 6), SaturateOf(5, 2); six >= two || six <= 0 {
		t.Errorf("six terms %g, two terms %g", six, two)
	}
	if SaturateOf(0, 6) != 0 || SaturateOf(math.NaN(), 6) != 0 || SaturateOf(math.Inf(1), 6) != 1 {
		t.Error("no evidence is 0, endless evidence is 1")
	}
}

func TestSameScript(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"When is the rent due?", "Die Miete ist am Ersten fällig", true},
		{"When is the rent due?", "房租每月一号交", false},
		{"会議はいつ", "会议什么时候开", false}, // kana makes it Japanese
		{"MySQL", "生产数据库已从MySQL迁移", false},
		{"发布PostgreSQL数据库的人是谁", "生产数据库已从MySQL迁移", true},
		{"회의실", "회의실은 3층", true},
		{"когда поездка", "when is the trip", false},
		{"4417", "房间号4417", true}, // no letters: nothing to tell by
		{"", "x", true},
	} {
		if got := SameScript(c.a, c.b); got != c.want || SameScript(c.b, c.a) != got {
			t.Errorf("SameScript(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestJapaneseKeywords(t *testing.T) {
	for text, want := range map[string]string{
		"普段どんな運動をしていますか？": "普段 運動",
		"りんごの値段は":         "りんご 値段",
		"すしはおいしい":         "すしはおいしい", // nothing but kana
		"デプロイは誰が承認する？":    "デプロイ 承認",
	} {
		if got := ParseQuery(text).Keywords; got != want {
			t.Errorf("keywords of %q = %q, want %q", text, got, want)
		}
	}
}

func TestFunctionWordsOfOtherLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"Quel est le nom de son chien ?":      "nom son chien",
		"Quand parle-t-on des finances ?":     "parle finances",
		"where is the follow-up on svc-on-2":  "follow-up svc-on-2",
		"他比较好的联系方式，吉他":                        "好的联系方式，吉他",
		"그는 평소에 무슨 운동을 하나요?":                  "평소에 운동을",
		"Womit fährt er zur Arbeit?":          "Womit fährt Arbeit",
		"Wie soll die IDE aussehen?":          "IDE aussehen",
		"why did the server die":              "server die",
		"¿Dónde está guardado el pasaporte?":  "guardado pasaporte",
		"Qual é o nome do cachorro dela?":     "nome cachorro",
		"what does the fox say about my son?": "fox say son",
	} {
		if got := ParseQuery(text).Keywords; got != want {
			t.Errorf("keywords of %q = %q, want %q", text, got, want)
		}
	}
}
