package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The table in testdata was written by the store over LanceDB: three fragments of
// three rows, a text index over them, and one deleted row.

// table is a copy of it, with manifests named as the scheme says.
func table(t *testing.T, scheme Scheme) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/table")); err != nil {
		t.Fatal(err)
	}
	versions, err := List(dir)
	if err != nil || len(versions) != 7 {
		t.Fatalf("%d versions, %v", len(versions), err)
	}
	for _, v := range versions {
		to := filepath.Join(dir, versionsDir, scheme.name(v.Number))
		if err := os.Rename(filepath.Join(dir, v.File), to); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func newest(t *testing.T, dir string) *Manifest {
	t.Helper()
	versions, err := List(dir)
	if err != nil || len(versions) == 0 {
		t.Fatalf("%d versions, %v", len(versions), err)
	}
	m, err := Read(dir, versions[0])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestListAndRead(t *testing.T) {
	for _, scheme := range []Scheme{Plain, Inverted} {
		dir := table(t, scheme)
		for _, other := range []string{".tmp_9.manifest_x", "d5.manifest", "latest_version_hint.json", "x.manifest"} {
			if err := os.WriteFile(filepath.Join(dir, versionsDir, other), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		versions, err := List(dir)
		if err != nil {
			t.Fatal(err)
		}
		var numbers []uint64
		for _, v := range versions {
			numbers = append(numbers, v.Number)
			if v.Scheme != scheme {
				t.Errorf("%s: scheme %d, want %d", v.File, v.Scheme, scheme)
			}
			if _, err := Read(dir, v); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff([]uint64{7, 6, 5, 4, 3, 2, 1}, numbers); diff != "" {
			t.Errorf("versions (-want +got)\n%s", diff)
		}
		m := newest(t, dir)
		if m.Writer != "14.0.2" {
			t.Errorf("written by %q", m.Writer)
		}
		if m.Rows() != 8 || len(m.Fragments) != 3 || m.Fragments[1].Deleted != 1 || len(m.Fragments[1].Files) != 2 {
			t.Errorf("%d rows in %+v", m.Rows(), m.Fragments)
		}
		if len(m.Indexes) == 0 || m.Indexes[0].Name != "text_idx" || len(m.Indexes[0].Files) == 0 {
			t.Errorf("indexes %+v", m.Indexes)
		}
		if faults, err := m.Check(); err != nil || len(faults) > 0 {
			t.Errorf("a whole table: %v, %v", faults, err)
		}
	}
	if versions, err := List(t.TempDir()); err != nil || len(versions) > 0 {
		t.Errorf("no table: %v, %v", versions, err)
	}
}

func TestNothingTornIsRead(t *testing.T) {
	dir := table(t, Inverted)
	m := newest(t, dir)
	at := filepath.Join(dir, m.File)
	whole, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir, m.Version); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), m.File) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := range whole {
		// Cut, or a file whose length became durable and whose bytes did not.
		for _, data := range [][]byte{whole[:n], append(slices.Clone(whole[:n]), make([]byte, len(whole)-n)...)} {
			if err := (&Manifest{Version: m.Version}).parse(data); err == nil {
				t.Errorf("%d bytes of %d, the first %d as they were: read", len(data), len(whole), n)
			}
		}
	}
	try("cut", whole[:len(whole)-1])
	try("cut short", whole[:8])
	try("empty", nil)
	try("zeros", make([]byte, len(whole)))
	try("something behind it", append(slices.Clone(whole), 0))
	try("twice", append(slices.Clone(whole), whole...))
	if _, err := Read(dir, Version{Number: 99, File: "_versions/99.manifest"}); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestCheckNamesWhatIsDamaged(t *testing.T) {
	cut := func(by int) func([]byte) []byte {
		return func(b []byte) []byte { return b[:max(0, len(b)-by)] }
	}
	zero := func(b []byte) []byte { return make([]byte, len(b)) }
	// Everything but the footer and the tables of places is noise.
	scramble := func(b []byte) []byte {
		for i := range b[:len(b)-fileFooter-1] {
			b[i] ^= 0x5a
		}
		return b
	}
	gone := func([]byte) []byte { return nil }
	for _, c := range []struct {
		name   string
		file   func(*Manifest) string
		damage func([]byte) []byte
		words  string
	}{
		{"a data file cut", func(m *Manifest) string { return m.Fragments[1].Files[0].Path }, cut(1), "bytes instead of"},
		{"a data file empty", func(m *Manifest) string { return m.Fragments[0].Files[0].Path }, cut(1 << 20), "has 0 bytes"},
		{"a data file of zeros", func(m *Manifest) string { return m.Fragments[0].Files[0].Path }, zero, "does not end"},
		{"a data file gone", func(m *Manifest) string { return m.Fragments[2].Files[0].Path }, gone, "is missing"},
		{"a deletion file gone", func(m *Manifest) string { return m.Fragments[1].Files[1].Path }, gone, "is missing"},
		{"a deletion file cut", func(m *Manifest) string { return m.Fragments[1].Files[1].Path }, cut(9), "does not end"},
		{"a deletion file empty", func(m *Manifest) string { return m.Fragments[1].Files[1].Path }, cut(1 << 20), "its end is missing"},
		{"a data file scrambled", func(m *Manifest) string { return m.Fragments[0].Files[0].Path }, scramble, "where its contents lie"},
		{"an index file scrambled", func(m *Manifest) string { return m.Indexes[0].Files[1].Path }, scramble, "where its contents lie"},
		{"an index file gone", func(m *Manifest) string { return m.Indexes[0].Files[0].Path }, gone, "is missing"},
		{"an index file of zeros", func(m *Manifest) string { return m.Indexes[0].Files[1].Path }, zero, "does not end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := table(t, Inverted)
			m := newest(t, dir)
			at := filepath.Join(dir, c.file(m))
			data, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			if data = c.damage(data); data == nil {
				err = os.Remove(at)
			} else {
				err = os.WriteFile(at, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			faults, err := m.Check()
			if err != nil || len(faults) != 1 || faults[0].File != c.file(m) || !strings.Contains(faults[0].Problem, c.words) {
				t.Fatalf("%+v, %v", faults, err)
			}
			if f := faults[0]; f.OfFragment == (f.Index != "") {
				t.Errorf("it belongs to a fragment and to an index, or to neither: %+v", f)
			}
		})
	}
}

func TestWithoutKeepsEverythingElse(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 500, time.UTC)
	for _, scheme := range []Scheme{Plain, Inverted} {
		dir := table(t, scheme)
		m := newest(t, dir)
		before := files(t, dir)
		v, err := m.Without(Drop{Fragments: []uint64{1}}, 9, now)
		if err != nil || v.Number != 9 || v.Scheme != scheme {
			t.Fatalf("%+v, %v", v, err)
		}
		after := files(t, dir)
		for name, data := range before {
			if after[name] != data {
				t.Errorf("%s was changed", name)
			}
			delete(after, name)
		}
		if len(after) != 2 { // the manifest and its transaction
			t.Errorf("new files: %d", len(after))
		}
		got := newest(t, dir)
		if got.Number != 9 || len(got.Fragments) != 2 || got.Fragments[0].ID != 0 || got.Fragments[1].ID != 2 || got.Rows() != 6 {
			t.Errorf("version %d of %+v", got.Number, got.Fragments)
		}
		if !reflect.DeepEqual(m.Indexes, got.Indexes) {
			t.Errorf("indexes %+v, want %+v", got.Indexes, m.Indexes)
		}
		changed := []int{fieldVersion, fieldTimestamp, fieldTxnFile, fieldTxnSection, fieldIndexes}
		if diff := cmp.Diff(raw(m, append(changed, fieldFragments)), raw(got, append(changed, fieldFragments))); diff != "" {
			t.Errorf("other fields (-want +got)\n%s", diff)
		}
		if _, err := m.Without(Drop{Fragments: []uint64{0}}, 9, now); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a version that is there: %v", err)
		}
		if again := newest(t, dir); again.Rows() != 6 {
			t.Error("a version was overwritten")
		}
		if _, err := m.Without(Drop{}, 7, now); err == nil {
			t.Error("a version that does not come after its base was written")
		}
	}
}

func TestWithoutDropsAllPartsOfAnIndex(t *testing.T) {
	dir := table(t, Inverted)
	m := newest(t, dir)
	if _, err := m.Without(Drop{Indexes: []string{"text_idx"}}, 8, time.Now()); err != nil {
		t.Fatal(err)
	}
	if got := newest(t, dir); len(got.Indexes) != 0 || got.Rows() != 8 || len(got.Fragments) != 3 {
		t.Errorf("%d rows, indexes %+v", got.Rows(), got.Indexes)
	}
}

func TestWhatIsNotKnownIsNotWritten(t *testing.T) {
	for _, odd := range []field{
		{number: fieldWriterFlags, value: 1 << 40}, {number: fieldReaderFlags, value: 1 << 12}, {number: fieldFragmentTree, bytes: []byte{}},
	} {
		dir := table(t, Inverted)
		m := newest(t, dir)
		raw := []byte{}
		for _, f := range m.fields {
			raw = append(raw, f.raw...)
		}
		if odd.bytes != nil {
			raw = appendBytes(raw, odd.number, odd.bytes)
		} else {
			raw = append(raw, varint(odd.number, odd.value)...)
		}
		data := appendSection(nil, nil) // the indexes: none
		at := len(data)
		data = append(appendSection(data, raw), byte(at), 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
		if err := os.WriteFile(filepath.Join(dir, m.File), append(data, magic...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newest(t, dir).Without(Drop{Fragments: []uint64{1}}, 8, time.Now()); !errors.Is(err, ErrForeign) {
			t.Errorf("field %d = %#x: %v", odd.number, odd.value, err)
		}
		if versions, _ := List(dir); len(versions) != 7 {
			t.Errorf("%d versions", len(versions))
		}
	}
}

// raw is the message without some fields.
func raw(m *Manifest, without []int) (list []string) {
	for _, f := range m.fields {
		if !slices.Contains(without, int(f.number)) {
			list = append(list, string(f.raw))
		}
	}
	return list
}

// files is every file of a directory with its content.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		all[at] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
