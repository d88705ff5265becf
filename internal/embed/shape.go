package embed

import (
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// Kind says what a text is embedded for.
type Kind string

// The kinds.
const (
	Query   Kind = "query"
	Passage Kind = "passage"
)

// shape is how one family of providers wants its requests. Strict servers refuse
// a field they do not know, so each field is sent only where it belongs.
type shape struct {
	name string
	// format is whether encoding_format is understood.
	format bool
	// taskField carries the task hint, taskOf its value when none is configured.
	taskField string
	taskOf    map[Kind]string
	// widthField asks for a width when it is not called "dimensions".
	widthField string
	// instruct puts the task hint into the text of a query instead.
	instruct bool
}

var (
	generic = shape{name: "openai", format: true}
	jina    = shape{name: "jina", format: true, taskField: "task"}
	voyage  = shape{name: "voyage", taskField: "input_type", taskOf: map[Kind]string{Query: "query", Passage: "document"}, widthField: "output_dimension"}
	nvidia  = shape{name: "nvidia", format: true, taskField: "input_type", taskOf: map[Kind]string{Query: "query", Passage: "passage"}}
	qwen    = shape{name: "qwen", format: true, instruct: true, taskOf: map[Kind]string{Query: "Find the notes that answer the question"}}
)

// shapeOf goes by the host and then by the model's name, which also tells when
// such a model is served through a gateway.
func shapeOf(host, model string) shape {
	model = strings.ToLower(model)
	switch {
	case host == "api.jina.ai" || strings.HasPrefix(model, "jina-"):
		return jina
	case host == "api.voyageai.com" || strings.HasPrefix(model, "voyage"):
		return voyage
	case strings.HasSuffix(host, ".nvidia.com") || strings.HasPrefix(model, "nvidia/") || strings.HasPrefix(model, "nv-embed"):
		return nvidia
	case strings.Contains(model, "qwen3-embedding"):
		return qwen
	}
	return generic
}

// mark is the task hint of a kind, empty for none.
func (s shape) mark(kind Kind, o Options) string {
	if s.taskField == "" && !s.instruct {
		return ""
	}
	if configured := map[Kind]string{Query: o.TaskQuery, Passage: o.TaskPassage}[kind]; configured != "" && (kind == Query || !s.instruct) {
		return configured
	}
	return s.taskOf[kind]
}

// request fills in what this shape sends.
func (s shape) request(kind Kind, inputs []string, o Options) openai.EmbeddingRequest {
	mark := s.mark(kind, o)
	if s.instruct && mark != "" {
		wrapped := make([]string, len(inputs))
		for i, text := range inputs {
			wrapped[i] = "Instruct: " + mark + "\nQuery:" + text
		}
		inputs = wrapped
	}
	r := openai.EmbeddingRequest{Input: inputs, Model: openai.EmbeddingModel(o.Model), ExtraBody: map[string]any{}}
	if s.format {
		r.EncodingFormat = openai.EmbeddingEncodingFormatFloat
	}
	if s.taskField != "" && mark != "" {
		r.ExtraBody[s.taskField] = mark
	}
	if o.RequestDimensions > 0 && !o.OmitDimensions {
		if s.widthField != "" {
			r.ExtraBody[s.widthField] = o.RequestDimensions
		} else {
			r.Dimensions = o.RequestDimensions
		}
	}
	return r
}
