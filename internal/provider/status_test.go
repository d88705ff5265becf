package provider

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header, value string
		want          time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second}, {"Retry-After", " 0.5 ", 500 * time.Millisecond},
		{"Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		{"Retry-After", now.Add(-time.Minute).Format(http.TimeFormat), 0},
		{"Retry-After", now.AddDate(1, 0, 0).Format(http.TimeFormat), time.Hour}, {"Retry-After", "1e300", time.Hour},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"Retry-After", "soon", 0}, {"Retry-After", "-3", 0}, {"Retry-After", "NaN", 0}, {"X", "", 0},
	} {
		if got := RetryAfter(http.Header{c.header: {c.value}}, now); got != c.want {
			t.Errorf("%s: %q = %s, want %s", c.header, c.value, got, c.want)
		}
	}
}

func TestCheckStatus(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"fine", 200, "anything", ""},
		{"message", 400, `{"error":{"message":"bad field","code":"invalid"}}`, "status 400 Bad Request (it said: bad field [invalid])"},
		{"text", 401, `{"error":"no such key: secret-key-1"}`, "status 401 Unauthorized (it said: no such key: [key])"},
		{"detail", 422, `{"detail":"wrong"}`, "status 422 Unprocessable Entity (it said: wrong)"},
		{"a page", 502, "<html>…", "status 502 Bad Gateway"},
		{"words", 503, "busy\nnow", "status 503 Service Unavailable (it said: busy now)"},
		{"nothing", 529, "", "status 529"},
		{"elsewhere", 302, "", "status 302 Found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckStatus(&http.Response{StatusCode: c.status, Header: http.Header{}}, []byte(c.body), time.Now(), "secret-key-1")
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAdviceNamesTheSetting(t *testing.T) {
	for status, want := range map[int]string{
		401: "x.apiKey", 403: "x.apiKey", 402: "quota", 404: "x.model", 405: "x.endpoint", 429: "limits the rate", 408: "asked again", 500: "asked again", 301: "x.endpoint", 400: "x.model",
	} {
		if got := (&StatusError{Status: status}).Advice("x.apiKey", "x.endpoint", "x.model"); !strings.Contains(got, want) {
			t.Errorf("%d: %q", status, got)
		}
	}
	if got := (&StatusError{Status: 429, Message: "You exceeded your current quota"}).Advice("", "", ""); !strings.Contains(got, "quota of the account") {
		t.Error(got)
	}
}

func TestPublicHidesKeys(t *testing.T) {
	for in, want := range map[string]string{
		"wrong key my key":   "wrong key my key",
		"wrong key k1 given": "wrong key [key] given",
		"Incorrect API key provided: sk-abc***************xyz": "Incorrect API key provided: [key]",
		"Incorrect: sk-proj-0123456789abcdef":                  "Incorrect: [key]",
		"got Bearer 0123456789abcdefgh":                        "got Bearer [key]",
		`{"api_key": "0123456789abcdefgh"}`:                    `{"api_key": "[key]"}`,
		"dial https://me:pass@host/x?key=0123456789abcdefgh":   "dial https://host/x?key=[key]",
		"a\x1b[31m\r\nb \xff":                                  "a [31m b",
		strings.Repeat("支", 300):                               strings.Repeat("支", 199) + "…",
		strings.Repeat("支", 200):                               strings.Repeat("支", 200),
	} {
		if got := Public(in, "k1", " "); got != want || utf8.RuneCountInString(got) > 200 {
			t.Errorf("Public(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzPublic(f *testing.F) {
	f.Add("key sk-0123456789abcdef", "0123456789abcdef")
	f.Add("\xff\x00", "x")
	f.Fuzz(func(t *testing.T, text, secret string) {
		got := Public(text, secret)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 200 || strings.ContainsAny(got, "\n\r\x00\x1b") {
			t.Fatalf("%q", got)
		}
	})
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		err                      error
		limited, refused, usedUp bool
	}{
		{errors.New("x"), false, false, false}, {nil, false, false, false},
		{&StatusError{Status: 429}, true, false, false}, {&StatusError{Status: 503}, true, false, false}, {&StatusError{Status: 402}, true, false, true},
		{&StatusError{Status: 500}, false, false, false}, {&StatusError{Status: 401}, false, true, false},
		{&StatusError{Status: 403, Message: "Quota exceeded for project"}, true, true, true},
		{&StatusError{Status: 429, Message: "code insufficient_quota"}, true, false, true},
	} {
		if l, r, u := Limited(c.err), Refused(c.err), UsedUp(c.err); l != c.limited || r != c.refused || u != c.usedUp {
			t.Errorf("%v: %t %t %t", c.err, l, r, u)
		}
	}
}
