package memory

import (
	"fmt"
	"slices"
	"strings"
)

// StoredCategory is a value of the table's category column. Values outside the
// six below occur in foreign tables and are kept as they are.
type StoredCategory string

// The storage categories.
const (
	StoredPreference StoredCategory = "preference"
	StoredFact       StoredCategory = "fact"
	StoredDecision   StoredCategory = "decision"
	StoredEntity     StoredCategory = "entity"
	StoredReflection StoredCategory = "reflection"
	StoredOther      StoredCategory = "other"
)

// Category is what people and the extractor call the kind of a memory. It is
// finer than the column in one place (profile and cases are both "fact") and
// is kept in the metadata.
type Category string

// The six categories.
const (
	Profile     Category = "profile"
	Preferences Category = "preferences"
	Entities    Category = "entities"
	Events      Category = "events"
	Cases       Category = "cases"
	Patterns    Category = "patterns"
)

// columnOf maps each category to the column value it is stored under.
var columnOf = map[Category]StoredCategory{
	Profile: StoredFact, Preferences: StoredPreference, Entities: StoredEntity,
	Events: StoredDecision, Cases: StoredFact, Patterns: StoredOther,
}

// kindOf maps a column value back when the metadata name no category. A fact is
// a case unless its text is about the person; see CategoryOf.
var kindOf = map[StoredCategory]Category{
	StoredPreference: Preferences, StoredFact: Cases, StoredDecision: Events,
	StoredEntity: Entities, StoredReflection: Patterns, StoredOther: Patterns,
}

// singular spellings that are not column values themselves.
var aliases = map[string]Category{"event": Events, "case": Cases, "pattern": Patterns}

// CategoryNames lists the names a caller may pass, the six categories first:
// the enum of the tools.
func CategoryNames() []string {
	return []string{
		string(Profile), string(Preferences), string(Entities), string(Events), string(Cases), string(Patterns),
		string(StoredPreference), string(StoredFact), string(StoredDecision), string(StoredEntity),
		string(StoredReflection), string(StoredOther),
	}
}

// ParseCategory reads one of CategoryNames or a singular alias, in any letter
// case, and answers how such a memory is stored and what it is called. For the
// column value "fact" the category is Cases; CategoryOf refines it by text.
func ParseCategory(s string) (StoredCategory, Category, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	if kind, ok := aliases[name]; ok {
		return columnOf[kind], kind, nil
	}
	if column, ok := columnOf[Category(name)]; ok {
		return column, Category(name), nil
	}
	if kind, ok := kindOf[StoredCategory(name)]; ok {
		return StoredCategory(name), kind, nil
	}
	return "", "", fmt.Errorf("unknown category %.60q; use one of %s", s, strings.Join(CategoryNames(), ", "))
}

// personal marks a stored fact as being about the person who speaks.
var personal = []string{"my ", "i am ", "i'm ", "name is ", "叫我", "我的", "我是"}

// personalLimit is the length in bytes under which such a marker counts: in a
// long text "my " says nothing about the subject.
const personalLimit = 200

// CategoryOf derives the category of a row whose metadata name none.
func CategoryOf(column StoredCategory, text string) Category {
	if column == StoredFact && len(text) < personalLimit {
		lower := strings.ToLower(text)
		if slices.ContainsFunc(personal, func(p string) bool { return strings.Contains(lower, p) }) {
			return Profile
		}
	}
	if kind, ok := kindOf[column]; ok {
		return kind
	}
	return Patterns
}

// Kind is the category of m: the one in its metadata, else derived.
func (m Memory) Kind() Category {
	if m.Metadata.Category != "" {
		return m.Metadata.Category
	}
	return CategoryOf(m.Category, m.Text)
}

// MatchesCategory reports whether m belongs to the requested category in
// either spelling. A column value asks about the column; one of the six asks
// about the kind. Empty matches all, an unknown name nothing.
func MatchesCategory(m Memory, requested string) bool {
	return strings.TrimSpace(requested) == "" || Facts{Category: m.Category, Kind: m.Kind()}.in(requested)
}

// ColumnsOf lists the column values under which rows of the requested category
// can lie, for a filter inside the query: the kinds stored there plus, for
// patterns, reflection. Rows found this way still go through MatchesCategory.
func ColumnsOf(requested string) ([]StoredCategory, error) {
	column, kind, err := ParseCategory(requested)
	if err != nil {
		return nil, err
	}
	if kind == Patterns && !byColumn(requested) {
		return []StoredCategory{StoredOther, StoredReflection}, nil
	}
	return []StoredCategory{column}, nil
}

// byColumn reports whether the requested name is a value of the column.
func byColumn(requested string) bool {
	_, ok := kindOf[StoredCategory(strings.ToLower(strings.TrimSpace(requested)))]
	return ok
}
