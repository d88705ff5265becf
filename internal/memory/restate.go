package memory

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Versioned reports whether memories of the category have a history: a new
// statement about a preference or an entity replaces the old one, which is kept.
// Other kinds are events and facts of their own.
func Versioned(kind Category) bool { return kind == Preferences || kind == Entities }

// topicLimit is the longest heading, in characters, that counts as a topic;
// a colon further on is part of the sentence.
const topicLimit = 120

// FactKey names what a versioned statement is about: the part before a colon or
// an arrow, else all of it, in one spelling. It is empty for other categories.
// The form is that of the plugin this product replaces, so that keys of both
// are equal.
func FactKey(kind Category, text string) string {
	if !Versioned(kind) {
		return ""
	}
	topic := text
	if i := strings.IndexAny(text, ":："); i > 0 && utf8.RuneCountInString(text[:i]) <= topicLimit {
		topic = text[:i]
	} else if before, _, ok := cutArrow(text); ok {
		topic = before
	}
	topic = strings.Join(strings.Fields(strings.ToLower(topic)), " ")
	if topic = strings.TrimRight(topic, "。.!? "); topic == "" {
		return ""
	}
	return string(kind) + ":" + topic
}

func cutArrow(text string) (before, after string, ok bool) {
	one, two := strings.Index(text, "->"), strings.Index(text, "=>")
	switch {
	case one > 0 && (two <= 0 || one < two):
		return text[:one], text[one+2:], true
	case two > 0:
		return text[:two], text[two+2:], true
	}
	return text, "", false
}

// FactKey is the stated key of m, else the derived one.
func (m Memory) FactKey() string {
	if m.Metadata.FactKey != "" {
		return m.Metadata.FactKey
	}
	return FactKey(m.Kind(), m.Text)
}

// Restate changes text and category of m in place, and everything in its
// metadata that was derived from them.
func (m *Memory) Restate(text string, column StoredCategory, kind Category) {
	d := &m.Metadata
	reworded, moved := text != m.Text, kind != m.Kind()
	if reworded {
		d.L0, d.L1, d.L2 = forms(text)
		// An expiry came from the old words ("tomorrow").
		d.TemporalType, d.ValidUntil = "", time.Time{}
	}
	if moved {
		byDefault := d.Layer == "" || d.Layer == layerOf(*d)
		d.Category = kind
		if byDefault {
			d.Layer = layerOf(*d)
		}
	}
	if reworded || moved {
		d.FactKey = FactKey(kind, text)
	}
	m.Text, m.Category, d.Category = text, column, kind
}

// forms are the one-line, short and full form of a text nobody has condensed.
func forms(text string) (l0, l1, l2 string) { return text, "- " + text, text }
