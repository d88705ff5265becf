package weights

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheCheckoutHasTheRightFile(t *testing.T) {
	path, err := InCheckout(".")
	if err != nil {
		t.Fatal(err)
	}
	if err := File.Verify(path); err != nil {
		t.Error(err)
	}
}

func TestWrongFileIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), File.File)
	if err := File.Verify(path); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := File.Verify(path)
	for _, says := range []string{path, "1 bytes", File.SHA256, "install the plugin again"} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
}

func TestPath(t *testing.T) {
	root := t.TempDir()
	packaged := filepath.Join(root, "bin", "linux-x64", "memory-pro")
	built := filepath.Join(root, "build", "memory-pro")
	for _, dir := range []string{filepath.Dir(packaged), filepath.Dir(built), filepath.Join(root, "build", "share")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	want := filepath.Join(root, "share", File.File)
	if got := Path(packaged); got != want {
		t.Errorf("without a file: %s, want %s", got, want)
	}
	besides := filepath.Join(root, "build", "share", File.File)
	if err := os.WriteFile(besides, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Path(built); got != besides {
		t.Errorf("beside the program: %s, want %s", got, besides)
	}
}
