package config

// Key is one setting as the manifest, the documentation and the parser know it.
type Key struct {
	// Path is dotted: "embedding.model".
	Path string
	// Type is boolean, integer, number, string, secret, list (of strings) or
	// object (kept as it is).
	Type string
	// Default is nil when absence has a meaning of its own.
	Default any
	// Min and Max bound numbers; what lies outside moves to the nearer one.
	Min, Max float64
	// ZeroToo allows 0 below Min, with the meaning Help gives it.
	ZeroToo bool
	// Exact refuses what lies outside instead: a vector width one off is no
	// better than one far off.
	Exact bool
	// Enum lists the allowed strings, if there are few.
	Enum []string
	// Label and Help are for the host's settings page and the documentation.
	Label, Help string
	Advanced    bool
	// Built says that something reads the key. The others are accepted, so that
	// a configuration written for the TypeScript plugin keeps working.
	Built bool
	// Moot says why this product does not need the key; NotBuilt leaves it out.
	Moot string
	// AliasOf is the key that replaces this older one. Where both are set, the
	// newer one counts.
	AliasOf string

	off string // the value that asks for nothing
	set func(c *Config, v any)
}

// Sensitive reports whether the value must not be shown.
func (k Key) Sensitive() bool { return k.Type == "secret" }

func flag(path string, def any) Key { return Key{Path: path, Type: "boolean", Default: def} }

func text(path string, def any, enum ...string) Key {
	return Key{Path: path, Type: "string", Default: def, Enum: enum}
}

func whole(path string, def any, low, high float64) Key {
	return Key{Path: path, Type: "integer", Default: def, Min: low, Max: high}
}

func number(path string, def any, low, high float64) Key {
	if whole, ok := def.(int); ok {
		def = float64(whole)
	}
	return Key{Path: path, Type: "number", Default: def, Min: low, Max: high}
}

func secret(path string) Key { return Key{Path: path, Type: "secret"} }

func list(path string, enum ...string) Key { return Key{Path: path, Type: "list", Enum: enum} }

func object(path string) Key { return Key{Path: path, Type: "object"} }

func (k Key) says(label, help string) Key {
	k.Label, k.Help = label, help
	return k
}

// advanced hides the key behind the settings page's "advanced".
func (k Key) advanced() Key {
	k.Advanced = true
	return k
}

func (k Key) zeroToo() Key {
	k.ZeroToo = true
	return k
}

func (k Key) exact() Key {
	k.Exact = true
	return k
}

func (k Key) moot(why string) Key {
	k.Moot, k.Advanced = why, true
	return k
}

// offAt names the value that switches the feature off, as it is written.
func (k Key) offAt(value string) Key {
	k.off = value
	return k
}

// older marks a name of an earlier version.
func (k Key) older(target string) Key {
	k.AliasOf, k.Built, k.Advanced = target, true, true
	return k
}

// reads says what the value does, which makes the key a built one.
func (k Key) reads(set func(c *Config, v any)) Key {
	k.set, k.Built = set, true
	return k
}

// at writes a value to a field of the same type.
func at[T any](field func(*Config) *T) func(*Config, any) {
	return func(c *Config, v any) { *field(c) = v.(T) }
}

// atOptional writes to a field that is nil while nothing is configured.
func atOptional[T any](field func(*Config) **T) func(*Config, any) {
	return func(c *Config, v any) { t := v.(T); *field(c) = &t }
}
