package engine

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
)

// inside makes the engine use the embedded model from a file.
func inside(path string) func(*Options) {
	return func(o *Options) { o.KeywordsOnly, o.Config.ModelFile = false, path }
}

func modelFile(t *testing.T) string {
	t.Helper()
	path, err := weights.InCheckout(".")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// logged keeps what an operator is told.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logged) into(o *Options) { o.Logger = slog.New(slog.NewTextHandler(l, nil)) }

// Without an embedding block the model inside the program is used, and it finds
// what shares no word with the question, in another language, too.
func TestFoundByMeaningWithoutAKey(t *testing.T) {
	f := start(t, nil, inside(modelFile(t)))
	if h := f.Health(); h.EmbeddingMode != "local" || h.EmbeddingReady || !h.OK() {
		t.Errorf("before the first use: %+v", h)
	}
	f.Warm()
	eventually(t, "the model is open", func() bool { return f.Health().EmbeddingReady })
	for _, text := range []string{
		"Her daughter Emma is allergic to peanuts and carries an EpiPen.",
		"The production database was migrated from MySQL to PostgreSQL in March.",
		"Backups run every night at two and are kept for thirty days.",
		"He quit the bank to open a coffee roastery.",
	} {
		f.remember(text)
	}
	for question, says := range map[string]string{
		"What food must the kid avoid?":  "peanuts",
		"我们现在线上用的是什么数据库？":                "PostgreSQL",
		"¿Cuánto se guardan las copias?": "thirty days",
		"Why did he leave his employer?": "roastery",
	} {
		a := f.recall(question, 3)
		if len(a.Hits) == 0 || !strings.Contains(a.Hits[0].Memory.Text, says) || a.Mode != "hybrid" {
			t.Errorf("%q (%s): %q", question, a.Mode, texts(a))
		}
	}
	// Here the model puts all four within 0.03 of each other: found, among the first two.
	if a := f.recall("What is his current occupation?", 2); !strings.Contains(strings.Join(texts(a), "\n"), "roastery") {
		t.Errorf("an occupation: %q", texts(a))
	}
}

// A file that is not there, or not what it should be, leaves the keywords and
// says what to do.
func TestModelFileThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.bin")
	if err := os.WriteFile(damaged, []byte("E5S1 and nothing more"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"missing": filepath.Join(dir, "missing.bin"), "damaged": damaged} {
		t.Run(name, func(t *testing.T) {
			var log logged
			f := start(t, nil, inside(path), log.into)
			f.Warm()
			f.remember("The spare key is under the blue pot")
			if got := f.recalled("where is the spare key"); len(got) != 1 {
				t.Errorf("recalled %q", got)
			}
			eventually(t, "health knows", func() bool { return f.Health().EmbeddingError != "" })
			h := f.Health()
			if h.OK() || !strings.Contains(h.EmbeddingError, path) || !strings.Contains(h.EmbeddingError, "install the plugin again") {
				t.Errorf("health: %+v", h)
			}
			eventually(t, "the log says so", func() bool { return strings.Contains(log.String(), path) })
		})
	}
	off := start(t, nil, inside(config.ModelOff))
	if h := off.Health(); !h.OK() || h.EmbeddingMode != "keywords" {
		t.Errorf("switched off on purpose: %+v", h)
	}
}

// A database from a time without any model gets its vectors in the background.
func TestVectorsAreFilledInLater(t *testing.T) {
	before := start(t, nil)
	for _, text := range []string{"The spare key is under the blue pot", "Mara sits by the window on trains", "Bread needs two hours"} {
		before.remember(text)
	}
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	var log logged
	f := reopen(t, before.path, nil, inside(modelFile(t)), log.into)
	f.Warm()
	eventually(t, "all have vectors", func() bool {
		s, err := f.Stats(t.Context(), StatsRequest{Who: Operator()})
		return err == nil && s.Pending == 0
	})
	if a := f.recall("Wo liegt der Ersatzschlüssel?", 1); len(a.Hits) != 1 || !strings.Contains(a.Hits[0].Memory.Text, "spare key") {
		t.Errorf("recalled %q", texts(a))
	}
	eventually(t, "the log says so", func() bool {
		return strings.Contains(log.String(), "have one now") && strings.Contains(log.String(), "count=3")
	})
}

// The embedded model puts a restatement and its opposite equally close, so the
// words decide what is the same.
func TestSameOrOther(t *testing.T) {
	f := start(t, nil, inside(modelFile(t)))
	for _, c := range []struct {
		name, category, first, second string
		want                          Action
	}{
		{"a word less", "fact", "The user likes green tea.", "User likes green tea.", Duplicate},
		{"said again", "fact", "Anna is allergic to nuts.", "anna is allergic to nuts", Duplicate},
		{"negation", "fact", "The lift goes to the cellar.", "The lift does not go to the cellar.", Created},
		{"negation lost", "fact", "The gate is not locked at night.", "The gate is locked at night.", Created},
		{"negation in Chinese", "fact", "他吃香菜。", "他不吃香菜。", Created},
		{"another number", "fact", "The alarm code is 2214.", "The alarm code is 2241.", Created},
		{"another name", "fact", "svc-billing-eu1 runs in Dublin.", "svc-billing-eu2 runs in Dublin.", Created},
		{"another day", "fact", "The meeting is on Monday.", "The meeting is on Wednesday.", Created},
		{"swapped", "fact", "He prefers email over phone calls.", "He prefers phone calls over email.", Created},
		{"more is said", "fact", "Paul lives in Graz.", "Paul lives in Graz with his sister.", Created},
		{"a changed preference", "preferences", "Mara prefers window seats on trains", "Mara prefers aisle seats on trains", Superseded},
		{"another subject", "entities", "My dentist is Dr. Weiss", "My lawyer is Dr. Weiss", Created},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := func(text string) StoreAnswer {
				a, err := f.Store(context.Background(), StoreRequest{Who: main, Text: text, Category: c.category})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			store(c.first)
			if a := store(c.second); a.Action != c.want {
				t.Errorf("%q after %q: %s (%.3f to %q), want %s", c.second, c.first, a.Action, a.Similarity, a.Existing.Text, c.want)
			}
		})
	}
}
