package rank

import (
	"strings"
)

// negations turn a statement into its opposite, folded. In Chinese, Japanese and
// Korean they are parts of words and looked for as such.
var (
	negations = func() map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(`not no never none neither nor nothing without cannot cant
			dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt havent hasnt hadnt
			nicht kein keine keinen keinem keiner nie niemals ohne
			ne pas jamais aucun aucune sans rien
			nunca jamas sin ningun ninguna nada tampoco
			non mai senza nessuno nessuna nao sem nenhum nenhuma
			не нет без никогда ни ne neni nikdy bez`) {
			set[w] = true
		}
		return set
	}()
	negativeParts = []string{"不", "没", "沒", "无", "無", "ない", "なく", "ません", "않", "못", "안 ", "없"}
)

// Negations counts what says no in a text: distinct words, and parts of words
// where words are not separated.
func Negations(text string) (n int) {
	text = strings.NewReplacer("'", "", "’", "").Replace(Fold(text))
	seen := map[string]bool{}
	for _, r := range runs(text) {
		if r.kind == spaced && negations[r.text] && !seen[r.text] {
			seen[r.text] = true
			n++
		}
	}
	for _, part := range negativeParts {
		n += strings.Count(text, part)
	}
	return n
}
