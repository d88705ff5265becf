package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// messages are the roots; the types they refer to follow by themselves.
var messages = []any{
	protocol.InitializeParams{}, protocol.InitializeResult{},
	protocol.ToolParams{}, protocol.ToolResult{},
	protocol.PromptParams{}, protocol.PromptResult{},
	protocol.AgentEndParams{}, protocol.AgentEndResult{}, protocol.MessageReceivedParams{}, protocol.SessionEndParams{}, protocol.SessionEndResult{},
	protocol.HealthResult{}, protocol.LogParams{}, protocol.ErrorData{},
	protocol.RecallDetails{}, protocol.StoreDetails{}, protocol.UpdateDetails{}, protocol.ForgetDetails{},
	protocol.ExplainDetails{}, protocol.StatsDetails{}, protocol.WhyParams{}, protocol.WhyResult{},
	protocol.Tool{},
}

// generate renders the whole file.
func generate() string {
	var b strings.Builder
	b.WriteString("// Generated from internal/protocol by `go run ./internal/protocol/gen`. Do not edit.\n\n")
	fmt.Fprintf(&b, "export const PROTOCOL_VERSION = %d;\n\n", protocol.Version)

	b.WriteString("export const METHODS = {\n")
	methods := protocol.Methods()
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		fmt.Fprintf(&b, "  %s: %q,\n", name, methods[name])
	}
	b.WriteString("} as const;\n\n")

	b.WriteString("/** Codes of JSON-RPC errors, by kind of failure. */\nexport const ERROR_CODES = {\n")
	for _, row := range protocol.Faults() {
		fmt.Fprintf(&b, "  /** %s */\n  %s: %d,\n", row.Meaning, row.Fault, row.Code)
	}
	b.WriteString("} as const;\n\n")

	g := generator{done: map[reflect.Type]bool{}, out: &b}
	for _, m := range messages {
		g.need(reflect.TypeOf(m))
	}
	for len(g.queue) > 0 {
		t := g.queue[0]
		g.queue = g.queue[1:]
		g.declare(t)
	}

	tools, err := json.MarshalIndent(protocol.Tools(), "", "  ")
	if err != nil {
		panic(err) // the tools are literals
	}
	fmt.Fprintf(&b, "export const TOOLS: Tool[] = %s;\n", tools)
	return b.String()
}

type generator struct {
	queue []reflect.Type
	done  map[reflect.Type]bool
	out   *strings.Builder
}

func (g *generator) need(t reflect.Type) {
	if !g.done[t] {
		g.done[t] = true
		g.queue = append(g.queue, t)
	}
}

func (g *generator) declare(t reflect.Type) {
	fmt.Fprintf(g.out, "export interface %s {\n", t.Name())
	for _, f := range reflect.VisibleFields(t) { // those of embedded structs, too, as in JSON
		if f.Anonymous {
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		optional := ""
		if strings.Contains(opts, "omitempty") {
			optional = "?"
		}
		fmt.Fprintf(g.out, "  %s%s: %s;\n", name, optional, g.typeOf(f.Type))
	}
	g.out.WriteString("}\n\n")
}

func (g *generator) typeOf(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() {
		return "unknown"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.Interface:
		return "unknown"
	case reflect.Pointer:
		return g.typeOf(t.Elem())
	case reflect.Slice:
		return g.typeOf(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + g.typeOf(t.Elem()) + ">"
	case reflect.Struct:
		g.need(t)
		return t.Name()
	default:
		panic("no TypeScript type for " + t.String())
	}
}
