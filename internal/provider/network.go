package provider

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxies answers which proxy a request takes, by the variables as they are at
// that moment.
type proxies struct {
	lookup func(string) (string, bool)
}

// proxyNames in the order they are tried for each kind of address; lower case
// stands behind upper case, as in most programs.
var (
	proxyForHTTPS = []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"}
	proxyForHTTP  = []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
	proxyExcept   = []string{"NO_PROXY", "no_proxy"}
)

func (p proxies) of(r *http.Request) (*url.URL, error) {
	names := proxyForHTTPS
	if r.URL.Scheme == "http" {
		names = proxyForHTTP
	}
	name, proxy := p.first(names)
	if proxy == "" {
		return nil, nil
	}
	_, except := p.first(proxyExcept)
	choose := (&httpproxy.Config{HTTPProxy: proxy, HTTPSProxy: proxy, NoProxy: except}).ProxyFunc()
	if err := proxyFault(name, proxy); err != nil {
		// A proxy nobody can read would be passed by: is it one for this request?
		other := (&httpproxy.Config{HTTPProxy: "proxy.invalid", HTTPSProxy: "proxy.invalid", NoProxy: except}).ProxyFunc()
		if via, _ := other(r.URL); via == nil {
			return nil, nil
		}
		return nil, err
	}
	return choose(r.URL)
}

func (p proxies) first(names []string) (name, value string) {
	for _, name := range names {
		if v, _ := p.lookup(name); strings.TrimSpace(v) != "" {
			return name, strings.TrimSpace(v)
		}
	}
	return "", ""
}

// proxyFault is what is wrong with the address of a proxy. It does not repeat
// the address, which may hold a password.
func proxyFault(name, proxy string) error {
	u, err := url.Parse(proxy)
	if err != nil || u.Host == "" {
		u, err = url.Parse("http://" + proxy)
	}
	if err == nil && u.Host != "" {
		switch u.Scheme {
		case "http", "https", "socks5", "socks5h":
			return nil
		}
	}
	return fmt.Errorf("the variable %s holds no address of a proxy; write it like http://proxy.example:3128, or unset it", name)
}

// maxBundle is far above any bundle of certificates.
const maxBundle = 16 << 20

// bundles are the variables that name files of certificates. Go reads the first
// itself, but says nothing when it cannot.
var bundles = []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"}

// trusted gives the system's certificates and those of the files, or nil where
// no file is named; fault says which files cannot be used.
func trusted(lookup func(string) (string, bool)) (roots *x509.CertPool, fault error) {
	var faults []error
	for _, name := range bundles {
		path, _ := lookup(name)
		if path == "" {
			continue
		}
		if roots == nil {
			var err error
			if roots, err = x509.SystemCertPool(); err != nil {
				roots = x509.NewCertPool()
			}
		}
		if err := addBundle(roots, path); err != nil {
			faults = append(faults, fmt.Errorf("the file of certificates that %s names cannot be used: %w; correct the variable, or unset it", name, err))
		}
	}
	return roots, errors.Join(faults...)
}

func addBundle(roots *x509.CertPool, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxBundle {
		return fmt.Errorf("%s is not a file of at most %d MB", path, maxBundle>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		found++
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("certificate %d in %s cannot be read: %w", found, path, err)
		}
		roots.AddCert(certificate)
	}
	if found == 0 {
		return fmt.Errorf("%s holds no certificate (no line -----BEGIN CERTIFICATE-----)", path)
	}
	return nil
}

func tlsConfig(roots *x509.CertPool) *tls.Config { return &tls.Config{RootCAs: roots} }

// trusting adds what is wrong with the files of certificates to the error of a
// certificate that is not trusted; otherwise they did not matter.
type trusting struct {
	*http.Transport
	fault error
}

func (t *trusting) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.Transport.RoundTrip(r)
	var cert *tls.CertificateVerificationError
	if err != nil && t.fault != nil && errors.As(err, &cert) {
		return nil, &trustError{cert: err, files: t.fault}
	}
	return res, err
}

// trustError is a certificate that is not trusted, where files that should have
// made it so cannot be used.
type trustError struct{ cert, files error }

func (e *trustError) Error() string   { return e.cert.Error() + "; " + e.files.Error() }
func (e *trustError) Unwrap() []error { return []error{e.cert, e.files} }
