package disk

import (
	"errors"
	"fmt"
	"strings"
)

// call turns one call that succeeded into operations.
func (r *recorder) call(c call) error {
	a := c.args
	switch c.name {
	case "open":
		return r.opened(c, "", a[0], a[1])
	case "creat":
		return r.opened(c, "", a[0], "O_WRONLY|O_CREAT|O_TRUNC")
	case "openat":
		return r.opened(c, a[0], a[1], a[2])
	case "dup":
		return r.copied(a[0], int(c.result))
	case "dup2", "dup3":
		return r.copied(a[0], int(c.result))
	case "fcntl":
		if strings.HasPrefix(a[1], "F_DUPFD") {
			return r.copied(a[0], int(c.result))
		}
	case "lseek":
		if d := r.fd(a[0]); d != nil {
			d.pos = c.result
		}
	case "read":
		if d := r.fd(a[0]); d != nil {
			d.pos += c.result
		}
	case "write", "writev", "pwrite64", "pwritev", "pwritev2":
		return r.wrote(c)
	case "fsync", "fdatasync":
		if d := r.fd(a[0]); d != nil {
			r.add(Op{Kind: Sync, File: d.file, Covers: c.begun, Path: d.path})
		}
	case "sync", "syncfs":
		r.add(Op{Kind: Sync, Covers: c.begun})
	case "rename":
		return r.renamed("", a[0], "", a[1])
	case "renameat", "renameat2":
		if len(a) > 4 && strings.Contains(a[4], "EXCHANGE") {
			return r.unknown(c, a[0])
		}
		return r.renamed(a[0], a[1], a[2], a[3])
	case "link":
		return r.linked("", a[0], "", a[1])
	case "linkat":
		return r.linked(a[0], a[1], a[2], a[3])
	case "unlink", "rmdir":
		return r.removed("", a[0])
	case "unlinkat":
		return r.removed(a[0], a[1])
	case "mkdir":
		return r.madeDir("", a[0])
	case "mkdirat":
		return r.madeDir(a[0], a[1])
	case "ftruncate":
		return r.cut(r.fd(a[0]), a[1])
	case "truncate":
		p, ok, err := r.at("", a[0])
		if !ok || err != nil {
			return err
		}
		return r.cut(&descriptor{file: p.file, path: p.path}, a[1])
	case "copy_file_range":
		return r.rangeCopied(c)
	case "mmap":
		if len(a) > 4 && strings.Contains(a[2], "PROT_WRITE") && strings.Contains(a[3], "MAP_SHARED") {
			return r.unknown(c, a[4])
		}
	case "fallocate", "openat2", "splice", "sendfile", "sync_file_range":
		// sync_file_range promises nothing, and the others are not in use; see unknown.
		if c.name != "sync_file_range" {
			return r.unknown(c, a[0])
		}
	case "symlink", "symlinkat":
		_, ok, err := r.at(a[0], a[len(a)-1])
		if ok {
			return errors.New("recording: symbolic links are not modelled")
		}
		return err
	case "io_uring_setup":
		return errors.New("recording: operations given to the kernel by io_uring cannot be seen")
	}
	return nil
}

// unknown refuses a call on a file of ours that the model lacks.
func (r *recorder) unknown(c call, fd string) error {
	if r.fd(fd) == nil {
		return nil
	}
	return fmt.Errorf("recording: %s is not modelled", c.name)
}

func (r *recorder) opened(c call, dirfd, path, flags string) error {
	fd := int(c.result)
	delete(r.open, fd)
	if strings.Contains(flags, "O_TMPFILE") {
		return errors.New("recording: files without a name are not modelled")
	}
	p, ok, err := r.at(dirfd, path)
	if err != nil || !ok {
		return err
	}
	if p.file == 0 {
		if !strings.Contains(flags, "O_CREAT") {
			if strings.Contains(flags, "O_RDONLY") {
				return nil // another thread makes it, and strace tells of that later
			}
			return fmt.Errorf("recording: %s was opened for writing but nobody made it", p.path)
		}
		p.file = r.now.number()
		r.add(Op{Kind: Names, Bindings: []Binding{{p.dir, p.name, p.file, p.path}}})
		r.now.file(p.file)
	} else if strings.Contains(flags, "O_TRUNC") && len(r.now.file(p.file).data) > 0 {
		r.add(Op{Kind: Truncate, File: p.file, Path: p.path})
	}
	_, isDir := r.now.dirs[p.file]
	r.open[fd] = &descriptor{file: p.file, dir: isDir, path: p.path, appended: strings.Contains(flags, "O_APPEND")}
	return nil
}

func (r *recorder) copied(from string, to int) error {
	delete(r.open, to)
	if d := r.fd(from); d != nil {
		r.open[to] = d // they share the position
	}
	return nil
}

func (r *recorder) wrote(c call) error {
	d := r.fd(c.args[0])
	mark := d == nil && c.args[0] == fmt.Sprint(MarkFD)
	if d == nil && !mark {
		return nil
	}
	decode := text
	if strings.Contains(c.name, "v") {
		decode = vectors
	}
	data, err := decode(c.args[1])
	if err != nil {
		return err
	}
	data = data[:min(int64(len(data)), c.result)]
	if mark {
		r.add(Op{Kind: Mark, Data: data})
		return nil
	}
	at := d.pos
	if strings.HasPrefix(c.name, "p") {
		if at, err = number(c.args[3]); err != nil {
			return err
		}
	} else {
		if d.appended {
			at = int64(len(r.now.file(d.file).data))
		}
		d.pos = at + int64(len(data))
	}
	r.add(Op{Kind: Write, File: d.file, Offset: at, Data: data, Path: d.path})
	return nil
}

func (r *recorder) rangeCopied(c call) error {
	from, to := r.fd(c.args[0]), r.fd(c.args[2])
	switch {
	case to == nil:
		return nil
	case from == nil || c.args[1] != "NULL" || c.args[3] != "NULL":
		return errors.New("recording: this copy between files is not modelled")
	}
	data := r.now.file(from.file).data
	data = data[min(from.pos, int64(len(data))):]
	data = append([]byte(nil), data[:min(c.result, int64(len(data)))]...)
	r.add(Op{Kind: Write, File: to.file, Offset: to.pos, Data: data, Path: to.path})
	from.pos += c.result
	to.pos += c.result
	return nil
}

func (r *recorder) cut(d *descriptor, size string) error {
	if d == nil {
		return nil
	}
	n, err := number(size)
	if err == nil {
		r.add(Op{Kind: Truncate, File: d.file, Offset: n, Path: d.path})
	}
	return err
}

func (r *recorder) renamed(dirA, a, dirB, b string) error {
	from, ok1, err1 := r.at(dirA, a)
	to, ok2, err2 := r.at(dirB, b)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	switch {
	case !ok1 && !ok2:
		return nil
	case !ok1 || !ok2 || from.file == 0:
		return errors.New("recording: a rename across the edge of the directory is not modelled")
	case from.file == to.file:
		return nil
	}
	r.add(Op{Kind: Names, Bindings: []Binding{{to.dir, to.name, from.file, to.path}, {from.dir, from.name, 0, from.path}}})
	// Those who have the file open know it by its new name, so that paths relative
	// to an open directory resolve.
	for _, d := range r.open {
		if d.file == from.file {
			d.path = to.path
		} else if rest, below := strings.CutPrefix(d.path, from.path+"/"); below {
			d.path = to.path + "/" + rest
		}
	}
	return nil
}

func (r *recorder) linked(dirA, a, dirB, b string) error {
	from, ok1, err1 := r.at(dirA, a)
	to, ok2, err2 := r.at(dirB, b)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if !ok2 {
		return nil
	}
	if !ok1 || from.file == 0 {
		return errors.New("recording: a link across the edge of the directory is not modelled")
	}
	r.add(Op{Kind: Names, Bindings: []Binding{{to.dir, to.name, from.file, to.path}}})
	return nil
}

func (r *recorder) removed(dirfd, path string) error {
	p, ok, err := r.at(dirfd, path)
	if err != nil || !ok || p.file == 0 {
		return err
	}
	r.add(Op{Kind: Names, Bindings: []Binding{{p.dir, p.name, 0, p.path}}})
	return nil
}

func (r *recorder) madeDir(dirfd, path string) error {
	p, ok, err := r.at(dirfd, path)
	if err != nil || !ok || p.dir == 0 {
		return err
	}
	r.add(Op{Kind: Names, NewDir: true, Bindings: []Binding{{p.dir, p.name, r.now.number(), p.path}}})
	return nil
}
