package rank

import (
	"math"
	"slices"
)

// What is put before a turn unasked must itself be about what the turn is about.
// No threshold on the scores of rows says so: in long chats the best row for a
// question about strangers has a cosine of 0.32, as high as the right row among
// short facts. What tells them apart is how far a row stands out from the other
// candidates, whether the question's telling words are in it, and whether it holds
// the names in it.
//
// The weights were searched for on a grid: questions about six long chats, about
// facts in seven languages and about the mixed facts of one person, against
// questions about other chats and prompts that need no memory. The cut leaves out
// 96 % or more of the questions about other chats in each chat.
const (
	riseWeight     = 16
	cosineWeight   = 5
	coverageWeight = 2
	strangerWeight = 3.5
	taskWeight     = 4
	evidenceCut    = 3.5
	// Without cosines, coverage and names alone.
	wordsWeight         = 4.5
	wordsStrangerWeight = 3
	wordsCut            = 1.8
)

const (
	// crowd is how many of the nearest rows a row is compared with; a store that
	// has fewer is filled up with rows of the cosine of the unrelated.
	crowd     = 20
	unrelated = 0.05
	// literal is the coverage from which the words alone are enough.
	literal = 0.8
	// longPrompt is how many words a question has at most; what has more is a
	// prompt of which a part may be about something.
	longPrompt = 10
	// acrossShare is how much of what a model takes off between scripts a row in
	// another script than the question gets back here: with all of it a Japanese row
	// stands out for every French question.
	acrossShare = 0.5
)

// Ground is what all candidates together say of a question, before which each of
// them is judged. Make one with Query.Ground.
type Ground struct {
	query Query
	// middle is the middle cosine of the nearest rows: for a row in the script of the
	// question, and for one in another.
	middle, across float64
	telling        weights
	whole          weights // telling, with the weak words
	strong         float64 // sum of telling
	long           float64 // how much longer than a question the prompt is, at least 1
	names          Held    // names and identifiers of the question
	task           bool    // asks for work, or for nothing in particular
}

// Evidence is what one row says about whether it is what the question is about.
type Evidence struct {
	// Rise is how far its cosine is above the middle one of the nearest rows; it
	// and Cosine are 0 when Known is false.
	Rise, Cosine float64
	Known        bool
	// Coverage is the share of the question's words, by how telling they are, that
	// the row holds, of a long prompt that of ten words; in [0,1].
	Coverage float64
	// Literal is set when the row holds nearly all words of the question, the weak
	// ones counted: "recipe 17" is a name though 17 alone is nothing.
	Literal bool
	// Strangers are names and identifiers in the question that the row does not
	// hold, Strange their share of all of these, less in a long prompt; in [0,1].
	Strangers []string
	Strange   float64
	// Held is set when the row holds an identifier of the question.
	Held bool
	// Task is set when the prompt is a piece of work, not a question.
	Task bool
}

// Near is how near a row is to the question: its cosine, and what the model takes
// off between the two scripts, 0 within one.
type Near struct{ Cosine, Apart float64 }

// Ground looks at all candidates: the nearest rows, in any order, and what of the
// question each candidate holds.
func (q Query) Ground(nearest []Near, held []Held) Ground {
	g := Ground{query: q, telling: q.telling(held, crowd), long: max(1, float64(len(q.terms))/longPrompt), task: asksForWork(q.text)}
	g.middle, g.across = middle(nearest, 1), middle(nearest, acrossShare)
	g.whole = slices.Clone(g.telling)
	named := q.named()
	sum := 0.0
	for i, t := range q.terms {
		if t.identifier || named[t.folded] {
			g.names |= 1 << i
		}
		if weak(t) {
			g.telling[i] = 0
		}
		sum += g.telling[i]
	}
	g.task, g.strong = g.task || sum == 0, sum
	return g
}

// middle is the middle cosine of the nearest rows, with a share of what is taken off
// between scripts given back.
func middle(nearest []Near, share float64) float64 {
	var near []float64
	for _, n := range nearest {
		near = append(near, n.Cosine+share*n.Apart)
	}
	slices.Sort(near)
	near = near[max(0, len(near)-crowd):]
	for len(near) < crowd {
		near = append(near, unrelated)
	}
	slices.Sort(near)
	return (near[crowd/2-1] + near[crowd/2]) / 2
}

// Of judges a row by its cosine, if that is known, and what of the question it holds.
func (g Ground) Of(n Near, known bool, h Held) Evidence {
	e := Evidence{Known: known, Task: g.task}
	switch {
	case known && n.Apart != 0:
		e.Cosine = n.Cosine + acrossShare*n.Apart
		e.Rise = e.Cosine - g.across
	case known:
		e.Cosine, e.Rise = n.Cosine, n.Cosine-g.middle
	}
	e.Coverage = g.telling.of(h) * g.long
	if !known && g.strong > 0 {
		// Where words alone decide, weak ones say nothing against a row either.
		e.Coverage /= g.strong
	}
	e.Coverage = min(1, e.Coverage)
	e.Literal = e.Coverage > 0 && g.whole.of(h)*g.long >= literal
	names := 0
	for i, t := range g.query.terms {
		bit := Held(1) << i
		if g.names&bit == 0 {
			continue
		}
		names++
		switch {
		case h&bit == 0:
			e.Strangers = append(e.Strangers, t.written)
		case t.identifier && !weak(t):
			e.Held = true
		}
	}
	if names > 0 {
		e.Strange = float64(len(e.Strangers)) / float64(names) / g.long
	}
	return e
}

// Sum is over 0 when the row is about what the question is about.
func (e Evidence) Sum() float64 {
	strange := Clamp(e.Strange)
	task := 0.0
	if e.Task {
		task = taskWeight
	}
	switch {
	case e.Held, (e.Literal || e.Coverage >= literal) && strange == 0 && !e.Task:
		return 1
	case !e.Known:
		return wordsWeight*Clamp(e.Coverage) - wordsStrangerWeight*strange - wordsCut - task
	}
	sum := riseWeight*e.Rise + cosineWeight*e.Cosine + coverageWeight*Clamp(e.Coverage) - strangerWeight*strange - task - evidenceCut
	if math.IsNaN(sum) {
		return -evidenceCut
	}
	return sum
}
