package lance

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPredicatesAsSQL(t *testing.T) {
	cases := []struct {
		p    Predicate
		want string
	}{
		{Eq("a", "it's"), "(`a` = 'it''s')"},
		{Eq("a", `back\slash "and" `+"`tick`"), "(`a` = 'back\\slash \"and\" `tick`')"},
		{Eq("Scope", true), "(`Scope` = true)"},
		{Gt("n", 5), "(`n` > 5)"},
		{Ge("n", int64(-5)), "(`n` >= -5)"},
		{Lt("n", 1.5), "(`n` < 1.5)"},
		{Le("n", 1e21), "(`n` <= 1000000000000000000000.0)"},
		{In("a", "x", "y'"), "(`a` IN ('x', 'y'''))"},
		{In("a"), "false"},
		{IsNull("a"), "(`a` IS NULL)"},
		{HasPrefix("a", "50%_"), "starts_with(`a`, '50%_')"},
		{And(Eq("a", "x"), Or(Eq("b", 1), Eq("b", 2))), "((`a` = 'x') AND ((`b` = 1) OR (`b` = 2)))"},
		{And(nil, True(), Eq("a", "x")), "(`a` = 'x')"},
		{And(Eq("a", "x"), False()), "false"},
		{Or(Eq("a", "x"), True()), "true"},
		{And(), "true"},
		{Or(), "false"},
		{Not(Eq("a", "x")), "(NOT (`a` = 'x'))"},
		{Not(True()), "false"},
		{NotTrue(Eq("a", "x")), "((`a` = 'x') IS NOT TRUE)"},
		{NotTrue(False()), "true"},
		{JSONInt("m", "k").Absent(), "(mlp_json_int(`m`, 'k') IS NULL)"},
		{JSONInt("m", "k").GT(5), "(mlp_json_int(`m`, 'k') > 5)"},
	}
	for _, c := range cases {
		got, err := SQL(c.p)
		if err != nil || got != c.want {
			t.Errorf("%#v is %s, %v; want %s", c.p, got, err, c.want)
		}
	}
}

func TestUnwritablePredicates(t *testing.T) {
	cases := map[string]Predicate{
		"NUL in text":     Eq("a", "x\x00y"),
		"invalid UTF-8":   Eq("a", "\xff"),
		"NUL in a list":   In("a", "x", "\x00"),
		"NUL in a prefix": HasPrefix("a", "\x00"),
		"not a number":    Gt("a", math.NaN()),
		"infinite":        Gt("a", math.Inf(1)),
		"quoted column":   Eq("a`b", 1),
		"empty column":    IsNull(""),
		"spaced column":   Eq("a b", 1),
		"NUL in a key":    JSONInt("m", "\x00").Absent(),
		"inside a tree":   And(Eq("a", 1), Not(Or(Eq("b", 1), Eq("a", "\x00")))),
		"not of nothing":  Not(nil),
		"nor of nothing":  NotTrue(nil),
	}
	for name, p := range cases {
		if sql, err := SQL(p); err == nil {
			t.Errorf("%s: rendered as %s", name, sql)
		}
	}
}

// Whatever a text holds, it stays one literal: between the outer quotes every
// quote is doubled.
func FuzzTextLiteral(f *testing.F) {
	for _, s := range []string{"", "'", "''", "\\'", "a' OR '1'='1", "%_", "`", "--", "蓝绿", "\u0000", "\xff", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sql, err := SQL(Eq("a", s))
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
			if err == nil {
				t.Fatalf("%q was rendered as %s", s, sql)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		inner, ok := strings.CutPrefix(sql, "(`a` = '")
		inner, ok2 := strings.CutSuffix(inner, "')")
		if !ok || !ok2 || strings.ReplaceAll(inner, "''", "'") != s || strings.Count(inner, "'") != 2*strings.Count(s, "'") {
			t.Fatalf("%q was rendered as %s", s, sql)
		}
	})
}

// awkward texts must be found as themselves, and only themselves, by the real planner.
var awkward = []string{
	"plain", "it's", "''", `\`, `\'`, `a\nb`, `"double"`, "`tick`", "50%", "under_score", "a' OR '1'='1",
	"-- comment", "/* c */", "; DROP TABLE notes", "$1", "?", ":x", "{}", "蓝绿发布", "e\u0301", "é", "🎉",
	"line\nbreak", "tab\t", " lead", "trail ", "\u2028", "\u200b", "X'41'", "NULL", "true", "E'\\x41'",
}

func TestTextsMatchThemselvesOnly(t *testing.T) {
	ctx := t.Context()
	rows := make([]row, len(awkward))
	for i, s := range awkward {
		rows[i] = row{id: s, text: s, size: int64(i)}
	}
	table := openTable(t, rows...)
	for _, s := range awkward {
		for name, p := range map[string]Predicate{
			"Eq": Eq("text", s), "In": In("text", s, "no such text"),
			"Not": Not(Or(Lt("text", s), Gt("text", s))),
		} {
			rows, err := table.Scan(ctx, ScanQuery{Filter: p})
			wantIDs(t, name+" "+s, []string{s}, rows, err)
		}
		rows, err := table.Scan(ctx, ScanQuery{Filter: And(HasPrefix("text", s), Le("text", s))})
		wantIDs(t, "HasPrefix "+s, []string{s}, rows, err)
	}
}

func TestNumbersCompareAcrossTypes(t *testing.T) {
	ctx := t.Context()
	table := openTable(t, row{id: "a", size: 1700000000000}, row{id: "b", size: -5})
	cases := []struct {
		p    Predicate
		want []string
	}{
		{Eq("size", int64(1700000000000)), []string{"a"}},
		{Eq("weight", int64(1700000000000)), []string{"a"}},
		{Eq("weight", 1700000000000.0), []string{"a"}},
		{Le("weight", int64(-5)), []string{"b"}},
		{Le("size", -5), []string{"b"}},
		{Gt("size", int32(-6)), []string{"a", "b"}},
	}
	for _, c := range cases {
		rows, err := table.Scan(ctx, ScanQuery{Filter: c.p, OrderBy: []Order{{Column: "id"}}})
		sql, _ := SQL(c.p)
		wantIDs(t, sql, c.want, rows, err)
	}
}

func TestJSONMembers(t *testing.T) {
	ctx := t.Context()
	table := openTable(t,
		row{id: "absent", meta: `{}`},
		row{id: "early", meta: `{"a":1,"until":100}`},
		row{id: "late", meta: `{"until" : 300,"b":2}`},
		row{id: "in text", meta: `{"note":"{\"until\":100} \",\"until\":100"}`},
		row{id: "nested", meta: `{"more":{"until":100},"list":[{"until":100}]}`},
		row{id: "null", meta: `{"until":null}`},
		row{id: "longer key", meta: `{"xuntil":100,"until2":100}`},
		row{id: "no JSON", meta: `until: 100`},
		row{id: "negative", meta: `{"until":-1}`},
	)
	until := JSONInt("metadata", "until")
	byID := []Order{{Column: "id"}}
	absent := []string{"absent", "in text", "longer key", "nested", "no JSON", "null"}
	cases := []struct {
		name string
		p    Predicate
		want []string
	}{
		{"absent", until.Absent(), absent},
		{"present", Not(until.Absent()), []string{"early", "late", "negative"}},
		{"at most", until.LE(100), []string{"early", "negative"}},
		{"greater", until.GT(100), []string{"late"}},
		{"equal", until.EQ(-1), []string{"negative"}},
		{"absent or greater", And(Or(until.Absent(), until.GT(200)), Ge("id", "late")),
			[]string{"late", "longer key", "nested", "no JSON", "null"}},
	}
	for _, c := range cases {
		rows, err := table.Scan(ctx, ScanQuery{Filter: c.p, OrderBy: byID})
		wantIDs(t, c.name, c.want, rows, err)
		if n, err := table.Count(ctx, c.p); n != int64(len(c.want)) || err != nil {
			t.Errorf("%s: count is %d, %v", c.name, n, err)
		}
	}
	if n, err := table.Delete(ctx, until.LE(100)); n != 2 || err != nil {
		t.Errorf("deleted %d, %v; want 2", n, err)
	}
}

// The condition on a member narrows a search before its limit is applied.
func TestJSONMembersNarrowSearches(t *testing.T) {
	ctx := t.Context()
	table := openTable(t,
		row{id: "gone", text: "red apple", meta: `{"until":100}`, vector: []float32{1, 0, 0}},
		row{id: "here", text: "a red apple pie", meta: `{"until":900}`, vector: []float32{1, 1, 0}},
		row{id: "forever", text: "green apple", meta: `{}`, vector: []float32{0, 1, 0}},
	)
	if err := table.CreateTextIndex(ctx, "text", TextIndexOptions{LowerCase: true}); err != nil {
		t.Fatal(err)
	}
	until := JSONInt("metadata", "until")
	active := Or(until.Absent(), until.GT(500))
	rows, err := table.NearestTo(ctx, VectorQuery{Column: "vector", Vector: []float32{1, 0, 0}, Limit: 1, Filter: active})
	wantIDs(t, "nearest", []string{"here"}, rows, err)
	rows, err = table.Match(ctx, TextQuery{Column: "text", Text: "red apple", Limit: 1, Filter: active})
	wantIDs(t, "matching", []string{"here"}, rows, err)
	if err := table.Add(ctx, record(t, row{id: "new", text: "red red apple", meta: `{"until":1}`})); err != nil {
		t.Fatal(err)
	}
	rows, err = table.Match(ctx, TextQuery{Column: "text", Text: "red apple", Limit: 1, Filter: active})
	wantIDs(t, "matching beyond the index", []string{"here"}, rows, err)
}
