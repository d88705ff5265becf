package rank

import (
	"math"
	"slices"
)

// What is put before a turn unasked must be about something that is remembered.
// No threshold on the scores of rows says so: in long chats the best row for a
// question about strangers has a cosine of 0.32, as high as the right row among
// short facts. What tells them apart is how far the best row stands out from the
// other candidates, whether the question's words are there, and whether a name in
// it is known at all.
//
// The weights are those of a logistic regression, rounded: questions about six
// long chats and about facts in seven languages, against questions about other
// chats and facts. The cut was chosen so that of the questions about other chats
// 98 % stay below it in each chat, when it is fitted without that chat.
const (
	riseWeight     = 26
	cosineWeight   = 6
	coverageWeight = 2
	strangerWeight = 2.6
	evidenceCut    = 5.4
	// Without cosines, coverage and names alone.
	wordsWeight         = 4.5
	wordsStrangerWeight = 3
	wordsCut            = 1.8
)

const (
	// crowd is how many of the nearest rows the best is compared with; a store
	// that has fewer is filled up with rows of the cosine of the unrelated.
	crowd     = 20
	unrelated = 0.05
	// literal is the coverage from which the words alone are enough.
	literal = 0.8
	// longPrompt is how many words a question has at most; what has more is a
	// prompt of which a part may be about something.
	longPrompt = 10
)

// Evidence is what the candidates together say about whether the question is about
// something that is remembered at all.
type Evidence struct {
	// Rise is how far the best cosine is above the middle one of the nearest rows,
	// Cosine the best; both 0 when Known is false.
	Rise, Cosine float64
	Known        bool
	// Coverage is the share of the question's words, by how telling they are, that
	// one row holds, of a long prompt that of ten words; in [0,1].
	Coverage float64
	// Strangers are names and identifiers in the question that no candidate holds,
	// Strange their share of all of these, less in a long prompt; in [0,1].
	Strangers []string
	Strange   float64
	// Held is set when a row holds an identifier of the question.
	Held bool
}

// Evidence looks at all candidates: the cosines of the nearest rows, best first,
// and what of the question each candidate holds.
func (q Query) Evidence(cosines []float64, held []Held) Evidence {
	var e Evidence
	if len(cosines) > 0 {
		near := slices.Clone(cosines[:min(len(cosines), crowd)])
		for len(near) < crowd {
			near = append(near, unrelated)
		}
		slices.Sort(near)
		middle := (near[crowd/2-1] + near[crowd/2]) / 2
		e.Cosine, e.Known = slices.Max(cosines), true
		e.Rise = e.Cosine - middle
	}
	var all Held
	telling := q.telling(held, crowd)
	for _, h := range held {
		all |= h
		e.Coverage = max(e.Coverage, telling.of(h))
	}
	long := max(1, float64(len(q.terms))/longPrompt)
	e.Coverage = min(1, e.Coverage*long)
	names, named := 0, q.named()
	for i, t := range q.terms {
		if !t.identifier && !named[t.folded] {
			continue
		}
		names++
		switch there := all&(1<<i) != 0; {
		case !there:
			e.Strangers = append(e.Strangers, t.written)
		case t.identifier:
			e.Held = true
		}
	}
	if names > 0 {
		e.Strange = float64(len(e.Strangers)) / float64(names) / long
	}
	return e
}

// Sum is over 0 when the question is about something remembered.
func (e Evidence) Sum() float64 {
	strange := Clamp(e.Strange)
	switch {
	case e.Held, e.Coverage >= literal && strange == 0:
		return 1
	case !e.Known:
		return wordsWeight*Clamp(e.Coverage) - wordsStrangerWeight*strange - wordsCut
	}
	sum := riseWeight*e.Rise + cosineWeight*e.Cosine + coverageWeight*Clamp(e.Coverage) - strangerWeight*strange - evidenceCut
	if math.IsNaN(sum) {
		return -evidenceCut
	}
	return sum
}
