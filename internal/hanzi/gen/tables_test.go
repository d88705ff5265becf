package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTables(t *testing.T) {
	got := tables(map[string][]entry{
		"TSCharacters": parse([]byte("髮\t发\n發\t发\n乾\t干 乾\n")),
		"TSPhrases":    parse([]byte("乾隆\t乾隆\n餅乾\t餅干\n")),
		"STCharacters": parse([]byte("面\t面 麪\n发\t發 髮\n𫇥\t薴\n不是一行\n")),
		// Not needed: 发布 by its characters, 理发店 by 理发. Of another length: no pair.
		"STPhrases":  parse([]byte("发布\t發布\n理发店\t理髮店\n理发\t理髮\n面条\t麪條 面條\n发\t\n一目\t一目了\n")),
		"TWVariants": parse([]byte("裏\t裡\n")),
		"HKVariants": nil,
	})
	want := map[string]string{
		"simplified.txt":        "乾干\n發发\n髮发\n",
		"simplified-words.txt":  "乾隆\t乾隆\n",
		"traditional.txt":       "发發\n",
		"traditional-words.txt": "理发\t理髮\n面条\t麪條\n",
		"taiwan.txt":            "裏裡\n",
		"hongkong.txt":          "",
	}
	text := map[string]string{}
	for name, data := range got {
		text[name] = string(data)
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

func TestOnlyDictionariesOfThePinnedModule(t *testing.T) {
	if !strings.HasPrefix(sum, "h1:") || !strings.Contains(module, "@v") {
		t.Errorf("%s with the sum %q is not pinned", module, sum)
	}
}
