package rank

import (
	"slices"
	"strings"
)

// synonyms are words that people use for one thing when they write down what
// happened with a program. Only such words: everyday ones (find, image, access)
// would bring rows about something else. A group is triggered by any of its
// words, English ones whole and in any inflection, Chinese ones anywhere.
var synonyms = [][]string{
	{"crash", "崩溃", "segfault", "panic", "宕机", "闪退"},
	{"hang", "卡死", "freeze", "stuck", "unresponsive", "无响应", "卡住", "死锁", "deadlock"},
	{"oom", "内存不足", "内存溢出", "heap"},
	{"config", "配置", "configuration", "settings", "设置"},
	{"deploy", "部署", "rollout", "上线", "发布"},
	{"docker", "容器", "container", "镜像", "compose"},
	{"error", "错误", "exception", "报错", "failure", "异常"},
	{"fix", "修复", "repair", "解决", "workaround", "resolve"},
	{"pitfall", "踩坑", "gotcha", "陷阱", "caveat"},
	{"memory", "记忆", "回忆"},
	{"search", "检索", "retrieval", "搜索", "lookup", "查找"},
	{"push", "推送", "upload", "上传"},
	{"log", "日志", "logging"},
	{"permission", "权限", "denied", "授权", "forbidden", "authorization"},
}

// maxExpansion is how many words are added at most.
const maxExpansion = 5

// synonym is one word of a group, ready to be looked for.
type synonym struct {
	written string
	stem    string // of a spaced word
	pairs   string // folded, of an unspaced one
	group   int
}

var synonymList = func() (list []synonym) {
	for g, words := range synonyms {
		for _, w := range words {
			s := synonym{written: w, group: g}
			if folded := Fold(w); scriptOf([]rune(w)[0]) == unspaced {
				s.pairs = folded
			} else {
				s.stem = stem(folded)
			}
			list = append(list, s)
		}
	}
	return list
}()

// Expand lists words that mean the same as some of the query's, at most five, and
// none that the query holds. With several triggered groups each gives one in turn.
func Expand(query string) []string {
	folded := Fold(query)
	stems := map[string]bool{}
	for _, r := range runs(folded) {
		if r.kind == spaced {
			stems[stem(r.text)] = true
		}
	}
	missing := make([][]string, len(synonyms))
	triggered := make([]bool, len(synonyms))
	for _, s := range synonymList {
		if s.pairs != "" && strings.Contains(folded, s.pairs) || s.pairs == "" && stems[s.stem] {
			triggered[s.group] = true
		} else if !slices.Contains(missing[s.group], s.written) {
			missing[s.group] = append(missing[s.group], s.written)
		}
	}
	var out []string
	for turn := 0; len(out) < maxExpansion; turn++ {
		before := len(out)
		for g, words := range missing {
			if triggered[g] && turn < len(words) && len(out) < maxExpansion && !slices.Contains(out, words[turn]) {
				out = append(out, words[turn])
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}
