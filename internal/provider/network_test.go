package provider

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// env looks up the pairs given.
func env(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func TestProxies(t *testing.T) {
	for _, c := range []struct {
		name, url string
		env       []string
		want      string // the proxy, "" for none, or the beginning of an error after "!"
	}{
		{"none", "https://api.jina.ai/v1/rerank", nil, ""},
		{"https", "https://api.jina.ai/v1/rerank", []string{"HTTPS_PROXY", "http://proxy:3128"}, "http://proxy:3128"},
		{"lower case", "https://api.jina.ai/", []string{"https_proxy", "proxy:3128"}, "http://proxy:3128"},
		{"not the other's", "https://api.jina.ai/", []string{"HTTP_PROXY", "http://proxy:3128"}, ""},
		{"for all", "https://api.jina.ai/", []string{"ALL_PROXY", "socks5://proxy:1080"}, "socks5://proxy:1080"},
		{"the closer one first", "http://api.example/", []string{"ALL_PROXY", "socks5://proxy:1080", "HTTP_PROXY", "http://proxy:3128"}, "http://proxy:3128"},
		{"blank", "https://api.jina.ai/", []string{"HTTPS_PROXY", "  ", "https_proxy", "http://proxy:1"}, "http://proxy:1"},
		{"except a domain", "https://api.jina.ai/", []string{"HTTPS_PROXY", "http://proxy:1", "NO_PROXY", ".jina.ai"}, ""},
		{"except a network", "http://10.1.2.3:8080/", []string{"HTTP_PROXY", "http://proxy:1", "no_proxy", "10.0.0.0/8"}, ""},
		{"except all", "https://api.jina.ai/", []string{"HTTPS_PROXY", "http://proxy:1", "NO_PROXY", "*"}, ""},
		{"loopback by name", "http://localhost:11434/v1", []string{"HTTP_PROXY", "http://proxy:1"}, ""},
		{"loopback by address", "http://127.0.0.5:11434/v1", []string{"HTTP_PROXY", "http://proxy:1"}, ""},
		{"loopback of version 6", "http://[::1]:11434/v1", []string{"HTTP_PROXY", "http://proxy:1"}, ""},
		{"a kind nobody knows", "https://api.jina.ai/", []string{"HTTPS_PROXY", "ftp://me:secret@proxy"}, "!the variable HTTPS_PROXY"},
		{"unreadable", "https://api.jina.ai/", []string{"HTTPS_PROXY", "http://me:sec ret@%zz"}, "!the variable HTTPS_PROXY"},
		{"unreadable and not for this", "http://127.0.0.1:1/", []string{"HTTP_PROXY", "ftp://proxy"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := url.Parse(c.url)
			if err != nil {
				t.Fatal(err)
			}
			via, err := proxies{env(c.env...)}.of(&http.Request{URL: u})
			got := ""
			switch {
			case err != nil:
				got = "!" + err.Error()
			case via != nil:
				got = via.String()
			}
			if wrong := got != c.want; wrong && !(strings.HasPrefix(c.want, "!") && strings.HasPrefix(got, c.want)) || strings.Contains(got, "sec") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRequestsGoThroughTheProxyOfTheMoment(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "for %s", r.URL.Host)
	}))
	t.Cleanup(proxy.Close)
	vars := map[string]string{}
	client := Client(ClientOptions{Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }})
	vars["HTTP_PROXY"] = proxy.URL // after the client was made
	answer, err := Post(t.Context(), client, Request{URL: "http://provider.invalid/v1", Body: 1, MaxAnswer: 99})
	if err != nil || string(answer) != "for provider.invalid" {
		t.Fatalf("got %q, %v", answer, err)
	}
	client.CloseIdleConnections()
	proxy.Close()
	_, err = Post(t.Context(), client, Request{URL: "http://other.invalid/v1", Body: 1, MaxAnswer: 99})
	if got := Unreachable(err, "x.endpoint", ""); !strings.Contains(got, "proxy does not answer") {
		t.Errorf("a dead proxy: %q (%v)", got, err)
	}
}

func TestPrivateCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	server.StartTLS()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	good := write("good.pem", "a comment\n"+certificate)
	missing := filepath.Join(dir, "missing.pem")
	for _, c := range []struct {
		name string
		env  []string
		want []string // words of the error; none: it is reached
	}{
		{"for every program", []string{"SSL_CERT_FILE", good}, nil},
		{"for Node", []string{"NODE_EXTRA_CA_CERTS", good}, nil},
		{"a broken one beside a good one", []string{"SSL_CERT_FILE", missing, "NODE_EXTRA_CA_CERTS", good}, nil},
		{"none", nil, []string{"not trusted", "SSL_CERT_FILE or NODE_EXTRA_CA_CERTS"}},
		{"missing", []string{"NODE_EXTRA_CA_CERTS", missing}, []string{"NODE_EXTRA_CA_CERTS", missing, "no such file", "unset it"}},
		{"empty", []string{"SSL_CERT_FILE", write("empty.pem", "")}, []string{"SSL_CERT_FILE", "holds no certificate"}},
		{"broken", []string{"SSL_CERT_FILE", write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")}, []string{"certificate 1 in"}},
		{"a directory", []string{"SSL_CERT_FILE", dir}, []string{"is not a file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := Client(ClientOptions{Lookup: env(c.env...)})
			defer client.CloseIdleConnections()
			_, err := Post(t.Context(), client, Request{URL: server.URL, Body: 1, MaxAnswer: 99})
			got := Unreachable(err, "x.endpoint", "x.timeoutMs")
			if (err == nil) != (c.want == nil) {
				t.Fatalf("got %v", err)
			}
			for _, word := range c.want {
				if !strings.Contains(got, word) {
					t.Errorf("%q lacks %q", got, word)
				}
			}
		})
	}
}

func TestRedirectsTakeNoKeyElsewhere(t *testing.T) {
	var taken []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { taken = append(taken, r.Header.Get("Api-Key")) }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL+"?key=secret", http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		case "/within":
			http.Redirect(w, r, "/there", http.StatusPermanentRedirect)
		default:
			fmt.Fprint(w, r.Method+" "+r.Header.Get("Api-Key"))
		}
	}))
	t.Cleanup(server.Close)
	client := Client(ClientOptions{Lookup: env()})
	post := func(path string) (string, error) {
		answer, err := Post(t.Context(), client, Request{URL: server.URL + path, Header: http.Header{"Api-Key": {"k"}}, Body: 1, MaxAnswer: 99})
		return string(answer), err
	}
	if got, err := post("/within"); err != nil || got != "POST k" {
		t.Errorf("within the host: %q, %v", got, err)
	}
	for path, want := range map[string]string{"/away": "sends requests on to " + other.URL + ",", "/round": "in a circle"} {
		_, err := post(path)
		if got := Unreachable(err, "x", ""); err == nil || !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %q (%v)", path, got, err)
		}
	}
	if taken != nil {
		t.Errorf("a key went elsewhere: %q", taken)
	}
}

func TestUnreachableSaysWhy(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client left
		<-r.Context().Done()
	}))
	t.Cleanup(plain.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	client := Client(ClientOptions{Lookup: env()})
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for _, c := range []struct {
		name, url string
		ctx       context.Context
		want      string
	}{
		{"refused", closed.URL, t.Context(), "nothing listens there (connection refused); start the server or correct x.endpoint"},
		{"slow", plain.URL, short, "no answer within the time limit; check that the server is well, or raise x.timeoutMs"},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), t.Context(), "the server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Post(c.ctx, client, Request{URL: c.url, Body: 1, MaxAnswer: 9})
			if got := Unreachable(err, "x.endpoint", "x.timeoutMs"); !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
		})
	}
	if got := Unreachable(fmt.Errorf("something else"), "x", ""); got != "" {
		t.Errorf("an error that is no network's: %q", got)
	}
}
