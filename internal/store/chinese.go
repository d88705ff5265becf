package store

import (
	"slices"
	"sync"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/hanzi"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// inBothScripts searches for a text, and beside it for the same text in the other
// script of Chinese, unless m, what is held in memory, has no row in it. Of a row that
// more than one of them finds, the best score counts.
//
// They are searches of their own because the index knows words, and only it knows where
// they end: if one query held both forms, those words that are written alike would count
// twice, and a store in the script that was typed would be ranked otherwise than without.
func inBothScripts(m *mirror, text string, limit int, search func(string) ([]memory.Hit, error)) ([]memory.Hit, error) {
	forms := hanzi.Forms(text)
	if len(forms) > 0 && m != nil {
		forms = slices.DeleteFunc(forms, func(f hanzi.Form) bool { return !m.holds(f.Script) })
	}
	if len(forms) == 0 {
		return search(text)
	}
	found, errs := make([][]memory.Hit, len(forms)), make([]error, len(forms))
	var wg sync.WaitGroup
	for i, f := range forms {
		wg.Go(func() { found[i], errs[i] = search(f.Text) })
	}
	hits, err := search(text)
	wg.Wait()
	for i := range forms {
		if err == nil {
			err = errs[i]
		}
		hits = append(hits, found[i]...)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(hits, byScore)
	seen := make(map[string]bool, len(hits))
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool {
		again := seen[h.Memory.ID]
		seen[h.Memory.ID] = true
		return again
	})
	return hits[:min(limit, len(hits))], nil
}

// holds reports whether a row's text may be in a script.
func (m *mirror) holds(script hanzi.Script) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for in, rows := range m.scripts {
		if in&script != 0 && rows > 0 {
			return true
		}
	}
	return m.at == (edition{})
}
