package rank

// Floors of an exact match. A floor f lifts a score s to f + (1−f)·s, so rows
// that share a floor keep their order and the rest stays below 1.
const (
	// IdentifierFloor keeps a row that holds the identifier asked for above its
	// neighbours: another row passes 0.85 only when it is nearly the query itself
	// (with weights 0.7 and 0.3, a similarity of 0.95 and a word score over 0.6).
	IdentifierFloor = 0.85
	// WordsFloor keeps a row that holds every word asked for above the default
	// thresholds (0.3, 0.35) whatever the model thinks of it, yet below a close
	// match by meaning.
	WordsFloor = 0.5
)

// Exact says how literally a row repeats the query; see Query.Exact.
type Exact struct {
	// Identifiers is the share of the query's identifiers that stand whole in
	// the row, Words the share of all its words. Both are in [0,1], 0 when there
	// are none.
	Identifiers, Words float64
	// Found lists what was found, identifiers first, as written in the query.
	Found []string
}

// Guard lifts a fused score by the exact match, never lowers it.
func Guard(fused float64, e Exact) float64 {
	return lift(Clamp(fused), max(identifierFloor(e), wordsFloor(e)))
}

// GuardWords is Guard for a row without a vector side. There a part of the words
// counts too, by the square of its share. BM25 alone cannot carry that case in a
// small store: a word found in the only row has an inverse document frequency
// of ln(4/3) = 0.29, so the first memory ever stored would stay under every
// threshold. Squared, half the words are worth 0.125: with a score of their own
// they pass, alone they do not.
func GuardWords(fused float64, e Exact) float64 {
	share := Clamp(e.Words)
	return lift(Clamp(fused), max(identifierFloor(e), WordsFloor*share*share))
}

func identifierFloor(e Exact) float64 { return IdentifierFloor * Clamp(e.Identifiers) }

func wordsFloor(e Exact) float64 {
	if e.Words < 1 {
		return 0
	}
	return WordsFloor
}

func lift(score, floor float64) float64 { return Clamp(floor + (1-floor)*score) }
