package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"unicode"
)

// publicRunes is how much of a provider's words is shown.
const publicRunes = 200

var (
	// keyLike are words that look like keys, whole or with their middle hidden.
	keyLike = regexp.MustCompile(`\b(?:sk|pk|rk|key|jina|pa|pcsk|gsk|hf|nvapi|xai|AIza)[-_]?[A-Za-z0-9_-]*[*•…]+[A-Za-z0-9_*-]*|\b(?:sk|pk|rk|jina|pa|pcsk|gsk|hf|nvapi|xai)[-_][A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{10,}|[A-Za-z0-9_-]*\*{3,}[A-Za-z0-9_-]*`)
	// keyNamed is a value that stands where a key does.
	keyNamed = regexp.MustCompile(`(?i)\b(bearer|api[-_]?key|key|token|password|secret)(["']?\s*[:=]\s*["']?|\s+)([A-Za-z0-9+/_.~-]{16,}=*)`)
	// userinfo is a name and password in an address.
	userinfo = regexp.MustCompile(`://[^/@\s"']+@`)
)

// Public makes a server's words fit to be shown and logged: one line, short,
// without the secrets given and without what looks like one.
func Public(message string, secrets ...string) string {
	for _, s := range secrets {
		if s = strings.TrimSpace(s); s != "" {
			message = strings.ReplaceAll(message, s, "[key]")
		}
	}
	message = clip(message)
	message = userinfo.ReplaceAllString(message, "://")
	message = keyLike.ReplaceAllString(message, "[key]")
	message = keyNamed.ReplaceAllString(message, "$1$2[key]")
	message = oneLine(message)
	n := 0
	for i := range message {
		if n++; n == publicRunes {
			if rest := message[i:]; len([]rune(rest)) > 1 {
				return message[:i] + "…"
			}
			break
		}
	}
	return message
}

// mostWords is what is looked at of a message, in bytes: patterns take their time,
// and nobody can stop them.
const mostWords = 4096

// clip is the beginning of a message. A word that would be cut goes whole: half a
// key looks like none.
func clip(message string) string {
	if len(message) <= mostWords {
		return message
	}
	message = message[:mostWords]
	return message[:strings.LastIndexAny(message, " \t\r\n")+1]
}

// oneLine is a text without control characters, its spaces as one each.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// Unreachable says in words why a request got no answer, and what to do; "" for
// an error of another kind. address names the setting that holds the endpoint,
// wait the one that holds the time limit, "" if there is none. Of what a server said
// only as much is shown as Public shows of it.
func Unreachable(err error, address, wait string, secrets ...string) string {
	var (
		dns      *net.DNSError
		cert     *tls.CertificateVerificationError
		trust    *trustError
		redirect *RedirectError
		timeout  interface{ Timeout() bool }
		op       *net.OpError
		header   tls.RecordHeaderError
		request  *url.Error
	)
	switch {
	case errors.As(err, &redirect):
		return (&RedirectError{Public(redirect.To, secrets...)}).Error()
	case errors.As(err, &trust):
		return fmt.Sprintf("its certificate is not trusted; %v", trust.files)
	case errors.As(err, &cert):
		return fmt.Sprintf("its certificate is not trusted (%v); name the issuer's file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS", cert.Err)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return "the proxy does not answer; check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout() && !errors.As(err, &dns):
		if wait == "" {
			return "no answer within the time limit; check that the server is well"
		}
		return "no answer within the time limit; check that the server is well, or raise " + wait
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there (connection refused); start the server or correct " + address
	case errors.As(err, &dns):
		return fmt.Sprintf("the host name cannot be resolved; correct %s or check the network", address)
	case errors.As(err, &header):
		return "the server does not speak TLS; write http:// instead of https:// in " + address
	case errors.As(err, &request):
		return fmt.Sprintf("the server cannot be reached (%s); check %s and the network", Public(request.Err.Error(), secrets...), address)
	}
	return ""
}
