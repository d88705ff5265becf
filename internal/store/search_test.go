package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// chinese is twenty unrelated sentences of about one length.
var chinese = []string{
	"周末去公园散步顺便买些新鲜水果", "妈妈的生日是六月十二号要订蛋糕", "会议室的投影仪需要更换新的灯泡", "孩子的家长会安排在下周五的下午",
	"新买的自行车停在地下车库第三排", "医生建议每天早晨空腹喝一杯温水", "邻居家的小狗最近总是在夜里叫唤", "图书馆借来的小说月底之前要归还",
	"厨房水龙头漏水已经联系了维修工", "她喜欢安静的咖啡馆靠窗边的座位", "年度体检报告显示一切指标都正常", "出差回来记得把发票交给财务同事",
	"阳台上的茉莉花每隔三天浇一次水", "钢琴老师把课改到了星期天的上午", "旧手机里的照片还没有备份到硬盘", "楼下新开的面馆味道不错价格便宜",
	"健身卡下个月到期需要考虑续不续", "冬天的羽绒服已经送去干洗店清洗", "地铁三号线周末因为检修停运两天", "毕业十周年聚会定在国庆节第二天",
}

// TestKeywords holds what users of such systems reported as not found.
func TestKeywords(t *testing.T) {
	tests := []struct {
		name  string
		rows  []string
		query string
		first string // empty: any
		count int    // how many are found; 0 means at least one
	}{
		{"part of a Chinese sentence", append(slices.Clone(chinese), "部署方案：周三晚上用蓝绿发布更新支付网关"), "蓝绿发布", "部署方案：周三晚上用蓝绿发布更新支付网关", 0},
		{"its other end", append(slices.Clone(chinese), "部署方案：周三晚上用蓝绿发布更新支付网关"), "支付网关", "部署方案：周三晚上用蓝绿发布更新支付网关", 0},
		{"Japanese", append(slices.Clone(chinese), "東京駅の集合場所は南口"), "集合場所", "東京駅の集合場所は南口", 0},
		{"Korean", append(slices.Clone(chinese), "회의실은 3층"), "회의실", "회의실은 3층", 0},
		{"Korean with another particle", []string{"회의실은 3층", "고양이를 좋아한다", "점심은 열두 시"}, "회의실에서", "회의실은 3층", 1},
		{"Korean that ends like a particle", []string{"회의실은 3층", "고양이를 좋아한다", "점심은 열두 시"}, "고양이", "고양이를 좋아한다", 1},
		{"several Chinese words", []string{"机票改签记录在邮箱", "行李清单周四更新", "酒店预算两千", "行李清单和酒店预算都在共享表格"},
			"机票改签 行李清单 酒店预算", "", 4}, // that two words outrank one is the business of rank
		{"Cyrillic", []string{"поездка в Новосибирск в марте", "обед с коллегами"}, "новосибирск", "поездка в Новосибирск в марте", 1},
		{"Cyrillic in capitals", []string{"поездка в Новосибирск в марте", "обед с коллегами"}, "НОВОСИБИРСК", "поездка в Новосибирск в марте", 1},
		{"accents", []string{"Café Zürich is closed on Mondays", "the library is closed on Sundays"}, "cafe zurich", "Café Zürich is closed on Mondays", 1},
		{"stop words", []string{"The Who play on Friday", "to be or not to be is the motto", "buy milk"}, "the who", "The Who play on Friday", 0},
		{"only stop words", []string{"The Who play on Friday", "to be or not to be is the motto", "buy milk"}, "to be or not to be", "to be or not to be is the motto", 0},
		{"identifier", []string{"svc-billing-eu2 runs in Frankfurt", "svc-search-us1 runs in Ohio"}, "svc-billing-eu2", "svc-billing-eu2 runs in Frankfurt", 0},
		{"constant", []string{"MAX_RETRY_COUNT is 7", "the retry policy is being discussed"}, "MAX_RETRY_COUNT", "MAX_RETRY_COUNT is 7", 0},
		{"code", []string{"E1043 means the disk is full", "E1044 means the disk is read-only"}, "E1043", "E1043 means the disk is full", 1},
		{"inflection", []string{"we deploy on Wednesdays", "lunch is at noon"}, "deploying", "we deploy on Wednesdays", 1},
	}
	noHandlesLeft(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, t.TempDir())
			for i, text := range tt.rows {
				insert(t, s, mem(text, withVector(vec("the same for all")), at(start.Add(time.Duration(i)*time.Minute))))
			}
			check := func(when string) {
				got := matching(t, s, tt.query, 10)
				if len(got) == 0 || (tt.first != "" && got[0] != tt.first) || (tt.count > 0 && len(got) != tt.count) {
					t.Errorf("%s, %q finds %q, want %q first and %d in all", when, tt.query, got, tt.first, tt.count)
				}
			}
			check("unfolded")
			if _, err := s.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
			check("folded")
		})
	}
}

func TestQueriesWithoutWords(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	for _, q := range []string{"", "  \n", "it", "!!!", "\x00", "。", "\xff\xfe"} {
		if got := matching(t, s, q, 5); len(got) != 0 {
			t.Errorf("%q finds %q in an empty table", q, got)
		}
	}
	insert(t, s, mem("buy milk"))
	for _, q := range []string{"", "it", "!!!", "。"} {
		if got := matching(t, s, q, 5); len(got) != 0 {
			t.Errorf("%q finds %q", q, got)
		}
	}
}

func TestNearest(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	axis := func(xs ...float32) []float32 { return append(xs, make([]float32, width-len(xs))...) }
	insert(t, s,
		mem("same", withVector(axis(2))), mem("near", withVector(axis(1, 1))), mem("across", withVector(axis(0, 3))),
		mem("opposite", withVector(axis(-1))), mem("without a vector", withVector(nil)),
		mem("private", withVector(axis(1)), inScope("agent:alice")),
	)
	hits, err := s.Nearest(t.Context(), agent(t, "bob"), memory.Narrow{}, axis(1), 10)
	if err != nil {
		t.Fatal(err)
	}
	type hit struct {
		Text  string
		Score float64
	}
	var got []hit
	for _, h := range hits {
		if len(h.Memory.Vector) != width {
			t.Errorf("%s came without its vector", h.Memory.Text)
		}
		got = append(got, hit{h.Memory.Text, math.Round(h.Score*1e4) / 1e4})
	}
	want := []hit{{"same", 1}, {"near", 0.7071}, {"across", 0}, {"opposite", -1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, make([]float32, width), 3); !errors.Is(err, ErrInvalid) {
		t.Errorf("a zero query: %v, want ErrInvalid", err)
	}
	var wide *WidthError
	if _, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, axis(1)[:3], 3); !errors.As(err, &wide) {
		t.Errorf("a short query: %v, want a WidthError", err)
	}
}

func TestScopes(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	secret := mem("falcon code of alice", inScope("agent:alice"))
	insert(t, s, secret, mem("falcon code of bob", inScope("agent:bob")), mem("falcon code for all"))
	tests := []struct {
		name string
		who  scope.Filter
		want []string
	}{
		{"alice", agent(t, "alice"), []string{"falcon code for all", "falcon code of alice"}},
		{"bob", agent(t, "bob"), []string{"falcon code for all", "falcon code of bob"}},
		{"operator", everyone(), []string{"falcon code for all", "falcon code of alice", "falcon code of bob"}},
		{"nobody", scope.Filter{}, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			found := map[string][]string{}
			hits, err := s.Matching(ctx, tt.who, memory.Narrow{}, "falcon", 9)
			found["Matching"] = texts(hits)
			near, err2 := s.Nearest(ctx, tt.who, memory.Narrow{}, vec("x"), 9)
			found["Nearest"] = texts(near)
			page, err3 := s.List(ctx, ListQuery{Who: tt.who})
			found["List"] = []string{}
			for _, m := range page.Memories {
				found["List"] = append(found["List"], m.Text)
			}
			n, err4 := s.Count(ctx, tt.who, memory.Narrow{})
			st, err5 := s.Stats(ctx, tt.who)
			if err := errors.Join(err, err2, err3, err4, err5); err != nil {
				t.Fatal(err)
			}
			for verb, got := range found {
				slices.Sort(got)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", verb, diff)
				}
			}
			if int(n) != len(tt.want) || int(st.Total) != len(tt.want) {
				t.Errorf("Count %d, Stats %d, want %d", n, st.Total, len(tt.want))
			}
			_, err = s.Get(ctx, tt.who, secret.ID)
			if may := tt.who.Allows("agent:alice"); (err == nil) != may || (!may && !errors.Is(err, ErrNotFound)) {
				t.Errorf("Get of alice's memory: %v", err)
			}
			list, err := s.FindPrefix(ctx, tt.who, secret.ID[:8], 5)
			if err != nil || (len(list) == 1) != tt.who.Allows("agent:alice") {
				t.Errorf("FindPrefix of alice's memory: %d, %v", len(list), err)
			}
		})
	}
}

func TestNarrow(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	meta := func(raw string) func(*memory.Memory) {
		return func(m *memory.Memory) {
			m.Metadata, _ = memory.ParseMetadata(raw)
		}
	}
	stored := func(c memory.StoredCategory) func(*memory.Memory) {
		return func(m *memory.Memory) { m.Category = c }
	}
	now := start.Add(time.Hour)
	ms, past, future := now.UnixMilli(), start.UnixMilli(), now.Add(time.Hour).UnixMilli()
	rows := []memory.Memory{
		mem("falcon plain", meta("{}")),
		mem("falcon expired", meta(fmt.Sprintf(`{"valid_until":%d}`, past))),
		mem("falcon expires now", meta(fmt.Sprintf(`{"valid_until":%d}`, ms))),
		mem("falcon expires later", meta(fmt.Sprintf(`{"valid_until":%d}`, future))),
		mem("falcon expired, in seconds", meta(fmt.Sprintf(`{"valid_until":%d}`, past/1000))),
		mem("falcon expires later, in seconds", meta(fmt.Sprintf(`{"valid_until":%d}`, future/1000))),
		mem("falcon superseded", meta(fmt.Sprintf(`{"valid_from":%d,"invalidated_at":%d}`, past, past+1))),
		mem("falcon not begun", meta(fmt.Sprintf(`{"valid_from":%d}`, future))),
		mem("falcon says valid_until 1", meta(`{"l0_abstract":"\"valid_until\":1"}`)),
	}
	insert(t, s, rows...)
	insert(t, s,
		mem("heron: my name is Ada", stored(memory.StoredFact), meta("{}")),
		mem("heron: the build broke", stored(memory.StoredFact), meta("{}")),
		mem("heron: likes tea", stored(memory.StoredPreference), meta("{}")),
		mem("heron: decided on Go", stored(memory.StoredDecision), meta(`{"memory_category":"events"}`)),
		mem("heron: reflection", stored(memory.StoredReflection), meta("{}")),
		mem("heron: other", stored(memory.StoredOther), meta("{}")),
	)
	tests := []struct {
		name   string
		query  string
		narrow memory.Narrow
		want   []string
	}{
		{"active", "falcon", memory.Narrow{ActiveAt: now}, []string{
			"falcon expires later", "falcon expires later, in seconds", "falcon plain", "falcon says valid_until 1"}},
		{"all", "falcon", memory.Narrow{}, []string{
			"falcon expired", "falcon expired, in seconds", "falcon expires later", "falcon expires later, in seconds",
			"falcon expires now", "falcon not begun", "falcon plain", "falcon says valid_until 1", "falcon superseded"}},
		{"column", "heron", memory.Narrow{Category: "fact"}, []string{"heron: my name is Ada", "heron: the build broke"}},
		{"profile", "heron", memory.Narrow{Category: "profile"}, []string{"heron: my name is Ada"}},
		{"cases", "heron", memory.Narrow{Category: "case"}, []string{"heron: the build broke"}},
		{"preferences", "heron", memory.Narrow{Category: "Preferences"}, []string{"heron: likes tea"}},
		{"events", "heron", memory.Narrow{Category: "event"}, []string{"heron: decided on Go"}},
		{"patterns", "heron", memory.Narrow{Category: "patterns"}, []string{"heron: other", "heron: reflection"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// A limit of the right size shows that rows are not lost to a filter after the query.
			hits, err := s.Matching(t.Context(), everyone(), tt.narrow, tt.query, len(tt.want))
			if err != nil {
				t.Fatal(err)
			}
			got := texts(hits)
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Matching (-want +got):\n%s", diff)
			}
			if tt.narrow.Category == "" {
				return
			}
			near, err := s.Nearest(t.Context(), everyone(), tt.narrow, vec("x"), 50)
			if err != nil {
				t.Fatal(err)
			}
			n, err := s.Count(t.Context(), everyone(), tt.narrow)
			if err != nil || int(n) != len(near) {
				t.Errorf("Count %d, %v; Nearest finds %d", n, err, len(near))
			}
		})
	}
	if _, err := s.Matching(t.Context(), everyone(), memory.Narrow{Category: "nonsense"}, "heron", 3); err == nil {
		t.Error("an unknown category is no error")
	}
}

// TestForgotten deletes a memory and asks for it in every way, at once, after
// maintenance and after reopening.
func TestForgotten(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	ghost := mem("parking code is 4417")
	insert(t, s, ghost, mem("the gym is open until ten"))
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	remove(t, s, ghost.ID)
	check := func(s *Store, when string) {
		t.Helper()
		if got := matching(t, s, ghost.Text, 5); slices.Contains(got, ghost.Text) {
			t.Errorf("%s: found by keyword", when)
		}
		hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, ghost.Vector, 5)
		if err != nil || slices.Contains(texts(hits), ghost.Text) {
			t.Errorf("%s: found by vector (%v)", when, err)
		}
		if _, err := s.Get(t.Context(), everyone(), ghost.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: found by id (%v)", when, err)
		}
		if n := total(t, s); n != 1 {
			t.Errorf("%s: %d rows", when, n)
		}
	}
	check(s, "at once")
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(s, "after maintenance")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check(open(t, dir), "after reopening")
}
