// Package protocol is what the TypeScript shim and the Go sidecar agree on:
// the version, the method names, the messages, the error codes and the tool
// definitions. plugin/protocol.gen.ts is generated from it, so the two sides
// cannot drift apart.
//
// The wire is JSON-RPC 2.0 with Content-Length frames over the sidecar's stdin
// and stdout. The shim is the client; the sidecar only sends notifications.
//
// Caveats: vectors never cross. Every request may carry its own deadline in
// milliseconds; an answer that misses it is an error with code CodeDeadline.
package protocol

//go:generate go run ./gen

// Version counts incompatible changes of the messages below. Both sides must
// have the same one.
const Version = 1

// MaxFrameBytes is the longest frame the sidecar reads. A longer one is answered
// with CodeTooLarge under the id null, and the stream goes on behind it.
const MaxFrameBytes = 64 << 20

// Methods the shim calls.
const (
	MethodInitialize        = "initialize"
	MethodToolRecall        = "tool.memory_recall"
	MethodToolStore         = "tool.memory_store"
	MethodToolUpdate        = "tool.memory_update"
	MethodToolForget        = "tool.memory_forget"
	MethodToolDebug         = "tool.memory_debug"
	MethodToolExplainRank   = "tool.memory_explain_rank"
	MethodToolStats         = "tool.memory_stats"
	MethodWhy               = "memory.why"
	MethodBeforePromptBuild = "hook.before_prompt_build"
	MethodHealth            = "health"
	MethodShutdown          = "shutdown"
)

// Notifications: MethodCancel goes to the sidecar, MethodLog to the shim.
const (
	MethodCancel = "$/cancelRequest"
	MethodLog    = "log"
)

// Methods lists the requests under the name the TypeScript side uses for them.
func Methods() map[string]string {
	return map[string]string{
		"initialize":        MethodInitialize,
		"toolRecall":        MethodToolRecall,
		"toolStore":         MethodToolStore,
		"toolUpdate":        MethodToolUpdate,
		"toolForget":        MethodToolForget,
		"toolDebug":         MethodToolDebug,
		"toolExplainRank":   MethodToolExplainRank,
		"toolStats":         MethodToolStats,
		"why":               MethodWhy,
		"beforePromptBuild": MethodBeforePromptBuild,
		"agentEnd":          MethodAgentEnd,
		"messageReceived":   MethodMessageReceived,
		"sessionEnd":        MethodSessionEnd,
		"health":            MethodHealth,
		"shutdown":          MethodShutdown,
		"log":               MethodLog,
	}
}
