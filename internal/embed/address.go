package embed

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// address is an endpoint as people write it, taken apart: with or without a
// slash at the end, with the last part of the path or without.
type address struct {
	// root is what the paths of a protocol are put after; it ends with no slash.
	root *url.URL
	kind server
	// openai: a server of Ollama was named by its path for OpenAI's protocol.
	openai bool
	// deployment and version of Azure, as far as the address names them.
	deployment, version string
}

// server is a protocol, or a family of them.
type server int

const (
	serverOpenAI server = iota
	serverOllama
	serverTEI
	serverGemini
	serverAzure   // an address for each deployment
	serverAzureV1 // OpenAI's protocol with Azure's header
)

var (
	slashes   = regexp.MustCompile(`/{2,}`)
	azurePath = regexp.MustCompile(`^(.*?)/openai(?:/deployments/([^/]+))?$`)
)

func addressOf(o Options) (address, error) {
	text := strings.TrimSpace(o.BaseURL)
	switch {
	case text != "":
	case o.Azure:
		return address{}, errors.New("configuring embedding: Azure has an address for each resource; set embedding.baseURL to it, like https://NAME.openai.azure.com")
	default:
		text = DefaultBaseURL
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return address{}, fmt.Errorf("configuring embedding: baseURL %q is no http or https address; write it like %s", redacted(text), DefaultBaseURL)
	}
	a := address{root: u}
	query := u.Query()
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	u.Path = strings.TrimRight(slashes.ReplaceAllString(u.Path, "/"), "/")
	azure := o.Azure || profile{hosts: azureHosts}.at(strings.ToLower(u.Hostname()))
	switch {
	case azure:
		a.version = query.Get("api-version")
		query.Del("api-version")
		a.azure()
	case u.Port() == "11434", strings.Contains(u.Path+"/", "/ollama/"), strings.HasSuffix(u.Path, "/api/embed"), strings.HasSuffix(u.Path, "/api/embeddings"):
		a.ollama()
	case strings.HasSuffix(u.Path, "/embed"):
		a.kind = serverTEI
	case strings.ToLower(u.Hostname()) == geminiHost && !strings.Contains(u.Path, "/openai"):
		a.kind = serverGemini
		if u.Path == "" {
			u.Path = "/v1beta"
		}
	default:
		u.Path = strings.TrimSuffix(u.Path, "/embeddings")
	}
	if len(query) > 0 {
		return address{}, fmt.Errorf("configuring embedding: baseURL %q has something after a question mark; write it without", redacted(text))
	}
	return a, nil
}

func (a *address) ollama() {
	a.kind = serverOllama
	path := a.root.Path
	for _, end := range []string{"/v1/embeddings", "/v1", "/api/embeddings", "/api/embed", "/api"} {
		if rest, found := strings.CutSuffix(path, end); found {
			a.root.Path, a.openai = rest, strings.HasPrefix(end, "/v1")
			return
		}
	}
}

func (a *address) azure() {
	a.kind = serverAzure
	path := strings.TrimSuffix(a.root.Path, "/embeddings")
	if strings.HasSuffix(path, "/v1") {
		a.kind, a.root.Path = serverAzureV1, path
		return
	}
	if m := azurePath.FindStringSubmatch(path); m != nil {
		path, a.deployment = m[1], m[2]
	}
	a.root.Path = path
}

// redacted is an address without what may be secret in it.
func redacted(text string) string {
	before, _, _ := strings.Cut(text, "?")
	if scheme, rest, found := strings.Cut(before, "://"); found {
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = rest[at+1:]
		}
		return scheme + "://" + rest
	}
	return before
}

// at is the address of a path under the root.
func (a address) at(path string) string { return strings.TrimRight(a.root.String(), "/") + path }
