package config

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// placeholder is what "${NAME}" looks like in a string.
	placeholder = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	// shorthand is a whole value "$NAME", which the host understands for secrets.
	shorthand = regexp.MustCompile(`^\$([A-Z][A-Z0-9_]*)$`)
)

// expand replaces placeholders. A "$" inside a text is just a "$". What looks
// like a placeholder afterwards is an error: it would be sent somewhere as it is.
func (p *parser) expand(key, s string) (string, error) {
	var missing string
	look := func(name string) string {
		v, ok := p.env.Lookup(name)
		if (!ok || v == "") && missing == "" {
			missing = name
		}
		return v
	}
	var out string
	if m := shorthand.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		out = look(m[1])
	} else {
		out = placeholder.ReplaceAllStringFunc(s, func(m string) string { return look(m[2 : len(m)-1]) })
	}
	if missing != "" {
		return "", fmt.Errorf("%s: the environment variable %s is not set or empty; set it where the gateway runs, or write the value itself", key, missing)
	}
	if strings.Contains(out, "${") {
		return "", fmt.Errorf("%s: holds a ${…} that names no environment variable; write ${NAME} with letters, digits and _", key)
	}
	return out, nil
}
