package embed

import (
	"net/url"
	"slices"
	"strings"
)

// profile is what one family of providers wants in its requests. Strict servers
// refuse a field they do not know, so each is sent only where it belongs.
type profile struct {
	// name is for messages. print stands for the profile in fingerprints; "" is
	// "openai": such vectors are those the model gives anywhere.
	name, print string
	// hosts are names, or endings that begin with a dot; models are beginnings of
	// a model's name in lower case, which tell also behind a gateway.
	hosts, models []string
	// format: encoding_format is understood.
	format bool
	// normalized: the field of that name is understood.
	normalized bool
	// taskField carries the hint, taskOf its value when none is configured.
	taskField string
	taskOf    map[Kind]string
	// widthField asks for a width.
	widthField string
	// batch is how many texts one request may have, chars how many characters in
	// all: some providers bound the tokens of a request.
	batch, chars int
}

const (
	// commonBatch: some providers refuse more than 100; past 64 a larger batch no
	// longer saves time.
	commonBatch = 64
	commonChars = 200_000
)

// profiles in the order they are tried: hosts first, then models. The limits of
// a batch are from the providers' documentation, or what their own libraries use.
var profiles = []profile{
	{name: "jina", print: "jina", hosts: []string{"api.jina.ai"}, models: []string{"jina-"}, format: true, normalized: true, taskField: "task"},
	{name: "voyage", print: "voyage", hosts: []string{"api.voyageai.com"}, models: []string{"voyage"}, taskField: "input_type",
		taskOf: map[Kind]string{Query: "query", Passage: "document"}, widthField: "output_dimension", chars: 100_000},
	{name: "nvidia", print: "nvidia", hosts: []string{".nvidia.com"}, models: []string{"nvidia/", "nv-embed"}, format: true, taskField: "input_type",
		taskOf: map[Kind]string{Query: "query", Passage: "passage"}, batch: 50},
	{name: "siliconflow", hosts: []string{".siliconflow.cn", ".siliconflow.com"}, format: true, batch: 32},
	{name: "dashscope", hosts: []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"}, format: true, batch: 10},
}

// Profiles of native protocols, known by the address.
var (
	geminiNative = profile{name: "gemini", print: "gemini", taskField: "taskType", widthField: "outputDimensionality",
		taskOf: map[Kind]string{Query: "RETRIEVAL_QUERY", Passage: "RETRIEVAL_DOCUMENT"}}
	teiNative = profile{name: "tei", print: "tei", taskField: "prompt_name", batch: 32}
	// generic is any other server of OpenAI's protocol: OpenAI, Azure, Gemini under
	// /openai, Ollama, LM Studio, llama.cpp and TEI under /v1, gateways.
	generic = profile{name: "openai", format: true}
)

var azureHosts = []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"}

const geminiHost = "generativelanguage.googleapis.com"

// at reports whether a profile belongs to a host.
func (p profile) at(host string) bool {
	return slices.ContainsFunc(p.hosts, func(h string) bool {
		return host == h || strings.HasPrefix(h, ".") && (strings.HasSuffix(host, h) || host == h[1:])
	})
}

// profileOf goes by the address and then by the model's name.
func profileOf(u *url.URL, model string) profile {
	host, model := strings.ToLower(u.Hostname()), strings.ToLower(model)
	found := generic
	switch i := slices.IndexFunc(profiles, func(p profile) bool { return p.at(host) }); {
	case host == geminiHost && !strings.Contains(u.Path, "/openai"):
		found = geminiNative
	case i >= 0:
		found = profiles[i]
	case strings.HasSuffix(u.Path, "/embed"):
		found = teiNative
	default:
		i := slices.IndexFunc(profiles, func(p profile) bool {
			return slices.ContainsFunc(p.models, func(start string) bool { return strings.HasPrefix(model, start) })
		})
		if i >= 0 {
			found = profiles[i]
		}
	}
	if found.widthField == "" {
		found.widthField = "dimensions"
	}
	if found.batch == 0 {
		found.batch = commonBatch
	}
	if found.chars == 0 {
		found.chars = commonChars
	}
	return found
}
