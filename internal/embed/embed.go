// Package embed turns text into vectors. Local runs the model inside the program;
// Remote asks a server over HTTP.
//
// Concepts. A question and a stored text may be embedded differently (hints,
// prefixes), so there are two kinds of calls. What a family of providers wants
// in a request is a row of a table (profile.go); how it is sent and answered is a
// wire (wire.go): the protocol of OpenAI, which most speak, or a native one.
// Every vector is checked before it leaves: the right width, finite, not all
// zero; a broken one is an error and never a row. Errors name the cause and the
// next step, and wrap one of the sentinels in errors.go.
//
// A text too long for the model is split (split.go, code.go), its parts are
// embedded apart and averaged (long.go). Of many texts at once only those that
// cannot be embedded are missing from the answer (batch.go). Vectors are kept in
// memory and, if a directory is given, on disk (cache.go, disk.go), under hashes.
//
// Caveats: nothing is retried later here; the caller knows how much time is left.
// There is never another model than the configured one.
package embed

// Kind says what a text is embedded for.
type Kind string

// The kinds.
const (
	Query   Kind = "query"
	Passage Kind = "passage"
)
