// Package rank holds the pure arithmetic of retrieval: calibrating a cosine,
// saturating a BM25 score, fusing the two, guarding exact matches, and the
// tree that explains the result.
//
// Concepts. Every score is in [0,1] and finite whatever goes in; a score
// depends on the query and its row, never on the row's rank or on the other
// rows, so that a threshold means the same for every query. Functions are
// monotone: more evidence never lowers a score.
//
// Caveats: calibration is per embedding model. A model without a profile uses
// its plain cosine, and thresholds tuned on one model do not carry to another.
package rank

import "math"

// Point ties a raw cosine to a calibrated similarity.
type Point struct{ Cosine, Similarity float64 }

// Profile says how to read the cosines of one embedding model. Points ascend in
// both coordinates; between them the map is linear, outside it is flat. The zero
// Profile is the plain cosine with negatives as 0.
type Profile struct {
	Name   string
	Points []Point
	// AcrossScripts is added to the cosine of two texts in different scripts: a
	// model sees the script, too, and puts such texts further apart.
	AcrossScripts float64
	// Hubs is the share of a row's likeness to all other candidates that its cosine
	// loses: some texts lie near everything a model knows, and stand among the
	// first for every question.
	Hubs float64
}

// Plain reads cosines as they are: 0 or less is unrelated, 1 the same.
var Plain = Profile{Name: "plain"}

// Calibrate maps a raw cosine to a similarity in [0,1].
func Calibrate(p Profile, cosine float64) float64 {
	if math.IsNaN(cosine) {
		return 0
	}
	if len(p.Points) == 0 {
		return Clamp(cosine)
	}
	if first := p.Points[0]; cosine <= first.Cosine {
		return Clamp(first.Similarity)
	}
	for i := 1; i < len(p.Points); i++ {
		a, b := p.Points[i-1], p.Points[i]
		if cosine <= b.Cosine {
			share := (cosine - a.Cosine) / (b.Cosine - a.Cosine)
			return Clamp(a.Similarity + share*(b.Similarity-a.Similarity))
		}
	}
	return Clamp(p.Points[len(p.Points)-1].Similarity)
}

// Clamp brings v into [0,1]; NaN becomes 0, which is "no evidence".
func Clamp(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, 0), 1)
}
