package embed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

// The embedded model. The file is opened by its first use, so the width has to
// be known before.
const (
	LocalModel = "multilingual-e5-small"
	LocalWidth = 384
)

// prefixes are part of the model: it was trained with them, and leaving them
// out, or using one for both kinds, costs recall.
var prefixes = map[Kind]string{Query: "query: ", Passage: "passage: "}

// localBatch is how many texts go to the model at once. A question asked while
// many memories are being embedded waits for one batch: about 0.1 s.
const localBatch = 8

// maxLocalThreads: past two threads a short text gains nothing, and the rest of
// the machine is the host's.
const maxLocalThreads = 2

// LocalOptions configure the embedded model.
type LocalOptions struct {
	// Path of the model file; "" is the one that comes with the program.
	Path string
	// Threads of its own; 0 means two, or one where GOMAXPROCS allows no more.
	Threads int
	// CacheSize is in vectors; 0 means DefaultCacheSize, negative none.
	CacheSize int
	// Raw leaves the model's vectors as they are, for measuring.
	Raw bool
}

// Local embeds with the model inside the program: no key, no network. It is
// safe for concurrent use.
type Local struct {
	path, given string
	threads     int
	raw         bool
	cache       *cache
	// bulk lets one batch of many texts run at a time, so that several large
	// calls do not add up in front of a question.
	bulk sync.Mutex

	mu     sync.Mutex
	busy   chan struct{} // closed when the attempt to open ends; nil when none is under way
	model  *native.Model
	err    error // of the last attempt
	closed bool
	sum    string // of a file that is not the program's own
}

// NewLocal checks that the file is there, without opening it. The error of a
// missing file says what to do.
func NewLocal(o LocalOptions) (*Local, error) {
	l := &Local{path: o.Path, given: o.Path, threads: o.Threads, raw: o.Raw, cache: newCache(o.CacheSize, "", nil)}
	if l.path == "" {
		executable, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("looking for the embedded model: %w; name its file in MEMORY_PRO_MODEL", err)
		}
		l.path = weights.Path(executable)
	}
	if l.threads <= 0 {
		l.threads = min(maxLocalThreads, runtime.GOMAXPROCS(0))
	}
	info, err := os.Stat(l.path)
	switch {
	case err != nil:
		return nil, unusable(err)
	case !info.Mode().IsRegular():
		return nil, unusable(fmt.Errorf("%s is no file", l.path))
	}
	return l, nil
}

// noModel is a model file that cannot be used.
type noModel struct{ err error }

func unusable(err error) error { return &noModel{err} }

func (e *noModel) Error() string {
	return fmt.Sprintf("the embedded model cannot be used: %v; install the plugin again, or name the right file in MEMORY_PRO_MODEL", e.err)
}

func (e *noModel) Unwrap() []error { return []error{e.err, ErrUnavailable} }

// Dimensions is the width of every vector.
func (l *Local) Dimensions() int { return LocalWidth }

// Model is the model's name.
func (l *Local) Model() string { return LocalModel }

// Path is the model file.
func (l *Local) Path() string { return l.path }

// Fingerprint names everything that decides what a vector means. The program's
// own file is known by its checksum; another one is read for it, once.
func (l *Local) Fingerprint() string {
	sum := weights.File.SHA256
	if l.given != "" {
		l.mu.Lock()
		if l.sum == "" {
			if s, _, err := weights.Sum(l.path); err == nil {
				l.sum = s
			}
		}
		sum = l.sum
		l.mu.Unlock()
	}
	return fmt.Sprintf("local model=%q sha256=%.16s dimensions=%d query=%q passage=%q text=NFC vectors=centred-%s,unit",
		LocalModel, sum, LocalWidth, prefixes[Query], prefixes[Passage], centreName)
}

// Warm opens the model, so that the first question need not wait for it. Its
// error is told again by the first use.
func (l *Local) Warm(ctx context.Context) error {
	_, err := l.opened(ctx)
	return err
}

// Ready reports whether the model is open.
func (l *Local) Ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.model != nil
}

// Close frees the model. Calls after it fail; closing twice does nothing.
func (l *Local) Close() error {
	l.mu.Lock()
	l.closed = true
	busy := l.busy
	l.mu.Unlock()
	if busy != nil {
		<-busy
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.model == nil {
		return nil
	}
	err := l.model.Close()
	l.model = nil
	return err
}

// opened gives the open model, waiting for it within ctx. After a failure the
// next call tries again: the file may have been put right.
func (l *Local) opened(ctx context.Context) (*native.Model, error) {
	l.mu.Lock()
	if l.model != nil || l.closed {
		defer l.mu.Unlock()
		if l.closed {
			return nil, fmt.Errorf("the embedded model is closed: %w", ErrUnavailable)
		}
		return l.model, nil
	}
	if l.busy == nil {
		l.busy = make(chan struct{})
		go l.open(l.busy)
	}
	busy := l.busy
	l.mu.Unlock()
	select {
	case <-busy:
	case <-ctx.Done():
		return nil, unavailable(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.model == nil && l.err == nil {
		return nil, fmt.Errorf("the embedded model is closed: %w", ErrUnavailable)
	}
	return l.model, l.err
}

func (l *Local) open(done chan struct{}) {
	model, err := native.OpenModel(l.path, l.threads)
	if err == nil && model.Dims() != LocalWidth {
		err = fmt.Errorf("%s makes vectors of %d values, %d are expected", l.path, model.Dims(), LocalWidth)
		_ = model.Close() // the error above is the one that tells
		model = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.model, l.err, l.busy = model, nil, nil
	if err != nil {
		l.model = nil
		l.err = unusable(err)
	}
	close(done)
}

// EmbedQuery embeds a question.
func (l *Local) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return l.one(ctx, Query, text)
}

// EmbedPassage embeds a text to be stored.
func (l *Local) EmbedPassage(ctx context.Context, text string) ([]float32, error) {
	return l.one(ctx, Passage, text)
}

func (l *Local) one(ctx context.Context, kind Kind, text string) ([]float32, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("embedding a text: it is empty: %w", ErrInput)
	}
	return l.cache.do(ctx, kind, text, func() ([]float32, error) {
		if parts := l.parts(text); len(parts) > 1 {
			return l.long(ctx, kind, parts)
		}
		got, err := l.run(ctx, kind, []string{text})
		if err != nil {
			return nil, err
		}
		return got[0], nil
	})
}

// EmbedPassages embeds texts to be stored, in order. It fails as a whole.
func (l *Local) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var order []int // what is not in the cache, texts of one length side by side
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("embedding text %d of %d: it is empty: %w", i+1, len(texts), ErrInput)
		}
		if v, ok := l.cache.get(Passage, text); ok {
			vectors[i] = v
		} else {
			order = append(order, i)
		}
	}
	order, err := l.longOf(ctx, texts, order, vectors)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(texts[a]) - len(texts[b]) })
	for batch := range slices.Chunk(order, localBatch) {
		inputs := make([]string, len(batch))
		for j, i := range batch {
			inputs[j] = texts[i]
		}
		got, err := l.inTurn(ctx, inputs)
		if err != nil {
			return nil, err
		}
		for j, i := range batch {
			vectors[i] = got[j]
			l.cache.put(Passage, texts[i], got[j])
		}
	}
	return vectors, nil
}

func (l *Local) inTurn(ctx context.Context, inputs []string) ([][]float32, error) {
	l.bulk.Lock()
	defer l.bulk.Unlock()
	return l.run(ctx, Passage, inputs)
}

// run embeds a few texts. The tokenizer knows composed characters only, hence NFC.
//
// Questions go in small letters. A name with a capital draws the vector of a
// question to everything that person ever said, away from what is asked: on long
// conversations the share of evidence among the first five rose from 0.48 to 0.54
// by vectors alone, and other languages lost nothing. For memories it is otherwise
// (0.94 of a language's questions find their memory among three, 0.91 if those are
// in small letters), so stored vectors stay as they are.
func (l *Local) run(ctx context.Context, kind Kind, texts []string) ([][]float32, error) {
	model, err := l.opened(ctx)
	if err != nil {
		return nil, err
	}
	inputs := make([]string, len(texts))
	for i, text := range texts {
		if kind == Query {
			text = strings.ToLower(text)
		}
		inputs[i] = prefixes[kind] + norm.NFC.String(text)
	}
	vectors, err := model.Embed(ctx, inputs)
	if err != nil {
		return nil, l.explain(ctx, err)
	}
	for _, v := range vectors {
		if !l.raw {
			centred(v)
		}
		if err := Check(v, LocalWidth); err != nil {
			return nil, fmt.Errorf("embedding with the embedded model: %w; the file %s may be damaged, install the plugin again", err, l.path)
		}
	}
	return vectors, nil
}

func (l *Local) explain(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("embedding a text: %w", context.Canceled)
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
		return unavailable(ctx)
	}
	return fmt.Errorf("embedding with the embedded model: %w: %w", err, ErrUnavailable)
}
