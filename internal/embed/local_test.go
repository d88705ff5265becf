package embed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

// local opens the model of this checkout and checks that nothing of it is left.
func local(t *testing.T, change ...func(*LocalOptions)) *Local {
	t.Helper()
	path, err := weights.InCheckout(".")
	if err != nil {
		t.Fatal(err)
	}
	o := LocalOptions{Path: path}
	for _, f := range change {
		f(&o)
	}
	l, err := NewLocal(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(l.Close(), l.Close()); err != nil {
			t.Error(err)
		}
		if n := native.LiveHandles()["model"]; n != 0 {
			t.Errorf("%d models are left open", n)
		}
	})
	return l
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestLocalVectors(t *testing.T) {
	l := local(t)
	if l.Ready() {
		t.Error("open before its first use")
	}
	embed := func(call func(context.Context, string) ([]float32, error), text string) []float32 {
		t.Helper()
		v, err := call(t.Context(), text)
		if err != nil || len(v) != l.Dimensions() {
			t.Fatalf("%q: %d values, %v", text, len(v), err)
		}
		if n := dot(v, v); n < 0.999 || n > 1.001 {
			t.Errorf("%q: squared length %g", text, n)
		}
		return v
	}
	question := embed(l.EmbedQuery, "Which database do we run in production?")
	right := embed(l.EmbedPassage, "The production database was migrated from MySQL to PostgreSQL in March.")
	wrong := embed(l.EmbedPassage, "Her daughter Emma is allergic to peanuts.")
	chinese := embed(l.EmbedPassage, "三月份生产数据库已从MySQL迁移到PostgreSQL。")
	if dot(question, right) <= dot(question, wrong) || dot(question, chinese) <= dot(question, wrong) {
		t.Errorf("cosines: right %.3f, in Chinese %.3f, wrong %.3f", dot(question, right), dot(question, chinese), dot(question, wrong))
	}
	if same := dot(embed(l.EmbedQuery, "tea at four"), embed(l.EmbedPassage, "tea at four")); same > 0.999 {
		t.Errorf("question and memory have one prefix: cosine %g", same)
	}
	composed := "Café Zürich öffnet, 회의실은 3층"
	if same := dot(embed(l.EmbedPassage, composed), embed(l.EmbedPassage, norm.NFD.String(composed))); same < 0.9999 {
		t.Errorf("composed and decomposed letters differ: cosine %g", same)
	}
	embed(l.EmbedPassage, strings.Repeat("a long text goes by its beginning ", 30_000))
	embed(l.EmbedPassage, "NUL \x00 and </s> are text")
	for _, text := range []string{"", " \n"} {
		if _, err := l.EmbedQuery(t.Context(), text); !errors.Is(err, ErrInput) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLocalBatchesKeepTheirOrder(t *testing.T) {
	l := local(t)
	var texts []string
	for i := range 3*localBatch + 1 {
		texts = append(texts, strings.Repeat("a word ", (i*7)%20)+fmt.Sprintf("and number %d", i))
	}
	texts = append(texts, texts[3])
	got, err := l.EmbedPassages(t.Context(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors, %v", len(got), err)
	}
	if _, err := l.EmbedPassages(t.Context(), []string{"a", " "}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "2 of 2") {
		t.Errorf("an empty text in a batch: %v", err)
	}
	if got, err := l.EmbedPassages(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := local(t, func(o *LocalOptions) { o.CacheSize, o.Threads = -1, 1 })
	for _, i := range []int{0, 3, 10, len(texts) - 1} {
		v, err := fresh.EmbedPassage(t.Context(), texts[i])
		if err != nil || dot(v, got[i]) < 0.9999 {
			t.Errorf("text %d: cosine %g to its own vector, %v", i, dot(v, got[i]), err)
		}
	}
}

func TestLocalGivesUpWithItsCaller(t *testing.T) {
	l := local(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.EmbedQuery(cancelled, "x"); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
		t.Errorf("cancelled: %v", err)
	}
	past, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	if _, err := l.EmbedPassages(past, []string{"x"}); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("too late: %v", err)
	}
	if _, err := l.EmbedQuery(t.Context(), "x"); err != nil || !l.Ready() {
		t.Errorf("after them: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.EmbedQuery(t.Context(), "y"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("after Close: %v", err)
	}
}

func TestLocalServesManyAtOnce(t *testing.T) {
	l := local(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			var err error
			if i%3 == 0 {
				_, err = l.EmbedPassages(t.Context(), []string{fmt.Sprint("passage ", i), "the same for all"})
			} else {
				_, err = l.EmbedQuery(t.Context(), fmt.Sprint("question ", i%2))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestLocalFileThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing.bin"), dir} {
		if _, err := NewLocal(LocalOptions{Path: path}); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "MEMORY_PRO_MODEL") {
			t.Errorf("%s: %v", path, err)
		}
	}
	whole, err := weights.InCheckout(".")
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.bin")
	for name, content := range map[string][]byte{"empty": nil, "another file": []byte("not a model"), "torn": good[:len(good)/2]} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := NewLocal(LocalOptions{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if _, err := l.EmbedQuery(t.Context(), "x"); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "install the plugin again") {
				t.Errorf("query: %v", err)
			}
			// Put right, it works without a new start.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, good, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := l.EmbedQuery(t.Context(), "x"); err != nil {
				t.Errorf("put right: %v", err)
			}
		})
	}
}

func TestLocalFingerprint(t *testing.T) {
	named, shipped := local(t), &Local{}
	if named.Fingerprint() != shipped.Fingerprint() {
		t.Errorf("the same file has two fingerprints: %q, %q", named.Fingerprint(), shipped.Fingerprint())
	}
	path := filepath.Join(t.TempDir(), "other.bin")
	if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if other, err := NewLocal(LocalOptions{Path: path}); err != nil || other.Fingerprint() == named.Fingerprint() {
		t.Errorf("another file has the fingerprint of this one: %v", err)
	}
}
