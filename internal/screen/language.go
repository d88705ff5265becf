package screen

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// The patterns of a language are the file triggers/<code>.txt: sections in
// brackets, one regular expression a line, letter case ignored, # for remarks.
//
//	{w}     one word, of a script with spaces
//	{name}  one word that begins with a capital
//	{0-4}   up to four words, each followed by a space
//	~       after a stem: whatever ends the word
//
// A pattern stands between word boundaries where the script has them, so that
// "like" is not found in "likewise"; ^ and $ are the ends of the sentence,
// without the interjections of [lead] and the final marks.
//
//go:embed triggers/*.txt
var triggerFiles embed.FS

// language is one of those files. It is read at first use.
type language struct {
	code string
	// words are the commonest function words; they tell what a text is written in.
	words map[string]bool
	// sections by name.
	sections map[string]*section
	lead     *regexp.Regexp
}

// section is compiled when it is first asked: most texts need few of them.
type section struct {
	sources  []string
	compiled func() *regexp.Regexp
}

// Languages lists the codes of the languages with patterns.
func Languages() []string { return strings.Fields("en de fr es it pt cs ru zh ja ko") }

var languages = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{}
	for _, code := range Languages() {
		all[code] = readLanguage(code)
	}
	return all
})

// languagesOf gives the languages a sentence may be written in: by its script,
// and for the Latin one by the function words it holds.
func languagesOf(s string) []*language {
	all := languages()
	var han, kana, hangul, cyrillic, latin int
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.IsLetter(r):
			latin++
		}
	}
	switch {
	case kana > 0:
		return []*language{all["ja"]}
	case hangul > 0:
		return []*language{all["ko"]}
	case han > 0:
		return []*language{all["zh"], all["ja"]}
	case cyrillic > 0:
		return []*language{all["ru"]}
	case latin == 0:
		return nil
	}
	return latinLanguages(s, all)
}

func latinLanguages(s string, all map[string]*language) []*language {
	best := 0
	var found, every []*language
	tokens := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	var counts [7]int
	for i, code := range Languages()[:7] {
		l := all[code]
		every = append(every, l)
		n := 0
		for _, t := range tokens {
			if l.words[t] {
				n++
			}
		}
		counts[i] = n
		best = max(best, n)
	}
	for i, l := range every {
		// Neighbours share words ("a", "de", "me"), so the second best is asked, too.
		if best > 0 && 3*counts[i] >= 2*best {
			found = append(found, l)
		}
	}
	if found == nil {
		return every
	}
	slices.SortStableFunc(found, func(a, b *language) int {
		return counts[slices.Index(every, b)] - counts[slices.Index(every, a)]
	})
	return found
}

func readLanguage(code string) *language {
	raw, err := triggerFiles.ReadFile("triggers/" + code + ".txt")
	if err != nil {
		panic(err) // embedded, and a test reads every one
	}
	l := &language{code: code, words: map[string]bool{}, sections: map[string]*section{}}
	// Chinese and Japanese have no spaces, Korean writes particles onto the word.
	dense := code == "zh" || code == "ja" || code == "ko"
	name := ""
	for _, line := range strings.Split(string(raw), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			name = line[1 : len(line)-1]
			if l.sections[name] == nil {
				l.sections[name] = newSection(dense)
			}
		case name == "words":
			for _, w := range strings.Fields(line) {
				l.words[w] = true
			}
		default:
			l.sections[name].sources = append(l.sections[name].sources, line)
		}
	}
	if lead := l.sections["lead"]; lead != nil {
		sep := `[\s,.:;!。，、：！～…-]+`
		if dense && code != "ko" {
			sep = `[\s,.:;!。，、：！～…-]*`
		}
		l.lead = regexp.MustCompile(`(?i)^(?:(?:` + expand(strings.Join(lead.sources, "|")) + `)` + sep + `)+`)
	}
	return l
}

func newSection(dense bool) *section {
	s := &section{}
	s.compiled = sync.OnceValue(func() *regexp.Regexp {
		if len(s.sources) == 0 {
			return nil
		}
		body := expand(strings.Join(s.sources, "|"))
		if !dense {
			body = `(?:^|[^\p{L}\p{N}_])(?:` + body + `)(?:$|[^\p{L}\p{N}\p{M}_])`
		}
		return regexp.MustCompile(`(?i)` + body)
	})
	return s
}

var upTo = regexp.MustCompile(`\{(\d+)-(\d+)\}`)

const wordPattern = `[\p{L}\p{N}][\p{L}\p{N}\p{M}'_./@#+-]*`

func expand(pattern string) string {
	pattern = strings.ReplaceAll(pattern, "~", `[\p{L}\p{M}']*`)
	pattern = upTo.ReplaceAllString(pattern, `(?:`+strings.ReplaceAll(wordPattern, "$", "$$")+` ){$1,$2}`)
	pattern = strings.ReplaceAll(pattern, "{name}", `(?-i:\p{Lu}[\p{L}\p{N}\p{M}'_.-]*)`)
	return strings.ReplaceAll(pattern, "{w}", wordPattern)
}

// is reports whether a pattern of the section fits the sentence.
func (l *language) is(name, s string) bool {
	sec := l.sections[name]
	if sec == nil {
		return false
	}
	re := sec.compiled()
	return re != nil && re.MatchString(strings.TrimRight(s, ".!。！ ~～)"))
}

// withoutLead drops interjections in front, unless nothing else is there.
func (l *language) withoutLead(s string) string {
	if l.lead == nil {
		return s
	}
	rest := l.lead.ReplaceAllString(s, "")
	if strings.TrimSpace(rest) == "" {
		return s
	}
	return rest
}

// String is for failing tests.
func (l *language) String() string { return fmt.Sprintf("language %s", l.code) }
