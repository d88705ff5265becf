package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// When two statements count as one. What a similarity is, says Engine.similarity.
const (
	duplicateAbove = 0.98
	supersedeAbove = 0.95
	// capturedAbove is for what nobody asked to store: then a text that says
	// nothing an existing one does not say is left out earlier.
	capturedAbove = 0.95
	// minOverlap is the share of words two statements must have in common before
	// their vectors may decide: a provider that answers the same vector for
	// everything must not make everything a duplicate.
	minOverlap = 0.5
	// sameVector is a cosine that only equal vectors reach. Texts that differ
	// and still have it say that the vectors carry no meaning.
	sameVector = 0.999999
)

// How many neighbours are looked at.
const (
	vectorNeighbours = 3
	textNeighbours   = 20
)

// neighbour is an active memory of the same scope that resembles a new one.
type neighbour struct {
	memory memory.Memory
	// cosine is of the vectors; similarity is the same on the scale people are told.
	cosine, similarity float64
	// sameText: equal but for the letter case of words, spacing and closing
	// punctuation.
	sameText bool
	evidence textEvidence
}

// neighbours is everything that resembles one new memory.
type neighbours struct {
	fresh memory.Memory
	list  []neighbour
	// coarse: see Engine.coarse.
	coarse bool
}

// lookAhead searches by vector before the write lock is taken. Under it the answer
// is brought up to date.
func (e *Engine) lookAhead(ctx context.Context, db *store.Store, there scope.Filter, vector []float32) *store.Ahead {
	if vector == nil {
		return nil
	}
	return db.NearestAhead(ctx, there, memory.Narrow{ActiveAt: e.now()}, vector, vectorNeighbours, e.cosineOf(supersedeAbove))
}

// nearDuplicates looks by vector, and by words where vectors cannot tell. near is
// the search for the vector, made before.
func (e *Engine) nearDuplicates(ctx context.Context, tx *store.Tx, there scope.Filter, near *store.Ahead, fresh memory.Memory) (neighbours, error) {
	found := neighbours{fresh: fresh, coarse: e.coarse()}
	telling := false
	if near != nil {
		byVector, err := e.byVector(ctx, tx, near, fresh)
		if err != nil {
			return found, err
		}
		if telling = !meaningless(byVector); telling {
			found.list = byVector
		}
	}
	// The search by words commits what the writers before this one did, so it is
	// done only where it can find more: without a vector that tells, or when
	// others may have no vector yet.
	if !telling || e.pending.Load() {
		byWords, err := e.byWords(ctx, tx, there, fresh)
		if err != nil {
			return found, err
		}
		found.list = append(found.list, byWords...)
	}
	return found, nil
}

func (e *Engine) byVector(ctx context.Context, tx *store.Tx, near *store.Ahead, fresh memory.Memory) ([]neighbour, error) {
	hits, err := tx.NearestAfter(ctx, near)
	if err != nil {
		return nil, err
	}
	list := make([]neighbour, 0, len(hits))
	for _, h := range hits {
		list = append(list, neighbour{
			memory: h.Memory, cosine: h.Score, similarity: e.similarity(h.Score),
			sameText: sameText(h.Memory.Text, fresh.Text), evidence: compareTexts(h.Memory.Text, fresh.Text),
		})
	}
	return list, nil
}

// meaningless reports whether another text has the very same vector: then the
// provider answers the same for everything, and words alone decide.
func meaningless(list []neighbour) bool {
	return slices.ContainsFunc(list, func(n neighbour) bool {
		// A model that knows no letter case or signs is not without meaning.
		return n.cosine >= sameVector && !n.sameText && !n.evidence.onlyForm
	})
}

// byWords finds the same text. Without a text index it finds nothing.
func (e *Engine) byWords(ctx context.Context, tx *store.Tx, there scope.Filter, fresh memory.Memory) ([]neighbour, error) {
	hits, err := tx.Matching(ctx, there, memory.Narrow{ActiveAt: e.now()}, fresh.Text, textNeighbours)
	if err != nil && !errors.Is(err, store.ErrNoTextIndex) {
		return nil, err
	}
	var list []neighbour
	for _, h := range hits {
		if sameText(h.Memory.Text, fresh.Text) {
			list = append(list, neighbour{memory: h.Memory, similarity: 1, sameText: true})
		}
	}
	return list, nil
}

// duplicate is a memory that says the same.
func (n neighbours) duplicate() (neighbour, bool) {
	captured := n.fresh.Metadata.Source == memory.SourceAutoCapture
	for _, c := range n.list {
		near := c.similarity > duplicateAbove || captured && c.similarity > capturedAbove && c.evidence.nothingNew
		if c.sameText || near && c.evidence.same() && (c.evidence.nothingNew || !n.coarse) {
			return c, true
		}
	}
	return neighbour{}, false
}

// outdated is a memory the new one is a newer version of: a preference or an
// entity of the same kind, told almost the same way. Other kinds are events and
// facts of their own, which do not replace each other. A statement about
// another name (svc-billing-eu1, svc-billing-eu2; svc_a, svc-a) is about another
// thing.
func (n neighbours) outdated() (neighbour, bool) {
	kind := n.fresh.Kind()
	if !memory.Versioned(kind) {
		return neighbour{}, false
	}
	for _, c := range n.list {
		changed := c.similarity <= duplicateAbove || !c.evidence.same() || n.coarse && !c.evidence.nothingNew
		if !c.sameText && changed && c.similarity > supersedeAbove && c.memory.Kind() == kind &&
			c.evidence.overlap >= minOverlap && c.evidence.sameNames && !c.evidence.onlyForm && (!n.coarse || sameOpening(c.memory.Text, n.fresh.Text)) {
			return c, true
		}
	}
	return neighbour{}, false
}

// sameText compares as a reader would.
func sameText(a, b string) bool { return normal(a) == normal(b) && sameForm(a, b) }

func normal(s string) string {
	s = strings.Join(strings.Fields(rank.Fold(s)), " ")
	return strings.TrimRight(s, ".!。！ ")
}

// textEvidence is how two texts compare by their words.
type textEvidence struct {
	// overlap is the share of all words that both have.
	overlap float64
	// sameNumbers and sameNames: both texts have the same numbers, and the same
	// names with digits in them (E1043, eu2).
	sameNumbers, sameNames bool
	// nothingNew: the second text has no word the first has not.
	nothingNew bool
	// reordered: the same words in another order ("tea over coffee", "coffee over
	// tea"), which may say the opposite.
	reordered bool
	// sameSense: both texts negate, or neither does.
	sameSense bool
	// sameForm: see the function; onlyForm: nothing but the form differs.
	sameForm, onlyForm bool
}

// same reports whether nothing in the words says that the two statements differ.
func (e textEvidence) same() bool {
	return e.overlap >= minOverlap && e.sameNumbers && e.sameNames && e.sameSense && e.sameForm && !e.reordered
}

func compareTexts(a, b string) textEvidence {
	wordsA, wordsB := words(a), words(b)
	e := textEvidence{sameNumbers: true, sameNames: true, sameSense: rank.Negations(a) == rank.Negations(b), sameForm: sameForm(a, b)}
	common := 0
	differs := func(word string) {
		switch digits, letters := digitsAndLetters(word); {
		case digits && letters:
			e.sameNames = false
		case digits:
			e.sameNumbers = false
		}
	}
	for w := range wordsA {
		if wordsB[w] {
			common++
		} else {
			differs(w)
		}
	}
	for w := range wordsB {
		if !wordsA[w] {
			differs(w)
		}
	}
	e.nothingNew = common == len(wordsB)
	e.reordered = e.nothingNew && common == len(wordsA) && normal(a) != normal(b) && !sameSequence(a, b)
	e.onlyForm = e.nothingNew && common == len(wordsA) && !e.sameForm && !e.reordered
	if all := len(wordsA) + len(wordsB) - common; all > 0 {
		e.overlap = float64(common) / float64(all)
	}
	return e
}

// words is the set of words of a text; where words are not separated by spaces,
// pairs of neighbouring characters stand for them.
func words(text string) map[string]bool {
	set := map[string]bool{}
	var run []rune
	flush := func() {
		if len(run) > 0 {
			set[string(run)] = true
			run = run[:0]
		}
	}
	var before rune // the unspaced character just passed, or 0
	for _, r := range rank.Fold(text) {
		switch {
		case unspaced(r):
			flush()
			if before != 0 {
				set[string([]rune{before, r})] = true
			} else {
				set[string(r)] = true
			}
			before = r
			continue
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			run = append(run, r)
		default:
			flush()
		}
		before = 0
	}
	flush()
	return set
}

// sameSequence compares the words of two texts in their order.
func sameSequence(a, b string) bool {
	fields := func(s string) []string {
		return strings.FieldsFunc(rank.Fold(s), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		})
	}
	return slices.Equal(fields(a), fields(b))
}

// unspaced: words of this script are not separated, or (Korean) carry particles.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func digitsAndLetters(word string) (digits, letters bool) {
	for _, r := range word {
		digits = digits || unicode.IsDigit(r)
		letters = letters || unicode.IsLetter(r)
	}
	return digits, letters
}
