package cli

import (
	"errors"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/server"
)

// Exit codes. Scripts rely on them; exitHelp documents them.
const (
	exitOK       = 0
	exitFailure  = 1
	exitUsage    = 2
	exitNotFound = 3
	exitBusy     = 4
	exitProvider = 5
)

const exitHelp = `
Exit codes:
  0  done; also when a statement was refused as duplicate or small talk
  1  failed
  2  wrong arguments or configuration
  3  no such memory
  4  another process is writing, or time ran out; try again
  5  the embedding provider failed`

// failure is an error of a command that was understood. Everything else that
// comes out of cobra is about how the command was typed.
type failure struct {
	command string
	err     error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// exitCode is the one switch from kinds of failure to exit codes.
func exitCode(f engine.Fault) int {
	switch f {
	case engine.FaultBadParams, engine.FaultTooLarge, engine.FaultConfig, engine.FaultDenied, engine.FaultNoAgent:
		return exitUsage
	case engine.FaultNotFound:
		return exitNotFound
	case engine.FaultStoreBusy, engine.FaultDeadline:
		return exitBusy
	case engine.FaultProvider, engine.FaultBadVector:
		return exitProvider
	}
	return exitFailure
}

type errorJSON struct {
	Code    string       `json:"code"`
	Kind    engine.Fault `json:"kind"`
	Message string       `json:"message"`
	// Candidates are what an ambiguous reference may mean.
	Candidates []protocol.Candidate `json:"candidates,omitempty"`
}

// fail reports err and gives its exit code.
func (a *app) fail(err error) int {
	message := brief(err.Error())
	report := errorJSON{Code: "usage", Kind: engine.FaultBadParams, Message: message}
	code := exitUsage
	var f *failure
	if errors.As(err, &f) {
		fault := engine.FaultOf(f.err)
		report = errorJSON{Code: f.command + "_failed", Kind: fault, Message: message}
		code = exitCode(fault)
	}
	var ambiguous *engine.AmbiguousError
	if errors.As(err, &ambiguous) {
		report.Candidates = server.Candidates(ambiguous.Matches)
	}
	if a.json {
		if document, err := encode(map[string]errorJSON{"error": report}); err == nil {
			_, _ = a.out.Write(document) // there is nobody else to tell
		}
	}
	a.notef("%s", message)
	for _, c := range report.Candidates {
		write(a.err, "  [%s] [%s] %s\n", c.ID, c.Category, engine.Shorten(c.Text, shownChars))
	}
	if f == nil {
		a.notef("try memory-pro --help, or --help after the command")
	}
	return code
}

// brief keeps a mistyped argument of a megabyte from filling the screen.
func brief(message string) string {
	const longest = 2000
	if len(message) <= longest {
		return message
	}
	return strings.ToValidUTF8(message[:longest], "") + " …"
}
