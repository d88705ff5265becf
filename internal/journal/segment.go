package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	segmentSuffix = ".log"
	tempSuffix    = ".tmp"
)

func segmentName(segment uint64) string { return fmt.Sprintf("%020d%s", segment, segmentSuffix) }

func parseSegment(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(digits) != 20 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && segmentName(n) == name
}

func (j *Journal) path(segment uint64) string { return filepath.Join(j.dir, segmentName(segment)) }

// listing is what lies in the directory.
type listing struct {
	segments []uint64 // the numbers that segments begin with, lowest first
	empty    []uint64 // those of files without a frame, which count as absent
	temps    []string // paths of segments that were not finished
}

// list reads the directory. A journal that was never written to has nothing.
func (j *Journal) list() (l listing, err error) {
	names, err := j.fs.list(j.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, failure("reading the journal directory", j.dir, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, segmentSuffix+tempSuffix) {
			l.temps = append(l.temps, filepath.Join(j.dir, name))
		}
		n, ok := parseSegment(name)
		if !ok {
			continue
		}
		fi, err := j.fs.stat(j.path(n))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return l, failure("reading the journal file", j.path(n), err)
		case fi.Size() > emptySize:
			l.segments = append(l.segments, n)
		default:
			l.empty = append(l.empty, n)
		}
	}
	slices.Sort(l.segments)
	return l, nil
}

// segments lists the numbers that segments begin with, lowest first.
func (j *Journal) segments() ([]uint64, error) {
	l, err := j.list()
	return l.segments, err
}

// content is where things lie in a segment.
type content struct {
	items []item
	marks []mark
	end   int64  // of the last whole frame
	torn  bool   // there is something after end
	last  uint64 // number of the last entry, 0 for none
}

// item is an entry, or a hole between entries.
type item struct {
	seq     uint64
	segment uint64
	off     int64
	end     int64
	version int64
	hole    *Damage
}

// survey finds the frames of a segment from an offset on; 0 is the beginning. all
// are the numbers of all segments, last the number of the last entry before from.
func (j *Journal) survey(f file, segment uint64, all []uint64, from int64, last uint64) (content, error) {
	s, err := j.scan(f, segment, all)
	if err != nil {
		return content{}, err
	}
	if from > 0 {
		s.off, s.last = from, last
	}
	var c content
	pending := 0 // items before are in a version, or are known to have none here
	for {
		fr, err := s.next()
		var hole *Damage
		switch {
		case errors.As(err, &hole):
			c.items = append(c.items, item{segment: segment, off: hole.Offset, hole: hole})
		case errors.Is(err, io.EOF), errors.Is(err, errTorn):
			c.end, c.torn = s.off, errors.Is(err, errTorn)
			return c, nil
		case err != nil:
			return content{}, err
		case fr.kind.entry():
			c.last = fr.seq
			c.items = append(c.items, item{seq: fr.seq, segment: segment, off: fr.off, end: fr.end})
		default:
			m, err := fr.mark()
			if err != nil {
				return content{}, failure("reading the journal file", s.path, err)
			}
			c.marks = append(c.marks, m)
			pending = settle(c.items, pending, m)
		}
	}
}

// settle gives the entries from pending on that a mark covers its version, and
// returns where the ones it does not cover begin.
func settle(items []item, pending int, m mark) int {
	for pending < len(items) && items[pending].seq <= m.through {
		items[pending].version = m.version
		pending++
	}
	return pending
}

// scan prepares reading a segment from its beginning.
func (j *Journal) scan(f file, segment uint64, all []uint64) (*scanner, error) {
	path := j.path(segment)
	fi, err := f.Stat()
	if err != nil {
		return nil, failure("reading the journal file", path, err)
	}
	s := &scanner{r: f, path: path, size: fi.Size(), seed: seed(segment), newest: true, limit: math.MaxUint64, last: segment - 1}
	if i, _ := slices.BinarySearch(all, segment+1); i < len(all) {
		s.newest, s.limit = false, all[i]
	}
	return s, s.start()
}

// openSegment opens a segment for reading.
func (j *Journal) openSegment(segment uint64) (file, error) {
	f, err := j.fs.open(j.path(segment), os.O_RDONLY)
	return f, failure("opening the journal file", j.path(segment), err)
}
