package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// constant answers the same vector for every text, so that only words decide.
type constant struct{}

var always = []float32{0.6, 0.8, 0, 0}

func (constant) EmbedQuery(context.Context, string) ([]float32, error)   { return always, nil }
func (constant) EmbedPassage(context.Context, string) ([]float32, error) { return always, nil }
func (constant) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	return slices.Repeat([][]float32{always}, len(texts)), nil
}
func (constant) Dimensions() int { return len(always) }
func (constant) Model() string   { return "constant" }

func constantVectors(o *Options) { o.Embedder = constant{} }

// expectFirst recalls and checks the best hit and that words found it.
func (f *fixture) expectFirst(query, want string) {
	f.t.Helper()
	a := f.recall(query, 20)
	if len(a.Hits) == 0 || a.Hits[0].Memory.Text != want {
		f.t.Errorf("%q recalls %q, want %q first", query, texts(a), want)
		return
	}
	if b := a.Hits[0].BM25; b == nil || b.Score <= 0 {
		f.t.Errorf("%q: the first hit has no score from words: %+v", query, a.Hits[0])
	}
}

// B01: a part of an unspaced phrase is found by words, among rows of its kind.
func TestPartsOfUnspacedPhrases(t *testing.T) {
	f := start(t, nil, constantVectors)
	const chinese = "部署方案：周三晚上用蓝绿发布更新支付网关"
	f.remember(chinese)
	f.remember("東京駅の集合場所は南口")
	f.remember("회의실은 3층")
	for i := range 20 {
		f.remember(fmt.Sprintf("第%d号会议室的投影仪需要在星期五之前修好并通知行政部门", i+101))
	}
	f.expectFirst("蓝绿发布", chinese)
	f.expectFirst("支付网关", chinese)
	f.expectFirst("集合場所", "東京駅の集合場所は南口")
	f.expectFirst("회의실", "회의실은 3층")
}

// B02: several words are looked for one by one; more of them rank higher.
func TestSeveralChineseWordsAreNotJoined(t *testing.T) {
	f := start(t, nil, constantVectors)
	rows := []string{"机票改签记录在邮箱", "行李清单周四更新", "酒店预算两千", "机票改签和行李清单都交给小林"}
	for _, text := range rows {
		f.remember(text)
	}
	got := f.recalled("机票改签 行李清单 酒店预算")
	if len(got) != len(rows) || got[0] != rows[3] {
		t.Errorf("recalled %q, want all %d with the one that holds two words first", got, len(rows))
	}
}

// B03: what is stored in one script of Chinese is found by words in the other, with
// vectors that decide nothing and without any.
func TestBothScriptsOfChineseMeet(t *testing.T) {
	for name, options := range map[string]func(*Options){"hybrid": constantVectors, "words alone": func(*Options) {}} {
		t.Run(name, func(t *testing.T) {
			f := start(t, nil, options)
			rows := []string{"會議記錄放在雲端硬碟", "头发周五去剪", "屋頂花園週末開放", "酒店预算两千"}
			for _, text := range rows {
				f.remember(text)
			}
			f.expectFirst("会议记录", rows[0])
			f.expectFirst("會議記錄", rows[0])
			f.expectFirst("頭髮", rows[1])
			f.expectFirst("屋顶花园", rows[2])
			f.expectFirst("酒店預算", rows[3])
		})
	}
}

// B04: letter case and accents do not matter, Cyrillic is words like any other.
func TestCyrillicAndAccents(t *testing.T) {
	f := start(t, nil, constantVectors)
	f.remember("поездка в Новосибирск в марте")
	f.remember("Café Zürich is closed on Mondays")
	f.expectFirst("новосибирск", "поездка в Новосибирск в марте")
	f.expectFirst("НОВОСИБИРСК", "поездка в Новосибирск в марте")
	f.expectFirst("cafe zurich", "Café Zürich is closed on Mondays")
}

// B05: a query of stop words finds what is made of them, and is never an error.
func TestOnlyStopWords(t *testing.T) {
	f := start(t, nil, constantVectors)
	f.remember("The Who play on Friday")
	f.remember("to be or not to be is the motto")
	f.expectFirst("the who", "The Who play on Friday")
	f.expectFirst("to be or not to be", "to be or not to be is the motto")
	f.recall("it", 3)
}

// B08: every row is found at once, whatever the index has folded in; after
// maintenance no more than twenty rows are outside it.
func TestNewRowsAreFoundAtOnce(t *testing.T) {
	f := start(t, nil, constantVectors)
	for i := range 60 {
		f.remember(fmt.Sprintf("parcel number %d carries the mark tokenmark%03d", i, i))
	}
	f.expectFirst("tokenmark059", "parcel number 59 carries the mark tokenmark059")
	f.expectFirst("tokenmark000", "parcel number 0 carries the mark tokenmark000")
	db := f.opening.store
	if _, err := db.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, err := db.TextIndex(t.Context()); err != nil || state.Unindexed > 20 {
		t.Errorf("after maintenance: %+v, %v; want at most 20 rows outside the index", state, err)
	}
	f.expectFirst("tokenmark059", "parcel number 59 carries the mark tokenmark059")
}
