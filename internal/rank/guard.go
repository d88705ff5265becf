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

// Exact says how literally a row repeats the query; see Query.Compare.
type Exact struct {
	// Identifiers is the share of the query's identifiers that stand whole in
	// the row, Words the share of all its words. Both are in [0,1], 0 when there
	// are none.
	Identifiers, Words float64
	// Found lists what was found, identifiers first, as written in the query.
	Found []string
}

// Guard lifts a fused score by the exact match, never lowers it. A share of the
// words counts by its square, for two things BM25 gets wrong in a small store.
// A row with two of three words asked for can score below one with a single
// rarer word. And a word found in the only row has an inverse document
// frequency of ln(4/3) = 0.29, so the first memory ever stored would stay under
// every threshold. Squared, half the words are worth 0.125: they help a row that
// has something else to show and are no hit by themselves.
func Guard(fused float64, e Exact) float64 {
	words := Clamp(e.Words)
	floor := max(IdentifierFloor*Clamp(e.Identifiers), WordsFloor*words*words)
	return lift(Clamp(fused), floor)
}

func lift(score, floor float64) float64 { return Clamp(floor + (1-floor)*score) }
