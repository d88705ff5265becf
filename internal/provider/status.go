package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// StatusError is an answer that says the request failed.
type StatusError struct {
	Status int
	// Message is what the provider said, made fit to be shown (see Public).
	Message string
	// RetryAfter is how long it asks to be left alone; 0 if it does not say.
	RetryAfter time.Duration
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("status %d", e.Status)
	if text := http.StatusText(e.Status); text != "" {
		s += " " + text
	}
	if e.Message != "" {
		s += fmt.Sprintf(" (it said: %s)", e.Message)
	}
	if e.RetryAfter > 0 {
		s += fmt.Sprintf("; it asks to wait %s", e.RetryAfter.Round(time.Second))
	}
	return s
}

// CheckStatus gives a *StatusError for an answer that is no success, from its
// status, its headers and its body. The secrets are taken out of what it said.
func CheckStatus(res *http.Response, body []byte, now time.Time, secrets ...string) error {
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return nil
	}
	return &StatusError{
		Status:     res.StatusCode,
		Message:    Public(said(body), secrets...),
		RetryAfter: RetryAfter(res.Header, now),
	}
}

// longestRest bounds what a provider may ask for: a wrong header must not switch
// it off for a day.
const longestRest = time.Hour

// RetryAfter reads the header of that name, in seconds or as a date, and the
// millisecond form some providers send beside it. 0 is none or unreadable.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return rest(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return rest(seconds)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return min(at.Sub(now), longestRest)
	}
	return 0
}

func rest(seconds float64) time.Duration {
	return time.Duration(min(seconds, longestRest.Seconds()) * float64(time.Second))
}

// said finds the provider's words in the shapes that are in use: {"error":
// {"message"}}, {"error": "…"}, {"message"}, {"detail"}; else the body itself.
func said(body []byte) string {
	var answer map[string]json.RawMessage
	if json.Unmarshal(body, &answer) != nil {
		if trimmed := strings.TrimSpace(string(body)); !strings.HasPrefix(trimmed, "<") {
			return trimmed
		}
		return "" // a page of a gateway says nothing in its first line
	}
	for _, name := range []string{"error", "message", "detail", "msg"} {
		raw, ok := answer[name]
		if !ok {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		var inner struct {
			Message string `json:"message"`
			Code    any    `json:"code"`
			Type    string `json:"type"`
		}
		if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
			if code, ok := inner.Code.(string); ok && code != "" {
				return inner.Message + " [" + code + "]"
			}
			return inner.Message
		}
		return complaints(raw)
	}
	return complaints(body)
}

// complaints are the words of a list of faults, as servers give them that check their
// input: [{"loc": […], "msg": "…", "input": …}]. The input is what we sent, and no
// news. Any other form is shown as it is, without escapes.
func complaints(raw []byte) string {
	var list []struct {
		Msg string `json:"msg"`
	}
	var said []string
	if json.Unmarshal(raw, &list) == nil {
		for _, fault := range list {
			if fault.Msg != "" && !slices.Contains(said, fault.Msg) {
				said = append(said, fault.Msg)
			}
		}
	}
	if len(said) > 0 {
		return strings.Join(said, "; ")
	}
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	var value any
	if json.Unmarshal(raw, &value) != nil || enc.Encode(value) != nil {
		return string(raw)
	}
	return strings.TrimSpace(plain.String())
}

// Limited reports whether err says that a key is limited for now or used up, so
// that another key may do.
func Limited(err error) bool {
	var s *StatusError
	if !errors.As(err, &s) {
		return false
	}
	switch s.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusPaymentRequired, 529:
		return true
	}
	return s.Status >= 400 && UsedUp(err)
}

// UsedUp reports whether err says that an account has no quota left: waiting
// does not help.
func UsedUp(err error) bool {
	var s *StatusError
	if !errors.As(err, &s) {
		return false
	}
	lower := strings.ToLower(s.Message)
	return s.Status == http.StatusPaymentRequired || strings.Contains(lower, "insufficient_quota") ||
		strings.Contains(lower, "insufficient quota") || strings.Contains(lower, "insufficient balance") ||
		strings.Contains(lower, "quota exceeded") || strings.Contains(lower, "exceeded your current quota")
}

// Refused reports whether err says that a key is not valid.
func Refused(err error) bool {
	var s *StatusError
	return errors.As(err, &s) && (s.Status == http.StatusUnauthorized || s.Status == http.StatusForbidden)
}

// Advice is the next step after an answer of this status. key names the setting
// that holds the key, address the one that holds the endpoint, model the one
// that holds the model.
func (e *StatusError) Advice(key, address, model string) string {
	switch {
	case UsedUp(e):
		return "the quota of the account is used up; pay for more, or configure another provider"
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return fmt.Sprintf("the provider refused the key; check %s and that it belongs to this endpoint", key)
	case e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed:
		return fmt.Sprintf("no such address or model; check %s and %s against the provider's documentation", address, model)
	case e.Status == http.StatusTooManyRequests:
		return "the provider limits the rate; wait, add another key, or raise the plan"
	case e.Status == http.StatusRequestTimeout || e.Status >= 500:
		return "the provider has a fault of its own; it is asked again later"
	case e.Status >= 300 && e.Status < 400:
		return fmt.Sprintf("the server sends the request elsewhere; correct %s", address)
	}
	return fmt.Sprintf("the provider refused the request; check %s and %s against its documentation", model, address)
}
