package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// remoteScheme is how the location of a database in object storage begins.
const remoteScheme = "s3://"

func remote(path string) bool { return strings.HasPrefix(path, remoteScheme) }

// prepareRemote makes the directory that stands for a bucket on this machine. A
// bucket cannot hold file locks and a journal that is synced line by line;
// several machines, or users, that share a bucket have such a directory each.
func prepareRemote(o Options) (place, error) {
	uri := strings.TrimRight(o.Path, "/")
	if bucket, _, _ := strings.Cut(strings.TrimPrefix(uri, remoteScheme), "/"); bucket == "" {
		return place{}, &PathError{Path: o.Path, Problem: "names no bucket", Fix: "set dbPath to s3://<bucket>/<prefix>"}
	}
	if o.StateDir == "" {
		return place{}, &PathError{Path: uri, Problem: "needs a directory on this machine for its locks and its journal, and there is none",
			Fix: "set HOME or OPENCLAW_STATE_DIR"}
	}
	state, readOnly, err := preparePath(StateDir(o.StateDir, uri))
	if err == nil && readOnly != nil {
		err = readOnly // without a journal nothing may be written, and nobody asked for a reader
	}
	return place{path: uri, state: state}, err
}

// unreachable is the error of a database that cannot be connected to.
func (s *Store) unreachable(err error) error {
	if s.local {
		return fmt.Errorf("opening the database %s: %w", s.path, err)
	}
	return &PathError{Path: s.path, Problem: "cannot be reached: " + err.Error(), Err: err,
		Fix: "check that the bucket exists, and endpoint, region and keys in storageOptions or the AWS_ variables"}
}

// StateDir is the directory below base for the database at a URI.
func StateDir(base, uri string) string {
	sum := sha256.Sum256([]byte(strings.TrimRight(uri, "/")))
	return filepath.Join(base, "s3-"+hex.EncodeToString(sum[:6]))
}
