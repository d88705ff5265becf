package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Parse checks a configuration object as the host or a file gives it. Empty
// input and null are an empty configuration. An error comes with a Config that
// is usable all the same, unless it is Fatal.
func Parse(raw json.RawMessage, env Env) (Config, error) {
	p, err := parse(raw, env)
	if err != nil {
		return Config{}, err
	}
	if len(p.problems) > 0 {
		return p.c, &Error{Problems: p.problems}
	}
	return p.c, nil
}

type parser struct {
	env Env
	c   Config
	// given holds the values of known keys and blocks, by dotted path.
	given map[string]any
	// written is the older name a value came under.
	written map[string]string
	// values holds what every key came out as, for Effective.
	values  map[string]any
	unknown []string
	// addresses are the unknown keys that hold an address of the web.
	addresses map[string]bool
	problems  []error
}

func parse(raw json.RawMessage, env Env) (*parser, error) {
	p := &parser{env: env.orOS(), addresses: map[string]bool{}, given: map[string]any{}, written: map[string]string{}, values: map[string]any{}}
	object, err := p.object(raw)
	if err != nil {
		return nil, err
	}
	p.flatten(object, "")
	p.resolveAliases()
	if _, present := p.given["embedding"]; present {
		p.c.Embedding = &Embedding{}
	}
	p.c.Locking = &Locking{}
	for _, k := range keys {
		p.assign(k)
	}
	p.finishEmbedding()
	p.finishModel()
	p.finishPath()
	p.finishLocking()
	p.finishScopes()
	p.finishCategories()
	p.finishRetrieval()
	p.finishCache()
	p.noteUnbuilt()
	p.noteUnknown()
	p.settleEmbedding()
	for _, problem := range p.problems {
		p.c.Problems = append(p.c.Problems, problem.Error())
	}
	return p, nil
}

// object decodes the input. Numbers stay text, so that one beyond any range is
// the fault of its key, not of the whole.
func (p *parser) object(raw json.RawMessage) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	var top any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&top); err != nil {
		return nil, fatal(fmt.Errorf("config: not JSON: %w; correct the entry of the plugin", err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fatal(fmt.Errorf("config: not JSON: something follows the object; correct the entry of the plugin"))
	}
	if top == nil {
		return nil, nil
	}
	object, ok := top.(map[string]any)
	if !ok {
		return nil, fatal(&KeyError{"config", describe(top), "an object"})
	}
	return p.unwrap(object), nil
}

// unwrap takes the settings out of {"config": {…}}, one level too deep, where
// some writers of configurations put them. What stands in its right place wins.
func (p *parser) unwrap(object map[string]any) map[string]any {
	inner, wrapped := object["config"].(map[string]any)
	if !wrapped {
		return object
	}
	merged := map[string]any{}
	for name, v := range inner {
		merged[name] = v
	}
	for name, v := range object {
		if name != "config" {
			merged[name] = v
		}
	}
	if len(inner) > 0 {
		p.c.notice("config: the settings stand in a second \"config\" object; they are used, move them one level up")
	}
	return merged
}

// flatten sorts an object into known values, by dotted path, and unknown ones.
func (p *parser) flatten(object map[string]any, prefix string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		path, v := prefix+name, object[name]
		switch {
		case v == nil: // an explicit null is an absent key
		case slices.Contains(blocks, path):
			block, ok := v.(map[string]any)
			if !ok {
				p.wrongBlock(path, v)
				continue
			}
			p.given[path] = block
			p.flatten(block, path+".")
		case byPath[path].Path == path:
			p.given[path] = v
		default:
			p.unknown = append(p.unknown, path)
			p.addresses[path] = isAddress(v)
		}
	}
}

// wrongBlock is a block that is no object: its keys count as absent.
func (p *parser) wrongBlock(path string, v any) {
	err := &KeyError{path, describe(v), "an object"}
	built := slices.ContainsFunc(keys, func(k Key) bool { return k.Built && strings.HasPrefix(k.Path, path+".") })
	if !built {
		p.c.notice("%s; it is ignored", err)
		return
	}
	p.problems = append(p.problems, err)
	switch path {
	case "embedding":
		p.c.EmbeddingFault = err.Error()
	case "scopes":
		p.c.Scopes.OwnOnly = true
	case "locking", "locking.redis":
		p.c.LockingFault = err.Error()
	}
}

// resolveAliases moves the values of older names to the keys that replace them.
func (p *parser) resolveAliases() {
	for _, k := range keys {
		v, set := p.given[k.Path]
		if k.AliasOf == "" || !set {
			continue
		}
		block, _ := parent(k.AliasOf)
		_, taken := p.given[k.AliasOf]
		_, open := p.given[block]
		if !taken && (block == "" || open) {
			p.given[k.AliasOf], p.written[k.AliasOf] = v, k.Path
		}
	}
}

// on reports whether the feature a key belongs to is switched on. Values of a
// feature that is off are not even resolved: a secret nobody needs must not
// stop anything.
func (p *parser) on(k Key) bool {
	switch {
	case k.AliasOf != "":
		return false // its target is looked at
	case k.Path == "embedding.provider":
		return p.c.Embedding != nil
	case strings.HasPrefix(k.Path, "embedding."):
		return p.c.Embedding != nil && p.c.Embedding.Provider != ProviderLocal
	case strings.HasPrefix(k.Path, "retrieval.rerank") && k.Path != "retrieval.rerank":
		_, chosen := p.given["retrieval.rerank"]
		return !chosen || p.values["retrieval.rerank"] != "none"
	case strings.HasPrefix(k.Path, "llm."):
		return p.values["smartExtraction"] != false
	case strings.HasPrefix(k.Path, "memoryReflection."):
		return p.values["sessionStrategy"] == "memoryReflection"
	case k.Path == "redisUrl":
		return p.values["locking.redis.enabled"] != false
	case strings.HasPrefix(k.Path, storageBlock+"."):
		return isRemote(p.values["dbPath"])
	}
	// A block with a switch of its own.
	for block, _ := parent(k.Path); block != ""; block, _ = parent(block) {
		toggle, ok := byPath[block+".enabled"]
		if ok && toggle.Path != k.Path && p.values[toggle.Path] == false {
			return false
		}
	}
	return true
}

// problem is a value that cannot be used. Where nothing reads the key yet it is
// a remark, because nothing works less for it.
func (p *parser) problem(k Key, err error) {
	if !k.Built {
		p.c.notice("%s; it is ignored", err)
		return
	}
	p.problems = append(p.problems, err)
	if strings.HasPrefix(k.Path, "embedding.") && !slices.Contains(harmless, k.Path) && p.c.EmbeddingFault == "" {
		p.c.EmbeddingFault = err.Error()
	}
	if strings.HasPrefix(k.Path, "retrieval.rerank") && p.c.Retrieval.Rerank.Fault == "" {
		p.c.Retrieval.Rerank.Fault = err.Error() // nothing goes to an address nobody chose
	}
	if slices.Contains(lockAddress, k.Path) && p.c.LockingFault == "" {
		p.c.LockingFault = err.Error()
	}
}

// harmless keys of embedding can fall back to their defaults: they change
// neither the vectors nor who sees the texts.
var harmless = []string{"embedding.maxInputChars", "embedding.clientTimeoutMs"}

// noteUnbuilt collects the keys that ask for what is not there yet.
func (p *parser) noteUnbuilt() {
	for _, k := range keys {
		v, set := p.given[k.Path]
		if k.Built || k.Moot != "" || !set || !p.on(k) {
			continue
		}
		if v == false || v == "false" || (k.off != "" && fmt.Sprint(v) == k.off) {
			continue
		}
		p.c.Unbuilt = append(p.c.Unbuilt, k.Path)
	}
	if len(p.c.Unbuilt) > 0 {
		p.c.notice("accepted, but this version does not have what they are for yet: %s", strings.Join(p.c.Unbuilt, ", "))
	}
}
