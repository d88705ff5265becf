package screen

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Speakers of a conversation with a model, folded: it, and everybody else.
const (
	itNames    = `assistant|assistent|asistente|ai|bot|chatgpt|claude|gpt|model|agent|助手|助理|アシスタント|어시스턴트`
	headNames  = `assistant|assistent|asistente|chatgpt|claude|助手|アシスタント|어시스턴트` // the others are subjects of notes
	otherNames = `user|human|system|developer|tool|benutzer(?:in)?|nutzer(?:in)?|anwender|utilisateur|utilisatrice|usuario|usuaria|sistema|systeme|用户|用戶|人类|系统|系統|ユーザー|システム|사용자|시스템`
)

var (
	// spoken is a line that one of them says: the name, and what follows the colon.
	// A name between marks of a heading stands for the line below it.
	spoken = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^\p{L}\p{N}]{0,6}(?:(` + itNames + `)|(?:` + otherNames + `))(?: (?:response|reply|message|turn|\d+))?[\s*_)\]】]{0,4}:\s*(.*)$`)
	})
	headed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[#*=]+\s*(?:(` + headNames + `)|(?:` + otherNames + `))[\s#*=:]*$`)
	})
	// announcing is a line after which a conversation is told.
	announcing = regexp.MustCompile(`(?:summary|conversation|transcript|dialog(?:ue)?|chat|log|excerpt|zusammenfassung|gesprach|verlauf|mitschrift|resume|resumen|conversacion|摘要|对话|對話|会話|要約|대화|요약)[^\n]{0,24}:$`)
	pieceEnd   = regexp.MustCompile(`([.!?]["')]?\s+|[。！？]["」]?\s*)`)
)

// converses reports whether a text, as compared gives it, goes over into a
// conversation between the model and somebody else: something else stands before
// their turns, or the model speaks first. What is told as a conversation from its
// beginning, or announced as one, is none, and neither are settings and lists, in
// which nobody says three words.
func converses(lines string) bool {
	if !strings.Contains(lines, ":") && !strings.Contains(lines, "#") {
		return false
	}
	all := strings.Split(pieceEnd.ReplaceAllString(lines, "$1\n"), "\n")
	first, it, other := -1, false, false
	for i, line := range all {
		line = strings.TrimSpace(line)
		said := ""
		m := spoken().FindStringSubmatch(line)
		if m != nil {
			said = m[2]
		} else if m = headed().FindStringSubmatch(line); m != nil && i+1 < len(all) {
			said = all[i+1]
		} else {
			continue
		}
		if first < 0 {
			if i > 0 && announcing.MatchString(strings.TrimSpace(all[i-1])) || i == 0 && m[1] == "" {
				return false
			}
			first = i
		}
		switch {
		case m[1] != "":
			it = it || saysSomething(said)
		case said != "":
			other = true
		}
	}
	return it && other
}

// saysSomething reports whether a text has three words, or six characters of a
// script that does not part them.
func saysSomething(text string) bool {
	dense := 0
	for _, r := range text {
		if quarters(r) == 4 && unicode.IsLetter(r) {
			dense++
		}
	}
	return dense >= 6 || len(strings.Fields(text)) >= 3 && utf8.RuneCountInString(text) >= 8
}
