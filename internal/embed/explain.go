package embed

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"

	openai "github.com/sashabaranov/go-openai"
)

// explain turns an error of the client into cause and next step.
func (e *OpenAI) explain(ctx context.Context, err error) error {
	at := "embedding with " + e.name()
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", at, context.Canceled)
	}
	if errors.Is(err, ErrBadVector) || errors.Is(err, ErrRejected) {
		return fmt.Errorf("%s: %w", at, err)
	}
	if status, message, code := statusOf(err); status != 0 {
		return e.explainStatus(status, e.public(message), code)
	}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var timeout interface{ Timeout() bool }
	var number *json.UnmarshalTypeError
	switch {
	case errors.As(err, &number):
		return fmt.Errorf("%s: the answer holds a %s where a number belongs: %w", at, number.Value, ErrBadVector)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout() && !errors.As(err, &dns):
		return fmt.Errorf("%s: no answer within the time limit; check that the server is well, or raise embedding.clientTimeoutMs: %w: %w", at, ErrUnavailable, context.DeadlineExceeded)
	case errors.As(err, &cert):
		return fmt.Errorf("%s: its certificate is not trusted (%v); install the issuer's certificate, or name its file in SSL_CERT_FILE: %w", at, cert.Err, ErrUnavailable)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s: nothing listens there (connection refused); start the server or correct embedding.baseURL: %w", at, ErrUnavailable)
	case errors.As(err, &dns):
		return fmt.Errorf("%s: the host name cannot be resolved; correct embedding.baseURL or check the network: %w", at, ErrUnavailable)
	}
	return fmt.Errorf("%s: the server cannot be reached (%s); check embedding.baseURL and the network: %w", at, e.public(err.Error()), ErrUnavailable)
}

// statusOf finds the HTTP status, the server's own words and its code for the
// failure.
func statusOf(err error) (status int, message, code string) {
	var api *openai.APIError
	if errors.As(err, &api) {
		code, _ = api.Code.(string)
		return api.HTTPStatusCode, api.Message, strings.ToLower(code + " " + api.Type)
	}
	var req *openai.RequestError
	if errors.As(err, &req) {
		return req.HTTPStatusCode, string(req.Body), ""
	}
	return 0, "", ""
}

func (e *OpenAI) explainStatus(status int, message, code string) error {
	lower := strings.ToLower(message)
	cause, kind := "", ErrRejected
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		cause = "the provider refused the key; check embedding.apiKey and that it belongs to this endpoint"
	case status == http.StatusPaymentRequired,
		status == http.StatusTooManyRequests && (strings.Contains(code, "insufficient_quota") || strings.Contains(lower, "insufficient_quota")):
		// Waiting does not help, and what waits for its vector would wait unseen.
		cause = "the quota of the account is used up; pay for more, or configure another provider"
	case status == http.StatusNotFound:
		cause = fmt.Sprintf("no model %q or no such address; check embedding.model against the provider's list, and embedding.baseURL", e.opts.Model)
	case status == http.StatusTooManyRequests:
		cause, kind = "the provider limits the rate; wait and try again, or raise the plan", ErrUnavailable
	case status == http.StatusRequestTimeout || status >= 500:
		cause, kind = "the provider has a fault of its own; try again later", ErrUnavailable
	case strings.Contains(lower, "dimension"):
		cause = "the provider does not take a dimensions field of this kind; set embedding.omitDimensions to true or correct embedding.requestDimensions"
	case status == http.StatusRequestEntityTooLarge || strings.Contains(lower, "too long") || strings.Contains(lower, "context length") || strings.Contains(lower, "maximum context") || strings.Contains(lower, "exceed"):
		cause = "the text is too long for the model; set embedding.maxInputChars to what it takes"
	default:
		cause = "the provider refused the request; check the embedding settings against its documentation"
	}
	if message != "" {
		message = fmt.Sprintf(" (it said: %s)", message)
	}
	return fmt.Errorf("embedding with %s: %s%s: status %d: %w", e.name(), cause, message, status, kind)
}

// keyLike are words that look like keys, whole or with their middle hidden.
var keyLike = regexp.MustCompile(`\b(?:sk|pk|rk|key|jina|pa|gsk|AIza)[-_]?[A-Za-z0-9_-]*[*•…]+[A-Za-z0-9_*-]*|\b(?:sk|pk|rk|jina|gsk)[-_][A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{10,}|[A-Za-z0-9_-]*\*{3,}[A-Za-z0-9_-]*`)

// public makes a server's words fit to be shown and logged: one line, short,
// without the key.
func (e *OpenAI) public(message string) string {
	if e.opts.APIKey != "" {
		message = strings.ReplaceAll(message, e.opts.APIKey, "[key]")
	}
	// Some quote the key back with stars in it, or another one's.
	message = keyLike.ReplaceAllString(message, "[key]")
	message = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7F {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(message, ""))), " ")
	if runes := []rune(message); len(runes) > 200 {
		message = string(runes[:199]) + "…"
	}
	return message
}
