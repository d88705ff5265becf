package screen

// categories says what kind of memory a reason makes, in the names package
// memory reads. What was decided and what will happen are events; who a person
// is, is their profile.
var categories = map[Reason]string{
	ReasonPreference:  "preference",
	ReasonInstruction: "preference",
	ReasonDecision:    "decision",
	ReasonPlan:        "decision",
	ReasonEvent:       "decision",
	ReasonIdentity:    "profile",
	ReasonContact:     "entity",
	ReasonEntity:      "entity",
	ReasonFact:        "fact",
}

// Category files a text under preference, decision, profile, entity, fact or
// other.
func Category(text string) string {
	if len(text) > pastedFrom {
		text = ends(text)
	}
	reason, found := strongest(units(text))
	if !found {
		return "other"
	}
	return categoryOf(reason, text)
}

// categoryOf looks behind an explicit wish: "remember that I prefer tea" is a
// preference.
func categoryOf(reason Reason, text string) string {
	if reason != ReasonAsked {
		return categories[reason]
	}
	best := len(reasons)
	for _, u := range units(text) {
		if u.kind != statesKind && u.kind != opensKind && u.kind != plainKind {
			continue
		}
		if r, ok := behind(u.text); ok {
			for i, known := range reasons {
				if known == r {
					best = min(best, i)
				}
			}
		}
	}
	if best < len(reasons) {
		return categories[reasons[best]]
	}
	return "fact"
}

// behind judges a sentence without the wish in front of it.
func behind(sentence string) (Reason, bool) {
	s := tidy(sentence)
	for _, l := range languagesOf(s) {
		if wish := l.sections["wish"]; wish != nil && wish.compiled() != nil {
			rest := s
			if at := wish.compiled().FindStringIndex(l.withoutLead(s)); at != nil && at[0] == 0 {
				rest = l.withoutLead(s)[at[1]:]
			}
			if v := judge(rest); v.kind == statesKind && v.reason != ReasonAsked {
				return v.reason, true
			}
		}
	}
	return "", false
}
