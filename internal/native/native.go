// Package native is the program's only cgo: typed wrappers around the mlp_
// functions of the Rust library in crate/, which also serves lancedb-go.
//
// A Table is a numbered handle into the library's registry; results are Arrow
// IPC streams copied into Go memory, so nothing here outlives a call except
// open tables. include/mlp.h is the contract, with ownership.
//
// Caveats: the library is unpacked once by internal/native/unpack; until then
// programs that link this package do not link. A write whose context ends is
// stopped before the call returns, and succeeds if it had been committed.
package native

/*
#cgo CFLAGS: -I${SRCDIR}/include
#include <stdlib.h>
#include "mlp.h"
*/
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unsafe"
)

// BuildInfo returns a JSON object with the versions inside the library.
func BuildInfo() string { return C.GoString(C.mlp_build_info()) }

// PanicProbe makes the library panic and returns the error that comes of it.
func PanicProbe() error { return take(C.mlp_panic_probe()) }

// LiveHandles counts what the library has given out and not yet got back, by
// kind, over its own functions and those of lancedb-go.
func LiveHandles() map[string]int64 {
	var live C.mlp_live
	C.mlp_live_handles(&live)
	return map[string]int64{
		"connection": int64(live.connections),
		"table":      int64(live.tables),
		"cancel":     int64(live.cancels),
		"error":      int64(live.errors),
		"bytes":      int64(live.bytes),
		"string":     int64(live.strings),
		"model":      int64(live.models),
	}
}

// call runs one native call under ctx: it refuses when ctx is over, and fires
// the call's cancel handle when ctx ends meanwhile.
func call(ctx context.Context, fn func(cancel C.uint64_t) *C.mlp_error) error {
	if err := ctx.Err(); err != nil {
		return ended(err)
	}
	var cancel C.uint64_t
	if ctx.Done() != nil {
		cancel = C.mlp_cancel_new()
		fired := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			C.mlp_cancel_fire(cancel)
			close(fired)
		})
		defer func() {
			if !stop() {
				<-fired
			}
			C.mlp_cancel_free(cancel)
		}()
	}
	err := take(fn(cancel))
	if err == nil {
		return nil
	}
	if native := err.(*Error); native.Kind == Cancelled {
		return ended(ctx.Err())
	}
	return err
}

// request renders a request and adds the time that ctx leaves.
func request(ctx context.Context, fields map[string]any) (*C.char, func(), error) {
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline).Milliseconds()
		if left < 1 {
			left = 1
		}
		fields["timeout_ms"] = left
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, nil, &Error{Kind: Invalid, Message: fmt.Sprintf("encoding the request: %v", err)}
	}
	c := C.CString(string(text))
	return c, func() { C.free(unsafe.Pointer(c)) }, nil
}

// takeBytes copies and frees what the library returned.
func takeBytes(b *C.mlp_bytes) []byte {
	defer C.mlp_bytes_free(b)
	if b.data == nil {
		return nil
	}
	return bytes.Clone(unsafe.Slice((*byte)(b.data), int(b.len)))
}
