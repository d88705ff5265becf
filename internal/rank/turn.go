package rank

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// A turn of a conversation says little by itself: the question it answers stands
// in the turn before, and who speaks decides whose matter it is. So turns, and
// only turns, are judged by their surroundings, too. Everything here works on the
// odds of a score, s/(1−s), which keeps it in (0,1) and the order of what has the
// same surroundings.
//
// The weights are those of a conditional logit over the candidates of 883
// questions to six long chats, rounded; fitted without one of them at a time they
// hardly move. What each is worth there stands beside it: evidence among the
// first five, without it and with it, of 0.59 without any and 0.70 with all.
const (
	// carriedWeight: the question's words that were said just before. 0.655 → 0.701
	carriedWeight = 1.3
	// nearWeight: how relevant the turns around are. 0.692 → 0.701
	nearWeight = 0.2
	// speakerWeight: said by whom the question names, or by another. 0.691 → 0.701
	speakerWeight = 0.3
	// substanceWeight: how much it says at all. 0.696 → 0.701
	substanceWeight = 1.0
	// timeWeight: it names a time, and the question asks for one. 0.697 → 0.701
	timeWeight = 0.6
)

const (
	// aroundTurns and aroundTime bound what counts as around, each way: the three
	// nearest candidates within five minutes.
	aroundTurns = 3
	aroundTime  = 5 * time.Minute
	// middling substance changes nothing; it is that of seven telling words.
	middling = 0.6
	// substantial is how many telling words are as good as any more.
	substantial = 30
)

// Turn is a candidate that was said in a conversation.
type Turn struct {
	// Session names the conversation.
	Session string
	At      time.Time
	Text    string
	// Score is that of the turn by itself, in [0,1].
	Score float64
	Held  Held
}

// Setting is what the surroundings and the shape of a turn say for it.
type Setting struct {
	// Carried is the share of the question's words, by how telling they are among
	// the candidates, that were said just before and not in the turn; in [0,1].
	Carried float64
	// Near adds up the scores of the turns around, each fading with its distance;
	// in [0,6].
	Near float64
	// Speaker is 1 if the question names who says it, -1 if it names another
	// speaker, else 0.
	Speaker float64
	// Substance grows with the telling words of the turn, in [0,1].
	Substance float64
	// Time is 1 if the question asks when and the turn names a time, else 0.
	Time float64
}

// Evidence is what the odds of the score are multiplied by, as a logarithm.
func (s Setting) Evidence() float64 {
	return carriedWeight*s.Carried + nearWeight*s.Near + speakerWeight*s.Speaker +
		substanceWeight*(s.Substance-middling) + timeWeight*s.Time
}

// InContext is a score with the evidence of its setting. What an identifier has
// earned stays, and when the question names one (named), a row without it cannot
// pass IdentifierFloor by its surroundings.
func InContext(score, evidence float64, e Exact, named bool) float64 {
	return literally(score, e, named, func(s float64) float64 { return odds(s, evidence) })
}

// odds multiplies the odds of s by e^evidence. 0 and 1 stay, a NaN says nothing.
func odds(s, evidence float64) float64 {
	s = Clamp(s)
	if math.IsNaN(evidence) {
		return s
	}
	by := math.Exp(min(max(evidence, -20), 20))
	return Clamp(s * by / (1 - s + s*by))
}

// Settings judges turns by each other; the result has the order of turns.
func (q Query) Settings(turns []Turn) []Setting {
	settings := make([]Setting, len(turns))
	labels := make([]string, len(turns))
	whom := false
	for i, t := range turns {
		labels[i] = label(t.Text)
		whom = whom || q.names(labels[i])
	}
	when := asksWhen(q.text)
	held := make([]Held, len(turns))
	for i, t := range turns {
		held[i] = t.Held
	}
	telling := q.telling(held, 0)
	for i, around := range surroundings(turns) {
		t, s := turns[i], &settings[i]
		var before Held
		for _, n := range around {
			s.Near += Clamp(turns[n.turn].Score) * n.fade
			if n.before {
				before |= turns[n.turn].Held
			}
		}
		s.Carried = telling.of(before &^ t.Held)
		switch {
		case q.names(labels[i]):
			s.Speaker = 1
		case whom && labels[i] != "":
			s.Speaker = -1
		}
		words, named := shape(t.Text)
		s.Substance = min(math.Log1p(float64(words))/math.Log1p(substantial), 1)
		if when && named {
			s.Time = 1
		}
	}
	return settings
}

// neighbour is a turn near another.
type neighbour struct {
	turn   int
	before bool
	fade   float64
}

// surroundings lists for each turn the nearest ones of the same session.
func surroundings(turns []Turn) [][]neighbour {
	order := make([]int, len(turns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(turns[a].Session, turns[b].Session), turns[a].At.Compare(turns[b].At))
	})
	around := make([][]neighbour, len(turns))
	for at, i := range order {
		look := func(step int) {
			for k := 1; k <= aroundTurns; k++ {
				other := at + k*step
				if other < 0 || other >= len(order) || turns[order[other]].Session != turns[i].Session {
					return
				}
				far := turns[order[other]].At.Sub(turns[i].At).Abs()
				if far > aroundTime {
					return
				}
				around[i] = append(around[i], neighbour{order[other], step < 0, fade(far)})
			}
		}
		look(-1)
		look(1)
	}
	return around
}

// fade is what a turn so far away counts: all of it up to a minute, then less.
func fade(far time.Duration) float64 {
	return min(1, 1-float64(far-time.Minute)/float64(aroundTime))
}

// weights of a query's words, as shares of a sum of 1.
type weights []float64

// telling weighs the query's words by how few of the rows hold them, with the
// inverse document frequency of BM25. So many other rows are taken to hold none:
// among very few rows a word that is there would count next to nothing.
func (q Query) telling(rows []Held, others int) weights {
	w := make(weights, len(q.terms))
	sum, n := 0.0, float64(len(rows)+others)
	for i := range w {
		k := 0.0
		for _, h := range rows {
			if h&(1<<i) != 0 {
				k++
			}
		}
		w[i] = math.Log(1 + (n-k+0.5)/(k+0.5))
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

func (w weights) of(h Held) (sum float64) {
	for h != 0 {
		i := bits.TrailingZeros64(uint64(h))
		if i < len(w) {
			sum += w[i]
		}
		h &^= 1 << i
	}
	return sum
}
