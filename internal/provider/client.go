// Package provider is what every client of a model over HTTP has in common:
// the way out of the network (Client), several keys for one account (Keys), a
// provider that is down (Breaker), how many calls run at once (Limit), and
// failures in words for people (StatusError, Unreachable, Public).
//
// Concepts. Nothing here waits for a provider to get well: a key that is limited
// or a provider that is down is known for a while, and calls fail at once with
// what was said last; the caller knows how much time is left and what it can do
// without. Errors hold no keys, no addresses with keys in them, and no texts.
//
// Caveats: Client reads the variables of the network (HTTPS_PROXY, NO_PROXY,
// SSL_CERT_FILE and their like) itself, as every HTTP client does; all other
// settings come from package config.
package provider

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// ClientOptions configure a client. The zero value is right for a program.
type ClientOptions struct {
	// Lookup reads a variable of the network; nil is the process's environment.
	Lookup func(name string) (string, bool)
}

// Times of a connection. How long an answer may take is for the caller's context.
const (
	dialTimeout = 10 * time.Second
	idleTimeout = 90 * time.Second
	// pingAfter finds out that a connection died while the machine slept.
	pingAfter = 15 * time.Second
)

// Client makes an HTTP client for providers. Proxies are looked up for each
// request; loopback is always reached directly. Certificate files named by
// SSL_CERT_FILE and NODE_EXTRA_CA_CERTS are trusted besides the system's; one
// that cannot be used is told when a certificate is not trusted. A redirect is
// followed only within its host and never from https to http: the key and the
// texts would go along.
func Client(o ClientOptions) *http.Client {
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	roots, fault := trusted(o.Lookup)
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	transport := &http.Transport{
		Proxy:               proxies{o.Lookup}.of,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        64,
		MaxIdleConnsPerHost: 8,
		IdleConnTimeout:     idleTimeout,
		TLSHandshakeTimeout: dialTimeout,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: dialTimeout},
	}
	if roots != nil {
		transport.TLSClientConfig = tlsConfig(roots)
	}
	return &http.Client{Transport: &trusting{transport, fault}, CheckRedirect: stayHome}
}

// RedirectError is an answer that sends the request to where it must not go.
type RedirectError struct {
	// To is the scheme and host, without anything that may hold a secret.
	To string
}

func (e *RedirectError) Error() string {
	return fmt.Sprintf("the server sends requests on to %s, where a key and texts are not sent unasked; if that is right, write its address into the configuration", e.To)
}

// mostRedirects within one host are plenty.
const mostRedirects = 3

func stayHome(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	same := next.URL.Scheme == first.Scheme && next.URL.Host == first.Host
	safer := next.URL.Scheme == "https" && first.Scheme == "http" && next.URL.Hostname() == first.Hostname()
	if !same && !safer {
		return &RedirectError{next.URL.Scheme + "://" + next.URL.Host}
	}
	if len(before) > mostRedirects {
		return errors.New("the server sends requests round in a circle; correct the address in the configuration")
	}
	return nil
}
