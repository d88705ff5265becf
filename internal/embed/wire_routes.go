package embed

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// routes are the paths of one server, of which it has some. Which ones is found by
// asking; all of them are on the host that was named, so a key goes nowhere else.
type routes struct {
	list []route
	// missing reports whether the server does not have the path that answered so.
	missing func(got []numbered, err error) bool
	// stays: once a path has given vectors, no other is asked.
	stays bool
	// beside are the paths asked besides the one that was written, for messages.
	beside string
	// works is the place of the path that worked last.
	works atomic.Int32
	found atomic.Bool
}

type route func(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error)

// send tries the path that worked last, and then the others if it is not there. What
// the first of them answered is told where all are missing: it is the one people wrote.
func (r *routes) send(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
	first := int(r.works.Load())
	if r.stays && r.found.Load() {
		return r.list[first](ctx, key, kind, texts)
	}
	var answer []numbered
	var failed error
	for i := range r.list {
		at := (first + i) % len(r.list)
		got, err := r.list[at](ctx, key, kind, texts)
		if r.missing(got, err) {
			if i == 0 {
				answer, failed = got, err
			}
			continue
		}
		if i > 0 && unanswered(err) {
			break
		}
		r.works.Store(int32(at))
		r.found.Store(err == nil)
		return got, err
	}
	return answer, failed
}

// unanswered reports whether a request failed without an answer.
func unanswered(err error) bool {
	var s *provider.StatusError
	return err != nil && !errors.As(err, &s) && !errors.Is(err, ErrBadVector) && !errors.Is(err, ErrRejected)
}

// noRoute tells a path the server does not have from a model it does not have.
func noRoute(err error) bool {
	var s *provider.StatusError
	if !errors.As(err, &s) {
		return false
	}
	return s.Status == http.StatusMethodNotAllowed || s.Status == http.StatusNotFound && !strings.Contains(strings.ToLower(s.Message), "model")
}

// version is the last part of an address that names the version of an API.
var version = regexp.MustCompile(`/v\d+[a-z0-9]*$`)

// newOpenAIWire speaks OpenAI's protocol. Documents of servers name their root as often
// as the path under it; so where no version ends the address, /v1 is looked for below,
// and TEI's own route, whose servers may have no other.
func newOpenAIWire(c common) wire {
	written := openaiWire{common: c, base: c.address.at("")}
	path := c.address.root.Path
	if c.address.kind != serverOpenAI || version.MatchString(path) || strings.Contains(path, "/openai") {
		return written
	}
	r := &routes{
		list:    []route{written.send, openaiWire{common: c, base: c.address.at("/v1")}.send},
		missing: noAPI, stays: true, beside: "/v1",
	}
	if c.hints.name == generic.name {
		below := *c.address.root
		below.Path += "/embed"
		native := teiWire{c}
		native.address.root = &below
		r.list, r.beside = append(r.list, native.send), "/v1 and /embed"
	}
	return r
}

// noAPI tells a path where OpenAI's protocol is not spoken: there is nothing, a page for
// people, an answer of another form, or one that says so with a status of success.
func noAPI(got []numbered, err error) bool {
	var said *provider.SaidError
	return err == nil && len(got) == 0 || noRoute(err) || errors.As(err, &said) || errors.Is(err, errForm)
}
