package hanzi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestForms(t *testing.T) {
	for text, want := range map[string][]string{
		"会议记录":         {"會議記錄"},
		"會議記錄":         {"会议记录"},
		"會議記錄放在雲端硬碟":   {"会议记录放在云端硬碟"},
		"头发":           {"頭髮"}, // by the word: 發 is the usual one
		"发布":           {"發佈", "發布"},
		"干净":           {"乾淨"},
		"皇后":           nil,
		"后面":           {"後面"},
		"後面":           {"后面"},
		"乾隆":           nil, // no 干隆
		"乾杯":           {"干杯"},
		"这里":           {"這裡", "這裏"}, // Taiwan, Hong Kong
		"因为":           {"因為"},
		"因為":           {"因为"},
		"台湾":           {"臺灣", "台灣"},
		"台灣":           {"台湾", "臺灣"},
		"svc-eu2 的账单":  {"svc-eu2 的賬單"},
		"一只 dog, café": {"一隻 dog, café"},
		"国際":           {"国际"}, // Japanese, as far as one sees Chinese
		"会議の記録":        nil,    // Japanese
		"机":            {"機"},
		"机の上":          nil,
		"회의실":          nil,
		"tea":          nil,
		"":             nil,
	} {
		var got []string
		for _, f := range Forms(text) {
			got = append(got, f.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("forms of %q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSimplifyMakesBothScriptsEqual(t *testing.T) {
	for _, same := range [][]string{
		{"会议记录", "會議記錄"}, {"头发", "頭髮"}, {"发布", "發布"}, {"这里", "這裡", "這裏"}, {"因为", "因為", "因爲"},
		{"台湾", "臺灣", "台灣"}, {"皇后", "皇后"}, {"干净", "乾淨"}, {"群组", "群組", "羣組"}, {"乾隆", "乾隆"},
	} {
		for _, s := range same {
			if Simplify(s) != Simplify(same[0]) {
				t.Errorf("%q is %q and %q is %q", same[0], Simplify(same[0]), s, Simplify(s))
			}
		}
	}
	for _, other := range [][2]string{{"会议", "回忆"}, {"會議", "會計"}} {
		if Simplify(other[0]) == Simplify(other[1]) {
			t.Errorf("%q is as %q", other[0], other[1])
		}
	}
	for _, stays := range []string{"plain", "かな", "회의실", "Ünïcode", ""} {
		if got := Simplify(stays); got != stays {
			t.Errorf("%q became %q", stays, got)
		}
	}
}

// Every form says the same: it becomes equal when simplified, and keeps its length
// in characters and whatever is no Chinese.
func TestFormsOfAnything(t *testing.T) {
	letters := []rune("会議议记錄头髮发后後里裡裏為爲为乾干隆臺台 a-é会")
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 12).Draw(t, "text"))
		for _, form := range Forms(text) {
			f := form.Text
			if Scripts(f)&form.Script == 0 {
				t.Fatalf("%q is none of script %d", f, form.Script)
			}
			if f == text || len([]rune(f)) != len([]rune(text)) || strings.Count(f, "a") != strings.Count(text, "a") {
				t.Fatalf("%q is a form of %q", f, text)
			}
			if Simplify(f) != Simplify(text) {
				t.Fatalf("%q is a form of %q: simplified %q and %q", f, text, Simplify(f), Simplify(text))
			}
		}
	})
}

func FuzzForms(f *testing.F) {
	f.Add("头发\xff發\xe5\x8f𠮷 会")
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range Forms(text) {
			if form.Text == text || strings.Contains(form.Text, "\xff") {
				t.Errorf("%q is a form of %q", form.Text, text)
			}
		}
		Scripts(text)
	})
}

func BenchmarkForms(b *testing.B) {
	for name, text := range map[string]string{"chinese": "我们上周的会议记录放在哪里了，谁负责发布", "english": "where did we put the notes of the last meeting"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Forms(text)
			}
		})
	}
}

func BenchmarkSimplify(b *testing.B) {
	text := strings.Repeat("第七号会议室的投影仪需要在星期五之前修好并通知行政部门", 4)
	for b.Loop() {
		Simplify(text)
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		readConversion(readCharacters(traditionalData), traditionalWords)
		readConversion(readCharacters(simplifiedData), simplifiedWords)
	}
}
