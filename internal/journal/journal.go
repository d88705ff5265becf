package journal

import (
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// Options of a journal. The zero value is the default.
type Options struct {
	Now          func() time.Time // default time.Now
	Boot         string           // which run of the machine this is; default: what the kernel says
	SegmentBytes int64            // a segment is closed before it grows beyond; default 4 MiB
	KeepBytes    int64            // Trim keeps about as much; default 64 MiB
	Logger       *slog.Logger     // default slog.Default()

	files files // what tests put in place of the disk
}

// Journal is one process's view of a journal directory. Catch, Append, Done,
// Cancel, Rewrite and Trim may be called only while the caller keeps all other
// processes from doing so; everything else needs no lock. All methods are safe for
// several goroutines.
type Journal struct {
	dir    string
	o      Options
	fs     files
	held   sync.Mutex // guards head
	head   head
	noting sync.Mutex // one Checkpoint at a time
	making sync.Mutex // guards made
	made   bool       // the name of dir is surely on the disk
}

// head is what this process knows of the end of the journal.
type head struct {
	known   bool
	active  file        // the newest segment, nil for none
	id      fs.FileInfo // of active, to tell it from another file of its name
	segment uint64      // number it begins with
	named   bool        // the name of active is surely on the disk
	end     int64       // where the next frame goes; 0 when even the header is missing
	next    uint64      // number of the next entry
	caught  uint64      // next as it was at the last Catch, 0 before the first
	noted   uint64      // entries up to here are applied, as every process can read
	done    uint64      // entries up to here are applied, as this process knows
	undone  []item      // those after
	marks   []placed    // done frames written since the last Catch
	owed    mark        // a done frame that could not be written
	suspect uint64      // the segment of which a sync failed: what the disk holds of it is unknown
}

// placed is a done frame and where it is.
type placed struct {
	mark
	segment uint64
	off     int64
}

// Open returns the journal in dir. It reads and makes nothing: the directory comes
// with the first Append or Checkpoint, in a directory that has to exist, and the
// first Catch reads what it needs.
func Open(dir string, o Options) (*Journal, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Boot == "" {
		if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
			o.Boot = strings.TrimSpace(string(id))
		}
	}
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = 4 << 20
	}
	if o.KeepBytes <= 0 {
		o.KeepBytes = 64 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.files == nil {
		o.files = disk{}
	}
	if fi, err := o.files.stat(dir); err == nil && !fi.IsDir() {
		return nil, failure("opening the journal", dir, &fs.PathError{Err: errNotDirectory})
	}
	return &Journal{dir: dir, o: o, fs: o.files}, nil
}

// Close gives back what Catch and Append keep open. The journal can be used again.
func (j *Journal) Close() error {
	j.held.Lock()
	defer j.held.Unlock()
	err := j.forget()
	j.head.caught = 0
	return err
}

// forget makes the next use read the head of the journal anew.
func (j *Journal) forget() error {
	var err error
	if j.head.active != nil {
		err = j.head.active.Close()
	}
	j.head = head{next: j.head.next, caught: j.head.caught, owed: j.head.owed, suspect: j.head.suspect}
	return err
}

// Last is the number of the newest entry as of the last Catch, Append or Cancel; 0
// for none, or before the first of them.
func (j *Journal) Last() uint64 {
	j.held.Lock()
	defer j.held.Unlock()
	return max(j.head.next, 1) - 1
}
