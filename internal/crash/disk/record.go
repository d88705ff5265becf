package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// traced are the calls that change files, or tell which file a descriptor is.
const traced = "openat,open,creat,openat2,close,dup,dup2,dup3,fcntl,lseek,read,write,pwrite64,writev,pwritev,pwritev2," +
	"fsync,fdatasync,sync_file_range,sync,syncfs,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat," +
	"rmdir,mkdir,mkdirat,ftruncate,truncate,fallocate,copy_file_range,sendfile,splice,mmap,io_uring_setup"

// MarkFD is the descriptor on which the recorded program says where it is.
const MarkFD = 3

// longest is the longest string strace prints; a longer write is an error.
const longest = 16 << 20

// Available says why programs cannot be recorded here, or nil.
func Available() error {
	if _, err := exec.LookPath("strace"); err != nil {
		return fmt.Errorf("strace is missing: %w; install the Debian package strace", err)
	}
	if out, err := exec.Command("strace", "-f", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=close", "true").CombinedOutput(); err != nil {
		return fmt.Errorf("strace cannot attach here (%w): %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Record runs cmd to its end and records what it does below root, which exists.
// What cmd writes to MarkFD becomes Mark operations. The program must not fork.
// A program that ends with an error is recorded all the same; ended says how.
func Record(ctx context.Context, cmd *exec.Cmd, root string) (t *Trace, ended error, err error) {
	root, err = filepath.EvalSymlinks(root)
	if err != nil {
		return nil, nil, err
	}
	rec := &recorder{root: root, open: map[int]*descriptor{}}
	if rec.now, err = load(root); err != nil {
		return nil, nil, err
	}
	base := rec.now.clone()
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	marks, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, errors.Join(err, from.Close(), to.Close())
	}
	args := append([]string{"-f", "--seccomp-bpf", "-xx", "-a", "1", "-s", strconv.Itoa(longest), "-e", "trace=" + traced, "-e", "signal=none",
		"-o", "/proc/self/fd/4", cmd.Path}, cmd.Args[1:]...)
	run := exec.CommandContext(ctx, "strace", args...)
	run.Env, run.Dir, run.Stdin, run.Stdout, run.Stderr = cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr
	run.ExtraFiles = []*os.File{marks, to}
	if err = run.Start(); err == nil {
		err = errors.Join(marks.Close(), to.Close())
		perr := rec.read(from)
		if perr != nil {
			_ = run.Process.Kill()
		}
		ended = run.Wait()
		err = errors.Join(err, perr)
	}
	return &Trace{Ops: rec.ops, base: base}, ended, errors.Join(err, from.Close())
}

// descriptor is an open file below root.
type descriptor struct {
	file     int
	dir      bool
	path     string
	pos      int64
	appended bool // O_APPEND
}

// recorder turns calls into operations. now is the directory as the program sees it.
type recorder struct {
	root string
	now  *tree
	open map[int]*descriptor
	ops  []Op
}

func (r *recorder) read(from io.Reader) error {
	return parse(from, func(name, args string) int {
		// A descriptor is free as soon as close begins, and may be given out anew
		// before it ends.
		if name == "close" {
			if fd, err := strconv.Atoi(strings.TrimRight(firstArg(args), ")")); err == nil {
				delete(r.open, fd)
			}
		}
		return len(r.ops)
	}, r.call)
}

func firstArg(args string) string {
	i := strings.IndexAny(args, ",) ")
	if i < 0 {
		return args
	}
	return args[:i]
}

func (r *recorder) add(o Op) {
	r.now.apply(o, Kept)
	r.ops = append(r.ops, o)
}

// fd is the open file that an argument names; nil if it does not lie below root.
func (r *recorder) fd(arg string) *descriptor {
	n, err := strconv.Atoi(arg)
	if err != nil {
		return nil
	}
	return r.open[n]
}

// place is a path below root.
type place struct {
	dir  int // number of the directory that holds the name
	name string
	path string
	file int // what the name leads to; 0 if nothing
}

// at finds a path; ok is false if it lies outside of root.
func (r *recorder) at(dirfd, arg string) (p place, ok bool, err error) {
	b, err := text(arg)
	if err != nil {
		return p, false, err
	}
	path := string(b)
	if !filepath.IsAbs(path) {
		d := r.fd(dirfd)
		if d == nil || !d.dir {
			return p, false, nil // relative to a place that is not ours
		}
		path = filepath.Join(d.path, path)
	}
	path = filepath.Clean(path)
	rel, err := filepath.Rel(r.root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return p, false, nil
	}
	if rel == "." {
		return place{path: path, file: rootDir}, true, nil
	}
	dir := rootDir
	parts := strings.Split(rel, "/")
	for _, part := range parts[:len(parts)-1] {
		next := r.now.dirs[dir][part]
		if _, isDir := r.now.dirs[next]; !isDir {
			return p, false, fmt.Errorf("recording: %s lies in no directory that was seen being made", path)
		}
		dir = next
	}
	name := parts[len(parts)-1]
	return place{dir: dir, name: name, path: path, file: r.now.dirs[dir][name]}, true, nil
}
