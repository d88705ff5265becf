package native

/*
#include <stdlib.h>
#include "mlp_model.h"
*/
import "C"

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"
)

// Model is an open embedding model. Its methods may be called from several
// goroutines; they share its threads.
type Model struct {
	handle C.uint64_t
	dims   int
	closed atomic.Bool
}

// OpenModel opens a model file, to be run on so many threads of its own.
func OpenModel(path string, threads int) (*Model, error) {
	if threads < 1 {
		return nil, &Error{Kind: Invalid, Message: "open the model: it needs at least one thread"}
	}
	c := C.CString(path)
	defer C.free(unsafe.Pointer(c))
	m := &Model{}
	if err := take(C.mlp_model_open(c, C.uint32_t(threads), &m.handle)); err != nil {
		return nil, err
	}
	var dims C.size_t
	if err := take(C.mlp_model_dims(m.handle, &dims)); err != nil {
		_ = m.Close() // the first error is the one that tells
		return nil, err
	}
	m.dims = int(dims)
	return m, nil
}

// Dims is the length of a vector.
func (m *Model) Dims() int { return m.dims }

// Embed returns the unit vector of each text. A text longer than the model's
// window counts by its beginning. Prefixes are the caller's affair.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	lens := make([]C.size_t, len(texts))
	var all []byte
	for i, text := range texts {
		lens[i] = C.size_t(len(text))
		all = append(all, text...)
	}
	flat := make([]float32, len(texts)*m.dims)
	var timeout C.uint64_t
	if deadline, ok := ctx.Deadline(); ok {
		timeout = C.uint64_t(max(time.Until(deadline).Milliseconds(), 1))
	}
	err := call(ctx, func(cancel C.uint64_t) *C.mlp_error {
		return C.mlp_model_embed(m.handle, (*C.uint8_t)(unsafe.SliceData(all)), &lens[0],
			C.size_t(len(texts)), timeout, cancel, (*C.float)(&flat[0]))
	})
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = flat[i*m.dims : (i+1)*m.dims : (i+1)*m.dims]
	}
	return vectors, nil
}

// CountTokens counts the tokens of a whole text, its two marks included.
func (m *Model) CountTokens(text string) (int, error) {
	var tokens C.size_t
	err := take(C.mlp_model_count_tokens(m.handle, (*C.uint8_t)(unsafe.StringData(text)),
		C.size_t(len(text)), &tokens))
	return int(tokens), err
}

// Close frees the model once running calls have ended. Closing twice does nothing.
func (m *Model) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	return take(C.mlp_model_close(m.handle))
}
