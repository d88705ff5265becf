package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// spelling is a text as it may lie in a file.
type spelling struct {
	name  string
	bytes []byte
}

// spellingsOf gives every form in which a text is looked for: as it is, in lower case
// (keys are made so), as UTF-16 in both orders, and escaped as JSON does it, also
// as JSON inside of JSON, which is how metadata lie in a file of rows.
func spellingsOf(texts []string) []spelling {
	var list []spelling
	seen := map[string]bool{}
	put := func(name string, b []byte) {
		if len(b) > 0 && !seen[string(b)] {
			seen[string(b)] = true
			list = append(list, spelling{name, b})
		}
	}
	for _, text := range texts {
		for _, t := range []string{text, strings.ToLower(text)} {
			put("as it is", []byte(t))
			put("as UTF-16", wide(t, binary.LittleEndian))
			put("as UTF-16", wide(t, binary.BigEndian))
			for _, html := range []bool{false, true} {
				once := escaped(t, html)
				put("escaped as JSON", []byte(once))
				put("escaped as JSON", []byte(escaped(once, html)))
				plain := asciiOnly(once)
				put("escaped as JSON", []byte(plain))
				put("escaped as JSON", []byte(escaped(plain, html)))
			}
		}
	}
	return list
}

func wide(s string, order binary.ByteOrder) []byte {
	units := utf16.Encode([]rune(s))
	b := make([]byte, 2*len(units))
	for i, u := range units {
		order.PutUint16(b[2*i:], u)
	}
	return b
}

// escaped is a text inside the quotes of a JSON string.
func escaped(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(s) != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// asciiOnly escapes everything else, as some programs do.
func asciiOnly(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// scanned is what looking through files gave.
type scanned struct {
	paths []string
	bytes int64
	found []EraseFinding
	left  []string
}

// scanTree looks for the forms in every file of a directory, or in a file. What
// goes away meanwhile holds nothing.
func (s *scanned) scanTree(ctx context.Context, root string, forms []spelling) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			s.left = append(s.left, fmt.Sprintf("%s could not be looked into: %v", path, err))
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		switch err := s.scanFile(ctx, path, forms); {
		case err == nil, errors.Is(err, fs.ErrNotExist):
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			s.left = append(s.left, fmt.Sprintf("%s could not be looked into: %v", path, err))
		}
		return nil
	})
}

const scanWindow = 1 << 20

func (s *scanned) scanFile(ctx context.Context, path string, forms []spelling) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.paths = append(s.paths, path)
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		unpacked, err := gzip.NewReader(f)
		if err != nil {
			return err
		}
		in = unpacked
	}
	offset, form, n, err := find(ctx, in, forms)
	s.bytes += n
	if err == nil && form != "" {
		s.found = append(s.found, EraseFinding{Path: path, Offset: offset, Form: form})
	}
	return err
}

// find returns the first place of any form, and how much was read. Forms may lie
// across the borders of what is read at once.
func find(ctx context.Context, in io.Reader, forms []spelling) (offset int64, name string, read int64, err error) {
	longest := 1
	for _, f := range forms {
		longest = max(longest, len(f.bytes))
	}
	buf := make([]byte, 0, scanWindow+longest)
	for {
		if ctx.Err() != nil {
			return 0, "", read, ctx.Err()
		}
		n, err := io.ReadFull(in, buf[len(buf):cap(buf)])
		start := read - int64(len(buf))
		buf = buf[:len(buf)+n]
		read += int64(n)
		i, name := firstOf(buf, forms)
		switch {
		case name != "":
			return start + int64(i), name, read, nil
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return 0, "", read, nil
		case err != nil:
			return 0, "", read, err
		}
		buf = buf[:copy(buf, buf[len(buf)-min(len(buf), longest-1):])]
	}
}

// firstOf returns where the first of the forms lies, and its name; "" for none.
func firstOf(b []byte, forms []spelling) (at int, name string) {
	for _, f := range forms {
		if i := bytes.Index(b, f.bytes); i >= 0 && (name == "" || i < at) {
			at, name = i, f.name
		}
	}
	return at, name
}
