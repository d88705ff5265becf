package servertest

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// Bucket is a bucket that S3 has, empty.
const Bucket = "memories"

// The access key of S3.
const (
	AccessKey = "an-access-key"
	SecretKey = "a-secret-nobody-may-see"
)

// S3 starts object storage with an empty bucket. It refuses to overwrite what a
// conditional request (If-None-Match: *) says must not be there yet.
func S3(t testing.TB) *Process {
	t.Helper()
	root := t.TempDir()
	data := filepath.Join(root, "data")
	for _, dir := range []string{filepath.Join(data, Bucket), filepath.Join(root, "meta")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	addr := FreeAddr(t)
	return run(t, addr, []string{"ROOT_ACCESS_KEY=" + AccessKey, "ROOT_SECRET_KEY=" + SecretKey}, answersHTTP, find(t, "versitygw"),
		"--quiet", "--port", addr, "posix", "--sidecar", filepath.Join(root, "meta"), data)
}

// S3Options are the storage options of package lance for S3.
func (p *Process) S3Options() map[string]string {
	return map[string]string{
		"aws_endpoint": "http://" + p.Addr, "aws_region": "us-east-1", "allow_http": "true",
		"aws_access_key_id": AccessKey, "aws_secret_access_key": SecretKey,
	}
}

func answersHTTP(addr string) bool {
	res, err := http.Get("http://" + addr + "/")
	if err != nil {
		return false
	}
	return res.Body.Close() == nil
}
