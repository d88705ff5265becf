package rank

import "math"

// SaturationK is the BM25 score worth one half. With the usual parameters
// (k1 = 1.2, b = 0.75, as in Lance) a word said once in a row of average length
// scores its inverse document frequency ln(1 + N/df); 2.5 is that of a word
// which about one row in eleven holds. So one fairly telling word is worth 0.5,
// a word of every second row (0.7) 0.22, a word of one row in ten thousand (9)
// 0.78, and three telling words 0.75.
const SaturationK = 2.5

// Saturate maps a BM25 score, which has no upper end, into [0,1): 0 stays 0 and
// each further point adds less. The form raw/(raw+k) is BM25's own for term
// frequency (Robertson and Zaragoza, The Probabilistic Relevance Framework,
// section 3.4.2). It needs no other candidate, unlike min-max scaling, which
// gives the best of a bad lot a 1.
func Saturate(raw float64) float64 {
	switch {
	case math.IsNaN(raw) || raw <= 0:
		return 0
	case math.IsInf(raw, 1):
		return 1
	}
	return raw / (raw + SaturationK)
}

// SaturateOf is Saturate for a question of so many telling terms. BM25 adds up
// over the terms, so what is a good score for two words is little for six; with
// one of them found, a row said next to nothing about the question. One and two
// terms count as they are, and SaturationK grows with more.
//
// It is used where the meaning is known, too. Where words alone decide, a row
// with one rare word of many may be all there is.
func SaturateOf(raw float64, terms int) float64 {
	return Saturate(raw / max(1, float64(terms)/2))
}
