package provider

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestRedact(t *testing.T) {
	const text = "Mara's blood pressure was 180 to 110 on Monday, says Dr. Ødegård"
	for said, want := range map[string]string{
		"too long: " + text:                    "too long: [text]",
		"cannot read '" + text[:40] + "' at 3": "cannot read '[text]' at 3",
		"twice " + text + " and " + text:       "twice [text] and [text]",
		`not in the list: "tea"`:               `not in the list: "[text]"`,
		"tea is no model":                      "tea is no model", // words of its own
		"the model is blood pressure":          "the model is blood pressure",
		"bad key k-1":                          "bad key [key]",
		"spaces do not hide " + strings.ReplaceAll(text, " ", "\n "): "spaces do not hide [text]",
		"": "",
	} {
		err := &StatusError{Status: 422, Message: said}
		if got := Redact(err, []string{"k-1"}, "tea", text, "").Error(); !strings.HasSuffix(got, " (it said: "+want+")") && want != "" {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
	inside := errors.New("unusable")
	err := Redact(&SaidError{What: "no list", Said: text + " sk-0123456789", Err: inside}, nil, text)
	if err.Error() != "no list (it said: [text] [key]): unusable" || !errors.Is(err, inside) {
		t.Error(err)
	}
	if err := Redact(&SaidError{What: "no list", Err: inside}, nil, text); err.Error() != "no list: unusable" {
		t.Error(err)
	}
	if err := Redact(inside, nil, text); err != inside || Redact(nil, nil) != nil {
		t.Error(err)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("invalid input: what was Mara's blood pressure on Monday", "what was Mara's blood pressure on Monday")
	f.Add("支支支支支支支支支支支支", "支支支支支支支支支")
	f.Fuzz(func(t *testing.T, said, text string) {
		err := &StatusError{Message: said}
		_ = Redact(err, nil, text)
		if !utf8.ValidString(err.Message) || strings.ContainsAny(err.Message, "\n\r\x00\x1b") {
			t.Fatalf("%q", err.Message)
		}
		if text = oneLine(text); len(text) >= echoBytes && strings.Contains(err.Message, text) {
			t.Fatalf("%q still says %q", err.Message, text)
		}
	})
}

// What a server says is looked at by patterns, which nobody can stop; so little of it.
func TestWordsWithoutEndTakeNoTime(t *testing.T) {
	begun := time.Now()
	for _, many := range []string{"sk-*", "a*", "key: ", "://", `{"a":`, "\x01"} {
		body := strings.Repeat(many, (4<<20)/len(many))
		if s := CheckStatus(&http.Response{StatusCode: 500, Header: http.Header{}}, []byte(body), begun, "0123456789").Error(); len(s) > 2000 {
			t.Errorf("%d bytes", len(s))
		}
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}

// No half of a key comes out where a message is cut.
func TestNoHalfOfAKey(t *testing.T) {
	const key = "0a1b2c3d4e5f60718293a4b5"
	for n := range 40 {
		body := strings.Repeat("\x01 ", (mostWords-n)/2) + key + " is wrong"
		if s := Public(body); strings.Contains(s, key[:6]) && !strings.Contains(s, key) {
			t.Fatalf("%d: %q", n, s)
		}
		if s := Public(body, key); strings.Contains(s, key[:6]) {
			t.Fatalf("%d: %q", n, s)
		}
	}
}
