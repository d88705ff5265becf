package lance

import (
	"regexp"
	"strings"
)

// What object storage answers reaches us as the debugging text of several
// libraries around the answer itself, and an answer about a wrong signature
// repeats the whole request, a session token included.
var (
	answerCode    = regexp.MustCompile(`<Code>([^<]*)</Code>`)
	answerMessage = regexp.MustCompile(`<Message>([^<]*)</Message>`)
	noConnection  = regexp.MustCompile(`ConnectError\("[^"]*", ([^,]+), Os \{[^}]*message: \\?"([^"\\]*)`)
	wherefrom     = regexp.MustCompile(`uri: Some\((https?://[^/\s)]+)`)
	statusOnly    = regexp.MustCompile(`inner: Status \{ status: (\d{3})`)
)

// remoteMessage shortens an error of object storage to what the storage said.
// Other messages stay as they are.
func remoteMessage(message string) string {
	if !strings.Contains(message, `store: "S3"`) && !strings.Contains(message, "Generic S3 error") && !strings.Contains(message, "<Error>") {
		return message
	}
	at := ""
	if m := wherefrom.FindStringSubmatch(message); m != nil {
		at = " at " + m[1]
	}
	if m := answerCode.FindStringSubmatch(message); m != nil {
		said := m[1]
		if m := answerMessage.FindStringSubmatch(message); m != nil && m[1] != "" {
			said += ": " + m[1]
		}
		return "the object storage" + at + " answers " + said
	}
	if m := noConnection.FindStringSubmatch(message); m != nil {
		return "the object storage" + at + " does not answer: " + m[2]
	}
	switch {
	case strings.Contains(message, "BadScheme"):
		return "the object storage" + at + " is addressed without TLS, which allow_http does not allow"
	case strings.Contains(message, "kind: Timeout"):
		return "the object storage" + at + " does not answer in time"
	}
	if m := statusOnly.FindStringSubmatch(message); m != nil {
		return "the object storage" + at + " answers with status " + m[1]
	}
	if i := strings.Index(message, "<Error>"); i >= 0 {
		message = message[:i]
	}
	return message
}
