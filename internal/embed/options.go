package embed

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// Defaults of Options.
const (
	DefaultModel   = "text-embedding-3-small"
	DefaultBaseURL = "https://api.openai.com/v1"
	DefaultTimeout = 30 * time.Second
	// DefaultCacheSize is in vectors: 256 of 1536 dimensions are 1.5 MB. Recall
	// asks the same question again within a turn (hook, then tool), seldom later.
	DefaultCacheSize = 256
	// DefaultCacheTTL is how long a vector on disk is believed: a provider may
	// change a model without changing its name.
	DefaultCacheTTL = 30 * 24 * time.Hour
)

// Options configure a provider. The zero value is OpenAI's small model without a
// key.
type Options struct {
	// APIKeys are used in turn; none, or "", is for servers that want none.
	APIKeys []string
	BaseURL string
	Model   string
	// Azure is for deployments of Azure whose address does not tell.
	// APIVersion is Azure's; "" is a current one.
	Azure      bool
	APIVersion string
	// Dimensions is the width of the vectors the provider returns; 0 takes it
	// from the table of known models.
	Dimensions int
	// RequestDimensions asks the provider for that width, which is then the
	// width of the vectors. OmitDimensions never sends the field.
	RequestDimensions int
	OmitDimensions    bool
	// Normalized is sent to providers that know the field; nil sends none.
	Normalized *bool
	// TaskQuery and TaskPassage are the provider's task hints. For a model
	// without such a field, one that ends with a colon is put before the text.
	TaskQuery, TaskPassage string
	// Timeout bounds one request; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxInputChars is the longest text sent, in characters; 0 means the model's
	// own limit, if one is known. Longer ones are split, or cut with Whole.
	MaxInputChars int
	Whole         bool
	// Parts are the sizes of the parts; the zero value goes by the model. Code
	// splits code at its declarations, in the languages of CodeLanguages (none
	// means all known).
	Parts         PartSizes
	Code          bool
	CodeLanguages []string
	// CacheSize is in vectors; 0 means DefaultCacheSize, negative none. CacheDir
	// keeps vectors between runs; "" keeps none. CacheTTL 0 means DefaultCacheTTL.
	CacheSize int
	CacheDir  string
	CacheTTL  time.Duration
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// HTTPClient is used instead of provider.Client.
	HTTPClient *http.Client
}

// PartSizes set how long texts are split. All are in characters but Lines; 0
// leaves a size to the model.
type PartSizes struct {
	Longest, Overlap, Shortest, Lines int
	// Anywhere splits between words instead of between sentences.
	Anywhere bool
}

// sharedClient is one for all: reading certificates takes a while.
var sharedClient = sync.OnceValue(func() *http.Client { return provider.Client(provider.ClientOptions{}) })

// settled fills in defaults and checks.
func (o Options) settled() (Options, error) {
	if o.Model = strings.TrimSpace(o.Model); o.Model == "" {
		o.Model = DefaultModel
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.CacheTTL <= 0 {
		o.CacheTTL = DefaultCacheTTL
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.HTTPClient == nil {
		o.HTTPClient = sharedClient()
	}
	if widthOf(o) <= 0 {
		return o, fmt.Errorf("configuring embedding: the vector width of model %q is not known; set embedding.dimensions to what the model returns", o.Model)
	}
	return o, nil
}
