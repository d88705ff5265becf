package host

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Edit is one change.
type Edit struct {
	// Path leads to the value. Objects on the way are made where they are missing.
	Path []string
	// Value is what it becomes: a string, a boolean or a number.
	Value any
	// Append adds Value to the array at Path instead.
	Append bool
	// Remove takes the member away, or, with Append, the element from the array.
	Remove bool
}

// CannotError says why the file is not edited.
type CannotError struct{ Path, Problem string }

func (e *CannotError) Error() string {
	return fmt.Sprintf("editing %s: %s", e.Path, e.Problem)
}

// Apply returns the text with the edits made. Edits that change nothing are fine.
func (f *File) Apply(edits []Edit) ([]byte, error) {
	text := string(f.Text)
	if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		text = "{}\n"
	}
	want := clone(f.root)
	for _, e := range edits {
		if key, found := include(f.root, e.Path); found {
			return nil, &CannotError{f.Path, fmt.Sprintf("%q is split over several files with $include", key)}
		}
		after, err := e.apply(text)
		if err == nil {
			err = e.expect(want)
		}
		if err != nil {
			return nil, &CannotError{f.Path, fmt.Sprintf("%s: %v", strings.Join(e.Path, "."), err)}
		}
		text = after
	}
	got, err := decode([]byte(text))
	if err != nil || !reflect.DeepEqual(got, want) {
		return nil, &CannotError{f.Path, "its form is too unusual for a change that is sure to leave the rest alone"}
	}
	return []byte(text), nil
}

// include finds an object on the way whose content is in another file.
func include(root any, path []string) (string, bool) {
	for i := 0; i <= len(path); i++ {
		at, ok := get(root, path[:i])
		if object, isObject := at.(map[string]any); ok && isObject {
			if _, split := object["$include"]; split {
				return strings.Join(path[:i], "."), true
			}
		}
	}
	return "", false
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = clone(value)
		}
		return out
	}
	return v
}

// expect makes the same change to decoded values.
func (e Edit) expect(root any) error {
	last := len(e.Path) - 1
	at, ok := root.(map[string]any)
	for _, key := range e.Path[:last] {
		if !ok {
			break
		}
		next, there := at[key]
		if !there {
			if e.Remove {
				return nil
			}
			next = map[string]any{}
			at[key] = next
		}
		at, ok = next.(map[string]any)
	}
	if !ok {
		return fmt.Errorf("something on the way to it is no object")
	}
	key := e.Path[last]
	list, _ := at[key].([]any)
	switch {
	case e.Append && e.Remove:
		if i := slices.Index(list, e.Value); i >= 0 {
			at[key] = slices.Delete(list, i, i+1)
		}
	case e.Append:
		if list == nil && at[key] != nil {
			return fmt.Errorf("it is no list")
		}
		if !slices.Contains(list, e.Value) {
			at[key] = append(list, e.Value)
		}
	case e.Remove:
		delete(at, key)
	default:
		at[key] = e.Value
	}
	return nil
}

// apply makes the change in the text.
func (e Edit) apply(text string) (string, error) {
	root, err := scan(text)
	if err != nil {
		return "", err
	}
	at, depth := root, 0
	for ; depth < len(e.Path); depth++ {
		if at.kind != '{' {
			return "", fmt.Errorf("something on the way to it is no object")
		}
		i, ok := at.child(e.Path[depth])
		if !ok {
			break
		}
		if depth == len(e.Path)-1 && !e.Append {
			if e.Remove {
				return remove(text, at, i), nil
			}
			return replaceValue(text, at.members[i].value, e.Value), nil
		}
		at = at.members[i].value
	}
	w := writer{text: text}
	switch {
	case depth < len(e.Path) && e.Remove:
		return text, nil
	case depth < len(e.Path):
		value := e.Value
		if e.Append {
			value = []any{value}
		}
		for i := len(e.Path) - 1; i > depth; i-- {
			value = map[string]any{e.Path[i]: value}
		}
		return w.insert(at, e.Path[depth], value), nil
	case at.kind != '[':
		return "", fmt.Errorf("it is no list")
	}
	for i, m := range at.members {
		var value any
		if v, err := decode([]byte(text[m.value.start:m.value.end])); err == nil {
			value = v
		}
		if value == e.Value {
			if e.Remove {
				return remove(text, at, i), nil
			}
			return text, nil
		}
	}
	if e.Remove {
		return text, nil
	}
	return w.insert(at, "", e.Value), nil
}

func replaceValue(text string, old node, value any) string {
	if v, err := decode([]byte(text[old.start:old.end])); err == nil && reflect.DeepEqual(v, value) {
		return text // however it is spelt
	}
	return text[:old.start] + (writer{text: text}).scalar(value) + text[old.end:]
}

// Commands are the host's own way to the same changes.
func (f *File) Commands(edits []Edit) []string {
	var list []string
	for _, e := range edits {
		path := strings.Join(e.Path, ".")
		switch {
		case e.Append:
			now, _ := f.Get(e.Path...)
			array, _ := now.([]any)
			array = slices.Clone(array)
			if i := slices.Index(array, e.Value); i >= 0 && e.Remove {
				array = slices.Delete(array, i, i+1)
			} else if i < 0 && !e.Remove {
				array = append(array, e.Value)
			}
			value, _ := json.Marshal(array) // came out of JSON
			list = append(list, fmt.Sprintf("openclaw config set %s '%s' --strict-json", path, strings.ReplaceAll(string(value), "'", `'\''`)))
		case e.Remove:
			list = append(list, "openclaw config unset "+path)
		default:
			list = append(list, fmt.Sprintf("openclaw config set %s %v", path, e.Value))
		}
	}
	return list
}
