package rank

import (
	"fmt"
	"testing"
	"time"
)

// What context costs a recall with forty candidates.
func BenchmarkSettings(b *testing.B) {
	q := ParseQuery("When did Mara and her sister adopt the grey kitten from the shelter?")
	var turns []Turn
	for i := range 40 {
		text := fmt.Sprintf("Mara: I wanted to tell you that we went to the shelter on day %d, and my sister could not choose between the kittens there", i)
		_, held := q.Compare(text)
		turns = append(turns, Turn{Session: "s", At: said.Add(time.Duration(i) * time.Minute), Text: text, Score: 0.5, Held: held})
	}
	for b.Loop() {
		q.Settings(turns)
	}
}
