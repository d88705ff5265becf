package config

import (
	"strings"
	"testing"
)

// Nothing may be sent to an address nobody chose: a part of the block that
// cannot be read leaves reranking out.
func TestRerankFaults(t *testing.T) {
	for _, c := range []struct{ name, raw, fault, heard string }{
		{"none given", `{}`, "", ""},
		{"a key", `{"retrieval":{"rerankApiKey":"k"}}`, "", ""},
		{"asked for without a key", `{"retrieval":{"rerank":"cross-encoder"}}`, "", "needs retrieval.rerankApiKey"},
		{"tei without an address", `{"retrieval":{"rerank":"cross-encoder","rerankProvider":"tei"}}`, "", "needs retrieval.rerankEndpoint"},
		{"tei with one", `{"retrieval":{"rerank":"cross-encoder","rerankProvider":"tei","rerankEndpoint":"http://127.0.0.1:1"}}`, "", ""},
		{"address of an unset variable", `{"retrieval":{"rerankApiKey":"k","rerankEndpoint":"${NOPE}"}}`, "retrieval.rerankEndpoint", "NOPE"},
		{"unknown provider", `{"retrieval":{"rerankApiKey":"k","rerankProvider":"voodoo"}}`, "retrieval.rerankProvider", "voodoo"},
		{"switched off", `{"retrieval":{"rerank":"none","rerankEndpoint":"${NOPE}"}}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parsed(t, c.raw, testEnv(nil))
			if fault := got.Retrieval.Rerank.Fault; !strings.Contains(fault, c.fault) || (c.fault == "") != (fault == "") {
				t.Errorf("fault %q, want %q", fault, c.fault)
			}
			if heard := said(got); !strings.Contains(heard, c.heard) || (c.heard == "" && heard != "") {
				t.Errorf("heard %q, want %q", heard, c.heard)
			}
		})
	}
}

// Zeros for which a default is taken are told.
func TestZerosThatCannotBeMeant(t *testing.T) {
	for raw, heard := range map[string]string{
		`{"retrieval":{"vectorWeight":0,"bm25Weight":0}}`: "0.7 and 0.3, are used",
		`{"retrieval":{"vectorWeight":0}}`:                "",
		`{"retrieval":{"bm25Weight":0}}`:                  "",
		`{"retrieval":{"candidatePoolSize":0}}`:           "20 is used",
		`{"retrieval":{"candidatePoolSize":1}}`:           "",
		`{}`:                                              "",
	} {
		if got := said(parsed(t, raw, testEnv(nil))); !strings.Contains(got, heard) || (heard == "") != (got == "") {
			t.Errorf("%s: heard %q, want %q", raw, got, heard)
		}
	}
}

func TestVectorsAreKeptBesideTheDatabase(t *testing.T) {
	for raw, want := range map[string]string{
		`{"dbPath":"/srv/db"}`: "/srv/db/.memory-pro.kept-vectors",
		`{"embedding":{"apiKey":"k"},"dbPath":"s3://bucket/pre"}`: "/state/memory/.memory-pro.kept-vectors",
	} {
		if got := parsed(t, raw, Env{Home: "/home/ada", BaseDir: "/state", Lookup: func(string) (string, bool) { return "", false }}); got.VectorCache != want {
			t.Errorf("%s: %q, want %q", raw, got.VectorCache, want)
		}
	}
}
