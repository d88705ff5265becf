package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const checkpointName = "checkpoint"

// Mark says up to where the table itself is on the disk, so that nothing up to Seq
// is ever replayed.
type Mark struct {
	Seq     uint64    `json:"seq"`
	Version int64     `json:"version"` // of the table
	Boot    string    `json:"boot,omitempty"`
	At      time.Time `json:"at"`
}

// Checkpoint notes m durably; the lock need not be held. A mark that lies before
// the noted one is ignored: another process knew more. Boot and At are filled in
// when empty.
func (j *Journal) Checkpoint(m Mark) error {
	return j.note(m, func(noted Mark) bool {
		return m.Seq > noted.Seq || (m.Seq == noted.Seq && m.Version >= noted.Version)
	})
}

// SetBack notes m even if it lies before the noted mark: for a table of which an
// older version had to be made the newest. The lock has to be held.
func (j *Journal) SetBack(m Mark) error {
	return j.note(m, func(Mark) bool { return true })
}

func (j *Journal) note(m Mark, wanted func(noted Mark) bool) error {
	j.noting.Lock()
	defer j.noting.Unlock()
	if err := j.makeDir(); err != nil {
		return err
	}
	release, err := j.fs.exclusive(j.dir)
	if err != nil {
		return failure("noting the checkpoint in", j.dir, err)
	}
	defer release()
	noted, err := j.Checkpointed()
	if err != nil {
		return err
	}
	if m.Boot == "" {
		m.Boot = j.o.Boot
	}
	if !wanted(noted) || (m.Seq == noted.Seq && m.Version == noted.Version && m.Boot == noted.Boot) {
		// Who noted it may not have lived, or may have failed, to make it durable.
		return failure("making the journal directory durable", j.dir, j.fs.syncDir(j.dir))
	}
	if m.At.IsZero() {
		m.At = j.o.Now().UTC()
	}
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing the checkpoint: %w", err)
	}
	return j.replace(filepath.Join(j.dir, checkpointName), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%08x %s\n", crc32.Checksum(body, castagnoli), body)
		return err
	})
}

// Checkpointed returns the last mark noted, the zero Mark when there is none. One
// that cannot be made sense of counts as none: then more is looked at again than
// need be, and nothing is lost.
func (j *Journal) Checkpointed() (Mark, error) {
	path := filepath.Join(j.dir, checkpointName)
	f, err := j.fs.open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return Mark{}, nil
	}
	if err != nil {
		return Mark{}, failure("reading the checkpoint", path, err)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<16))
	if err := errors.Join(err, f.Close()); err != nil {
		return Mark{}, failure("reading the checkpoint", path, err)
	}
	sum, body, _ := bytes.Cut(bytes.TrimSuffix(b, []byte("\n")), []byte(" "))
	var m Mark
	if string(sum) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) || json.Unmarshal(body, &m) != nil {
		j.o.Logger.Error("the checkpoint is damaged: everything in the journal will be compared with the table", "file", path)
		return Mark{}, nil
	}
	return m, nil
}

// replace writes a file anew beside the old one and puts it in its place once it is
// on the disk. After an error the old one is there as before.
func (j *Journal) replace(path string, write func(io.Writer) error) error {
	temp := path + tempSuffix
	f, err := j.fs.open(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return failure("creating the file", temp, err)
	}
	err = write(io.NewOffsetWriter(f, 0))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = j.fs.rename(temp, path)
	}
	if err != nil {
		_ = j.fs.remove(temp)
		return failure("writing the file", path, err)
	}
	return failure("making the journal directory durable", j.dir, j.fs.syncDir(j.dir))
}
