package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// prologue looks for a list of memories in the first object. It consumes all
// before the list's first row; if there is no list, nothing.
func (f *Reader) prologue() error {
	head := map[string]json.RawMessage{}
	in := f.in
	skip := func(i int, also string) int {
		for c, ok := in.at(i); ok && (isSpace(c) || strings.IndexByte(also, c) >= 0); c, ok = in.at(i) {
			i++
		}
		return i
	}
	for i := 1; ; {
		i = skip(i, ",")
		if c, ok := in.at(i); !ok || c != '"' {
			break
		}
		n, err := in.value(i)
		if err != nil {
			break
		}
		key := string(in.buf[in.pos+i+1 : in.pos+i+n-1])
		i = skip(i+n, ":")
		if key == "memories" {
			if c, _ := in.at(i); c != '[' {
				return fmt.Errorf("its %q is no list: %w", key, ErrNoRows)
			}
			in.take(i + 1)
			f.format = JSON
			f.head(head)
			return nil
		}
		n, err = in.value(i)
		if err != nil {
			break
		}
		head[key] = bytes.Clone(in.buf[in.pos+i : in.pos+i+n])
		i += n
	}
	// Without a text it is no row either, and a document without memories in it.
	for _, key := range []string{"version", "exportedAt"} {
		if _, ok := head[key]; ok && head["text"] == nil {
			return ErrNoRows
		}
	}
	return nil
}

// head takes what a JSON document says before its rows, or after them.
func (f *Reader) head(members map[string]json.RawMessage) {
	var h struct {
		ExportedAt, Fingerprint string
		Dimensions              int
		Filters                 Filters
		Count                   *int
	}
	for key, raw := range members {
		// Member by member: one of a type nobody expects is left aside alone.
		one, _ := json.Marshal(map[string]json.RawMessage{key: raw})
		_ = json.Unmarshal(one, &h)
	}
	f.header = Header{At: unstamp(h.ExportedAt), Filters: h.Filters, Fingerprint: h.Fingerprint, Dimensions: h.Dimensions, Vectors: h.Fingerprint != ""}
	if h.Count != nil {
		f.stated = *h.Count
	}
}

// element gives the next element of the list of a JSON document. False means
// that there was none at this place.
func (f *Reader) element() (Item, bool) {
	in := f.in
	if f.lost {
		n, found := in.resync()
		in.take(len(in.ahead(n)))
		f.lost = !found && n >= maxElement
		return Item{}, false
	}
	in.space(",")
	c, ok := in.at(0)
	switch {
	case !ok:
		f.done = true
		if in.failure() == nil {
			f.note("the file ends before its list does: it was cut off")
		}
		return Item{}, false
	case c == ']':
		in.take(1)
		f.epilogue()
		return Item{}, false
	}
	n, err := in.value(0)
	if err == nil {
		return f.item(n), true
	}
	if in.failure() != nil {
		f.done = true // not the file's fault
		return Item{}, false
	}
	at, found := in.resync()
	f.lost = !found && at >= maxElement
	if found && errors.Is(err, errUnfinished) {
		err = errShape // rows follow, so it is not the file that ends
	}
	return f.broken(at, err), true
}

// epilogue reads what follows the list, and compares the count.
func (f *Reader) epilogue() {
	f.done = true
	rest := bytes.TrimSpace(f.in.ahead(readAhead))
	var after struct{ Count *int }
	if len(rest) > 1 && rest[0] == ',' {
		if json.Unmarshal(append([]byte{'{'}, rest[1:]...), &after) == nil && after.Count != nil {
			f.stated = *after.Count
		}
	}
	if f.stated >= 0 && f.stated != f.items {
		f.note("the file says that it holds %d memories; it holds %d", f.stated, f.items)
	}
}
