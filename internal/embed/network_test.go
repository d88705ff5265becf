package embed

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// through opens a provider that is reached by a client with these variables.
func through(t *testing.T, address string, variables map[string]string) *Remote {
	t.Helper()
	client := provider.Client(provider.ClientOptions{Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok }})
	e, err := NewRemote(Options{APIKeys: []string{"sk-secret"}, BaseURL: address, Model: "tiny", Dimensions: 2, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// secure is a provider with a certificate of its own issuer, in a file.
func secure(t *testing.T) (s *httptest.Server, issuer string) {
	s = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[1,1]}]}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	issuer = filepath.Join(t.TempDir(), "issuer.pem")
	if err := os.WriteFile(issuer, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, issuer
}

// B89: a private issuer is trusted when its file is named, and the error says so
// when it is not.
func TestPrivateCertificates(t *testing.T) {
	s, issuer := secure(t)
	for _, name := range []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"} {
		if _, err := through(t, s.URL, map[string]string{name: issuer}).EmbedQuery(t.Context(), "x"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := through(t, s.URL, nil).EmbedQuery(t.Context(), "x")
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "certificate") || !strings.Contains(err.Error(), "SSL_CERT_FILE") {
		t.Errorf("without: %v", err)
	}
}

// B89: a provider elsewhere is reached through the proxy of the environment, one
// on this machine directly.
func TestProxies(t *testing.T) {
	s, issuer := secure(t)
	var tunnels atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			t.Errorf("the proxy was asked for %s %s", r.Method, r.URL)
			return
		}
		tunnels.Add(1)
		there, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		here, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
		_, _ = io.Copy(here, there)
		_ = here.Close()
	}))
	t.Cleanup(proxy.Close)
	variables := map[string]string{"HTTPS_PROXY": proxy.URL, "SSL_CERT_FILE": issuer}
	// The certificate of the test server is for example.com, too.
	if _, err := through(t, "https://example.com/v1", variables).EmbedQuery(t.Context(), "x"); err != nil || tunnels.Load() != 1 {
		t.Errorf("elsewhere: %v, %d tunnels", err, tunnels.Load())
	}
	if _, err := through(t, s.URL, variables).EmbedQuery(t.Context(), "x"); err != nil || tunnels.Load() != 1 {
		t.Errorf("on this machine: %v, %d tunnels", err, tunnels.Load())
	}
	proxy.Close()
	if _, err := through(t, "https://example.com/v1", variables).EmbedQuery(t.Context(), "x"); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "proxy") || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("a proxy that is down: %v", err)
	}
}

// Base64 comes in unless numbers are asked for, and from some even then (B85).
func TestBase64Answers(t *testing.T) {
	const width = 768
	want := make([]float32, width)
	for i := range want {
		want[i] = float32(i)/width - 0.3
	}
	s := serve(t, fixed(200, `{"data":[{"index":0,"object":"embedding","embedding":"`+packed(want)+`"}]}`))
	v, err := open(t, s, func(o *Options) { o.Dimensions = width }).EmbedQuery(t.Context(), "x")
	if err != nil || len(v) != width || v[0] != want[0] || v[767] != want[767] {
		t.Fatalf("%d values, %v", len(v), err)
	}
	for i := range v {
		if v[i] != want[i] {
			t.Fatalf("value %d is %v, want %v", i, v[i], want[i])
		}
	}
	if s.bodies[0]["encoding_format"] != "float" {
		t.Errorf("asked for %v", s.bodies[0]["encoding_format"])
	}
	if _, err := open(t, s, func(o *Options) { o.Dimensions = 1024 }).EmbedQuery(t.Context(), "x"); !errors.Is(err, ErrBadVector) || !strings.Contains(err.Error(), "1024") || !strings.Contains(err.Error(), "768") {
		t.Errorf("another width: %v", err)
	}
}

// An end of a call reaches the server (B86).
func TestCancelReachesTheServer(t *testing.T) {
	left := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(s.Close)
	e, err := NewRemote(Options{BaseURL: s.URL + "/ollama", Model: "bge-m3", Dimensions: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := e.EmbedQuery(ctx, "x"); !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	<-left
}

func packed(values []float32) string {
	var raw []byte
	for _, x := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}
