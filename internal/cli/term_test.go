package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"a text that is long", 10, "a text th…"},
		{"会议在周一上午举行", 10, "会议在周…"},
		{"👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 5, "👨‍👩‍👧‍👦👨‍👩‍👧‍👦…"},
		{"two\nlines\there", 20, "two lines here"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"\x1b[31mred\x1b[0m\u009b2J\u202etxt", 30, "[31mred[0m2Jtxt"},
	} {
		got := fit(c.text, c.columns)
		if got != c.want {
			t.Errorf("fit(%q, %d) = %q, want %q", c.text, c.columns, got, c.want)
		}
		if w := uniseg.StringWidth(got); w > c.columns {
			t.Errorf("fit(%q, %d) takes %d columns", c.text, c.columns, w)
		}
	}
}

func TestWriteShowsWhatIsThere(t *testing.T) {
	var b bytes.Buffer
	write(&b, "%s|%d|%s\n", "a\x1b]0;title\x07b\r\u2028c", 3, screen{colour: true}.paint(red, "\x1b[2Jx"))
	if want := "a]0;titleb\u2028c|3|\x1b[31m[2Jx\x1b[0m\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestTableKeepsItsColumns(t *testing.T) {
	var b bytes.Buffer
	a := &app{out: &b}
	columns := []column{{title: "ID"}, {title: "SCOPE", most: 8}, {title: "TEXT"}}
	rows := [][]string{
		{"1", "agent:main:long", "会议在周一上午举行，请准时到达会议室并带上你的笔记本电脑"},
		{"22", "全局", "short"},
	}
	a.table(screen{width: 40}, columns, rows)
	want := strings.Join([]string{
		"ID  SCOPE     TEXT",
		"1   agent:m…  会议在周一上午举行，请准…",
		"22  全局      short",
		"",
	}, "\n")
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
