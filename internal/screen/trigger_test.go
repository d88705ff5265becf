package screen

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sentences of testdata/triggers: one file a language, each line a mark and
// a sentence. "+ reason" must trigger for that reason, "-" must not.
func TestTriggers(t *testing.T) {
	var hits, missed, false_ int
	for _, code := range Languages() {
		t.Run(code, func(t *testing.T) {
			right, wrong := 0, 0
			for _, c := range sentences(t, code) {
				reason, ok := Trigger(c.text)
				switch {
				case c.want == "" && !ok:
					right++
				case c.want == "" && ok:
					false_++
					t.Errorf("%q triggers as %s", c.text, reason)
				case !ok:
					missed++
					t.Errorf("%q does not trigger, want %s", c.text, c.want)
				default:
					hits++
					right++
					if string(reason) != c.want {
						wrong++
						t.Errorf("%q triggers as %s, want %s", c.text, reason, c.want)
					}
				}
			}
			t.Logf("%s: %d sentences judged right, %d with another reason", code, right, wrong)
		})
	}
	t.Logf("precision %.3f, recall %.3f", ratio(hits, hits+false_), ratio(hits, hits+missed))
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

type sentenceCase struct{ want, text string }

// sentences reads one language's cases and checks that there are enough of both kinds.
func sentences(t *testing.T, code string) []sentenceCase {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "triggers", code+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []sentenceCase
	positive, negative := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "- "):
			negative++
			out = append(out, sentenceCase{text: line[2:]})
		case strings.HasPrefix(line, "+ "):
			reason, text, ok := strings.Cut(line[2:], " | ")
			if !ok {
				t.Fatalf("%s: %q lacks its reason", code, line)
			}
			positive++
			out = append(out, sentenceCase{want: reason, text: text})
		default:
			t.Fatalf("%s: cannot read %q", code, line)
		}
	}
	if positive < 12 || negative < 12 {
		t.Errorf("%s has %d sentences that trigger and %d that do not, want at least 12 of each", code, positive, negative)
	}
	return out
}
