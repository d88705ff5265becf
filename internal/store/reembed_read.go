package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// While a table is embedded anew, its own vectors are of the old model, and those of
// the new one grow in a file. A search with the new model compares what is in the file
// already: the rows done so far are found by meaning, the others by their words.

// partialBytes bounds the vectors that are read for it; more are not searched.
const partialBytes = 64 << 20

// partial is what is known of the file, of whichever process's re-embed.
type partial struct {
	mu   sync.Mutex
	file os.FileInfo // as it was read
	keys []textKey
	unit []float32            // width numbers each
	rows map[textKey][]string // ids by text
	at   int64                // the version of the table that rows is of
}

// PartlyEmbedded reports whether a search by vector finds the rows that a re-embed
// with the configured model has done so far, though the table's vectors are foreign.
func (s *Store) PartlyEmbedded() bool {
	if s.dimensions == 0 || s.fingerprint == "" || s.CheckVectors() == nil {
		return false
	}
	f, err := os.Open(filepath.Join(s.state, vectorsFile))
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // read only
	want := vectorHeader(s.fingerprint, s.dimensions)
	have := make([]byte, len(want))
	_, err = f.ReadAt(have, 0)
	info, serr := f.Stat()
	return err == nil && serr == nil && bytes.Equal(have, want) && info.Size() > int64(len(want)) && info.Size() <= partialBytes
}

// partlyNearest is Nearest over the rows done so far.
func (s *Store) partlyNearest(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, limit int) ([]memory.Hit, error) {
	if usable(vector) != nil || len(vector) != s.dimensions {
		return nil, fmt.Errorf("searching by vector: %w: the query's vector does not fit the configured model", ErrInvalid)
	}
	p := &s.partly
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(ctx, s); err != nil {
		return nil, fmt.Errorf("searching the vectors made so far: %w", err)
	}
	type candidate struct {
		place  int
		cosine float32
	}
	w := s.dimensions
	query := unitVector(vector)
	list := make([]candidate, len(p.keys))
	for i := range p.keys {
		var sum float32
		for j, x := range p.unit[i*w : (i+1)*w] {
			sum += x * query[j]
		}
		list[i] = candidate{i, sum}
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.cosine, a.cosine) })
	var hits []memory.Hit
	for some := range slices.Chunk(list, maxIDs) {
		of := map[textKey]int{}
		var which []string
		for _, c := range some {
			of[p.keys[c.place]] = c.place
			which = append(which, p.rows[p.keys[c.place]]...)
		}
		if len(which) == 0 {
			continue
		}
		rows, err := s.scan(ctx, who, n, ids(which), rowColumns, 0)
		if err != nil {
			return nil, fmt.Errorf("searching by vector: %w", err)
		}
		for _, m := range rows {
			place, ok := of[keyOf(m.Text)]
			if !ok {
				continue // its text is another by now
			}
			m.Vector = slices.Clone(p.unit[place*w : (place+1)*w])
			hits = append(hits, memory.Hit{Memory: m, Score: cosine(vector, m.Vector)})
		}
		if len(hits) >= limit {
			break // those that follow are less alike
		}
	}
	return best(hits, limit), nil
}

// load reads the file if it has grown, and which rows have which text.
func (p *partial) load(ctx context.Context, s *Store) error {
	path := filepath.Join(s.state, vectorsFile)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if p.file == nil || !os.SameFile(info, p.file) || info.Size() != p.file.Size() {
		v, err := readVectorFile(path, s.fingerprint, s.dimensions)
		if err != nil {
			return err
		}
		p.keys, p.unit = p.keys[:0], p.unit[:0]
		for key := range v.at {
			vector, err := v.get(key)
			if err != nil {
				return errors.Join(err, v.close())
			}
			p.keys, p.unit = append(p.keys, key), append(p.unit, unitVector(vector)...)
		}
		if err := v.close(); err != nil {
			return err
		}
		p.file = info
	}
	version, err := s.version(ctx)
	if err != nil || (p.rows != nil && version == p.at) {
		return err
	}
	rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{Columns: []string{colID, colText}})
	})
	if err != nil {
		return err
	}
	defer rows.Release()
	p.rows, p.at = map[textKey][]string{}, version
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			key := keyOf(c.text(colText, i))
			p.rows[key] = append(p.rows[key], c.text(colID, i))
		}
	}
	return nil
}

// unitVector is v with the length 1.
func unitVector(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return unit
}
