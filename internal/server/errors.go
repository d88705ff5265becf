package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/creachadair/jrpc2"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

type notInitializedError struct{ cause error }

func (e *notInitializedError) Error() string {
	if e.cause != nil {
		return "memory is off: " + e.cause.Error()
	}
	return "memory is not initialized: send initialize first"
}

type versionError struct{ shim, sidecar int }

func (e *versionError) Error() string {
	return fmt.Sprintf("the plugin speaks protocol version %d, the memory-pro program speaks %d: they come from different releases; reinstall memory-lancedb-pro",
		e.shim, e.sidecar)
}

type badParamsError struct {
	method string
	err    error
}

func (e *badParamsError) Error() string {
	var wrong *json.UnmarshalTypeError
	if errors.As(e.err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("%s: params.%s cannot be %s", e.method, wrong.Field, withArticle(wrong.Value))
	}
	return e.method + ": params must be an object"
}

// withArticle is for the kinds of JSON values: an array, an object, a string.
func withArticle(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

type panicError struct {
	method string
	value  any
}

func (e *panicError) Error() string {
	return fmt.Sprintf("%s failed by a defect in memory-lancedb-pro (%v); please report it with the log", e.method, e.value)
}

// faultOf classifies errors of this layer and leaves the rest to the engine.
func faultOf(err error) protocol.Fault {
	var (
		param   *protocol.ParamError
		bad     *badParamsError
		version *versionError
		notInit *notInitializedError
	)
	switch {
	case errors.As(err, &param), errors.As(err, &bad):
		return protocol.FaultBadParams
	case errors.As(err, &version):
		return protocol.FaultVersionMismatch
	case errors.As(err, &notInit):
		return protocol.FaultNotInitialized
	}
	return protocol.Fault(engine.FaultOf(err))
}

// rpcError is err as it goes over the wire.
func rpcError(err error) error {
	fault := faultOf(err)
	data, _ := json.Marshal(protocol.DataFor(fault)) // two plain fields
	return &jrpc2.Error{Code: jrpc2.Code(protocol.CodeFor(fault)), Message: err.Error(), Data: data}
}
