package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// refusal is an answer that says the request failed: cause, next step, and what
// the provider said.
type refusal struct {
	who, cause string
	status     *provider.StatusError
	all        *provider.ExhaustedError // nil unless there are several keys
	kind       error                    // ErrRejected or ErrUnavailable
	// texts: one of the texts may be the cause.
	texts bool
}

func (e *refusal) Error() string {
	said, all := "", ""
	if e.status.Message != "" {
		said = fmt.Sprintf(" (it said: %s)", e.status.Message)
	}
	if e.all != nil {
		all = fmt.Sprintf("; all %d keys exhausted", e.all.Keys)
	}
	return fmt.Sprintf("embedding with %s: %s%s: status %d%s: %v", e.who, e.cause, said, e.status.Status, all, e.kind)
}

func (e *refusal) Unwrap() []error { return []error{e.kind, e.status} }

// explain turns an error of a wire into cause and next step.
func (e *Remote) explain(ctx context.Context, err error) error {
	at := "embedding with " + e.name()
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", at, context.Canceled)
	}
	if errors.Is(err, ErrBadVector) || errors.Is(err, ErrRejected) {
		return fmt.Errorf("%s: %w", at, err)
	}
	var status *provider.StatusError
	if errors.As(err, &status) {
		return e.refusal(err, status)
	}
	var number *json.UnmarshalTypeError
	if errors.As(err, &number) {
		return fmt.Errorf("%s: where a number belongs, the answer has something else (%.40s): %w", at, number.Value, ErrBadVector)
	}
	cause := provider.Unreachable(err, "embedding.baseURL", "embedding.clientTimeoutMs", e.keys.Secrets()...)
	if cause == "" {
		cause = fmt.Sprintf("the server cannot be reached (%s); check embedding.baseURL and the network", provider.Public(err.Error(), e.keys.Secrets()...))
	}
	if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return fmt.Errorf("%s: %s: %w: %w", at, cause, ErrUnavailable, context.DeadlineExceeded)
	}
	return fmt.Errorf("%s: %s: %w", at, cause, ErrUnavailable)
}

// refusal chooses the next step for an answer that says no.
func (e *Remote) refusal(err error, status *provider.StatusError) error {
	r := &refusal{who: e.name(), status: status, kind: ErrRejected}
	errors.As(err, &r.all)
	code, lower := status.Status, strings.ToLower(status.Message)
	switch {
	case provider.UsedUp(status):
		// Waiting does not help, and what waits for its vector would wait unseen.
		r.cause = "the quota of the account is used up; pay for more, or configure another provider"
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		r.cause = "the provider refused the key; check embedding.apiKey and that it belongs to this endpoint"
	case code == http.StatusTooManyRequests:
		r.cause, r.kind = "the provider limits the rate; wait and try again, add another key to embedding.apiKey, or raise the plan", ErrUnavailable
	case code == http.StatusNotFound:
		r.cause = fmt.Sprintf("no model %q or no such address; check embedding.model against the provider's list, and embedding.baseURL", e.opts.Model)
		if w, several := e.wire.(*routes); several && w.beside != "" {
			r.cause += fmt.Sprintf(", which ends in /v1 with most servers (asked here: the address as it is, and with %s)", w.beside)
		}
		if e.address.kind == serverOllama && strings.Contains(lower, "model") {
			r.cause = fmt.Sprintf("the server does not have the model %q; fetch it: ollama pull %s", e.opts.Model, e.opts.Model)
		}
	case code != http.StatusInternalServerError && strings.Contains(lower, "dimension"):
		r.cause = e.dimensionsAdvice()
	case lengthy(code) && longWords.MatchString(lower):
		r.texts, r.cause = true, "the text is too long for the model; set embedding.maxInputChars to what it takes"
		if e.opts.Whole {
			r.cause += ", or embedding.chunking to true"
		}
	case code == http.StatusRequestTimeout || code >= 500:
		r.cause, r.kind = "the provider has a fault of its own; try again later", ErrUnavailable
	default:
		r.texts = code == http.StatusBadRequest || code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity
		r.cause = "the provider refused the request; check the embedding settings against its documentation"
		if e.opts.width() > 0 {
			r.cause += ", and try embedding.omitDimensions"
		}
	}
	return r
}

// dimensionsAdvice names the option that helps a provider which does not like the
// width asked for, or wants one.
func (e *Remote) dimensionsAdvice() string {
	if width := e.opts.width(); width > 0 {
		return fmt.Sprintf("the provider does not take a width of %d for this model; set embedding.omitDimensions to true, or correct embedding.requestDimensions", width)
	}
	return fmt.Sprintf("the provider wants to be told the width of its vectors; set embedding.requestDimensions to %d, and embedding.omitDimensions to false", e.width)
}

// lengthy are the statuses with which servers say that a text is too long: some
// local ones call it a fault of their own.
func lengthy(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError
}

var (
	longWords = regexp.MustCompile(`(?i)too long|too large to process|context (?:length|size|window)|maximum context|input length|` +
		`(?:exceed|longer than|larger than|less than|at most|maximum of|max\w* |limit)\D{0,60}\d*\s*(?:token|character)|` +
		`token\w*\D{0,40}(?:exceed|limit|maximum)|(?:text|input|prompt|content)\D{0,40}exceed`)
	batchWords = regexp.MustCompile(`(?i)batch|too many (?:inputs?|texts?|items?|documents?|requests? in)|array|` +
		`(?:at most|more than|maximum of|limit of|up to) \d+ (?:inputs?|texts?|items?|documents?|strings?)`)
)

// tooLong reports whether a failure of a request for n texts says that one of them
// is too long for the model.
func tooLong(err error, n int) bool {
	var r *refusal
	return errors.As(err, &r) && r.texts && longWords.MatchString(r.status.Message) && (n == 1 || !perRequest(r.status.Message))
}

// tooMany reports whether a failure says that there are too many texts in one
// request, or too much in all.
func tooMany(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.texts && (perRequest(r.status.Message) || r.status.Status == http.StatusRequestEntityTooLarge)
}

// perRequest tells the limits of a request from those of a text. llama.cpp calls
// its working memory for one text a physical batch.
func perRequest(message string) bool {
	return batchWords.MatchString(message) && !strings.Contains(message, "physical batch")
}
