package config

import (
	"fmt"
	"os"
	"strings"
	"unicode"
)

// secrets resolves a key that may be a string, a reference
// {"source": "env"|"file", "id": …}, or a list of those. Blank ones are
// dropped: they are what is left of an unset template.
func (p *parser) secrets(k Key, v any) ([]string, error) {
	key := k.Path
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	var out []string
	for i, item := range list {
		name := key
		if isList {
			name = fmt.Sprintf("%s[%d]", key, i)
		}
		s, err := p.secret(name, item)
		if err != nil {
			return nil, err
		}
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if strings.ContainsFunc(s, unicode.IsControl) {
			return nil, &KeyError{name, "a value with a line break or another control character", "a key on one line"}
		}
		out = append(out, s)
	}
	if isList && len(out) == 0 {
		return nil, &KeyError{key, "a list without a usable key", "at least one key"}
	}
	return out, nil
}

func (p *parser) secret(key string, v any) (string, error) {
	if s, ok := v.(string); ok {
		return p.expand(key, s)
	}
	ref, ok := v.(map[string]any)
	source, _ := ref["source"].(string)
	id, _ := ref["id"].(string)
	if !ok || id == "" || (source != "env" && source != "file") {
		return "", &KeyError{key, describeSecret(v, source), Key{Type: "secret"}.allowed()}
	}
	value, err := p.fetch(source, id)
	if err != nil {
		return "", fmt.Errorf("%s: resolving the secret (source %s, id %s): %w", key, source, id, err)
	}
	return value, nil
}

func (p *parser) fetch(source, id string) (string, error) {
	if source == "env" {
		v, ok := p.env.Lookup(id)
		if !ok || strings.TrimSpace(v) == "" {
			return "", fmt.Errorf("the environment variable is not set or empty; set it where the gateway runs")
		}
		return v, nil
	}
	path := p.env.absolute(id)
	if path == "" {
		return "", fmt.Errorf("HOME is not set; give the file an absolute path")
	}
	data, err := readSmall(path)
	if err != nil {
		return "", err
	}
	value := strings.TrimRight(string(data), " \t\r\n")
	if value == "" {
		return "", fmt.Errorf("the file is empty; write the key into it")
	}
	return value, nil
}

// maxSecret is far above any key and far below what hurts to read.
const maxSecret = 64 << 10

// readSmall reads a regular file: a pipe would wait for its writer.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSecret {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes; write the key alone into one", path, maxSecret)
	}
	return os.ReadFile(path)
}

// describeSecret never repeats a value, which may be the key itself.
func describeSecret(v any, source string) string {
	if source != "" && source != "env" && source != "file" {
		return fmt.Sprintf("a reference with source %q", source)
	}
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a reference without source or id"
	case []any:
		return "a list inside the list"
	default:
		return "a value of another type"
	}
}
