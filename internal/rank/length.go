package rank

import "math"

// Length is what the score of a row of so many characters is multiplied by, in
// (0,1]: 1 up to the anchor, then 1/(1 + 0.5·log2(length/anchor)). A long row
// holds some of everything and is less about any one thing. An anchor of 0 is off.
func Length(characters, anchor int) float64 {
	if anchor <= 0 || characters <= anchor {
		return 1
	}
	return 1 / (1 + 0.5*math.Log2(float64(characters)/float64(anchor)))
}

// Scale multiplies what a score has above floor by factor, and leaves a score
// that is not above it. The floor is what an identifier has earned (see
// IdentifierFloor): neither length nor age may cost a row that.
func Scale(score, floor, factor float64) float64 {
	score, floor, factor = Clamp(score), Clamp(floor), Clamp(factor)
	if score <= floor {
		return score
	}
	return Clamp(floor + (score-floor)*factor)
}

// Floor is the floor that a row's identifiers give it.
func (e Exact) Floor() float64 { return IdentifierFloor * Clamp(e.Identifiers) }
