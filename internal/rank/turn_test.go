package rank

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var said = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// turnsOf puts texts a minute apart into one session.
func turnsOf(q Query, texts ...string) (turns []Turn) {
	for i, text := range texts {
		_, held := q.Compare(text)
		turns = append(turns, Turn{Session: "s", At: said.Add(time.Duration(i) * time.Minute), Text: text, Score: 0.4, Held: held})
	}
	return turns
}

// An answer that repeats no word of the question is lifted by the turn it answers.
func TestAnswersAreLiftedByTheirQuestion(t *testing.T) {
	q := ParseQuery("When did Mara adopt the kitten?")
	s := q.Settings(turnsOf(q,
		"Jonas: Did you really adopt a kitten, Mara?",
		"Mara: Yes, last Tuesday!",
		"Jonas: The weather is dull.",
	))
	answer, weather := s[1], s[2]
	if answer.Carried == 0 || answer.Speaker != 1 || answer.Time != 1 {
		t.Errorf("the answer: %+v", answer)
	}
	if weather.Speaker != -1 || weather.Time != 0 || answer.Evidence() <= weather.Evidence() {
		t.Errorf("the answer %+v, another turn %+v", answer, weather)
	}
}

func TestWhatIsAround(t *testing.T) {
	q := ParseQuery("kitten")
	turns := turnsOf(q, "kitten one", "two", "three")
	turns[1].At = said.Add(aroundTime + time.Second)     // too long after
	turns[2].At, turns[2].Session = said.Add(1), "other" // said elsewhere
	for i, s := range q.Settings(turns)[1:] {
		if s.Carried != 0 || s.Near != 0 {
			t.Errorf("turn %d: %+v, want nothing around it", i+1, s)
		}
	}
	turns = turnsOf(q, "kitten", "a", "b", "c", "d")
	if got := q.Settings(turns); got[3].Carried == 0 || got[4].Carried != 0 {
		t.Errorf("three turns back count and no more: %+v, %+v", got[3], got[4])
	}
}

func TestLabels(t *testing.T) {
	for text, want := range map[string]string{
		"Mara: I moved":                          "mara",
		"Élise Martin: bonjour":                  "elise martin",
		"小林：我搬家了":                                "小林",
		"https://example.org is down":            "",
		"note: buy milk":                         "",
		"10:30 is too early":                     "",
		"What I always wanted to say to you: no": "",
		"no label":                               "",
		"":                                       "",
	} {
		if got := label(text); got != want {
			t.Errorf("label of %q = %q, want %q", text, got, want)
		}
	}
}

func TestQuestionsForATime(t *testing.T) {
	for _, yes := range []string{"When did she leave?", "Wann hat Oma Geburtstag?", "À quelle heure ouvre le magasin ?", "¿Cuándo se casa?", "会议改到什么时候了？", "歯医者の予約はいつ？", "백업은 언제 실행되나요?"} {
		if !asksWhen(yes) {
			t.Errorf("%q asks for a time", yes)
		}
	}
	for _, no := range []string{"Who left?", "Whenever", "她喜欢看什么书？", ""} {
		if asksWhen(no) {
			t.Errorf("%q asks for no time", no)
		}
	}
	for text, want := range map[string]bool{"We left yesterday": true, "in 2022": true, "Sie kommt am Montag": true, "明年秋天": true, "last": true, "port 8080x": false, "tea": false} {
		if _, got := shape(text); got != want {
			t.Errorf("%q names a time: %v", text, got)
		}
	}
}

// Whatever stands around a row, its score stays in [0,1], keeps what an identifier
// has earned, and does not pass the floor of identifiers without one.
func TestContextIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score, evidence, e := anyFloat().Draw(t, "score"), anyFloat().Draw(t, "evidence"), anyExact().Draw(t, "exact")
		named := rapid.Bool().Draw(t, "named")
		got := InContext(score, evidence, e, named)
		inUnit(t, "InContext", got)
		if Clamp(score) >= e.Floor() && got < e.Floor()-1e-9 {
			t.Fatalf("%v fell below the floor %v of its identifiers", got, e.Floor())
		}
		if named && Clamp(e.Identifiers) < 1 && got > max(Clamp(score), IdentifierFloor)+1e-9 {
			t.Fatalf("%v without the identifier passed its floor", got)
		}
		if more := InContext(score, evidence+1, e, named); !math.IsNaN(evidence) && more < got-1e-9 {
			t.Fatalf("more evidence lowered %v to %v", got, more)
		}
	})
}
