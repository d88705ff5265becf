package recalls

import "sync"

// ringSize is how many recalls a process remembers for its figures.
const ringSize = 1000

// Ring holds the newest recalls of a process, without their questions. It is safe
// for concurrent use; the zero value is empty.
type Ring struct {
	mu   sync.Mutex
	list []Entry
	next int // where the oldest is, once the ring is full
	all  int64
}

// Add notes a recall and forgets the oldest beyond a thousand.
func (r *Ring) Add(e Entry) {
	e.Query, e.Scope, e.Without, e.Narrow, e.Dropped = "", "", nil, nil, nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all++
	if len(r.list) < ringSize {
		r.list = append(r.list, e)
		return
	}
	r.list[r.next] = e
	r.next = (r.next + 1) % ringSize
}

// Entries are the newest recalls, oldest first, and how many there were in all.
func (r *Ring) Entries() ([]Entry, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Entry, 0, len(r.list))
	return append(append(list, r.list[r.next:]...), r.list[:r.next]...), r.all
}
