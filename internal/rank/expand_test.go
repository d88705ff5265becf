package rank

import (
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for query, want := range map[string][]string{
		"docker":                     {"容器", "container", "镜像", "compose"},
		"the service keeps CRASHING": {"崩溃", "segfault", "panic", "宕机", "闪退"},
		"服务崩溃":                       {"crash", "segfault", "panic", "宕机", "闪退"},
		"crash 崩溃 segfault panic":    {"宕机", "闪退"},
		"docker deploy":              {"部署", "容器", "rollout", "container", "上线"},
		"the dockyard is closed":     nil,
		"catalogue":                  nil,
		"who likes tea":              nil,
		"":                           nil,
	} {
		if got := Expand(query); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("docker deploy error 配置")
	f.Fuzz(func(t *testing.T, query string) {
		more := Expand(query)
		if len(more) > maxExpansion {
			t.Fatalf("%d words added", len(more))
		}
		for i, w := range more {
			if slices.Contains(more[:i], w) || strings.Contains(Fold(query), Fold(w)) && scriptOf([]rune(w)[0]) == unspaced {
				t.Fatalf("%q of %q is there already", w, more)
			}
		}
	})
}
