package embed

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// Go's JSON reads a null inside a list of numbers as 0: "[0.1, null]" would become
// a plausible vector. So answers are looked at before they are decoded.

// Bounds of an answer, in bytes. 4096 numbers, each on a line of its own, are 130 KB.
const (
	mostOfAll    = 64 << 20
	mostBeside   = 1 << 20
	mostOfVector = 512 << 10
	mostOfNumber = 64
)

// mostBytes is how much an answer to n texts may be. A server that sends more would
// be read until the time limit.
func (o Options) mostBytes(n int) int64 {
	return int64(min(mostOfAll, mostBeside+n*max(mostOfVector, mostOfNumber*widthOf(o))))
}

// errForm is an answer that is JSON and of another call than the one that was made.
var errForm = fmt.Errorf("another form: %w", ErrBadVector)

// plausible refuses an answer that holds far more things than n texts have vectors:
// a megabyte of "{}," is a hundred when it is decoded.
func plausible(body []byte, n int) error {
	if bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) > 100+10*n {
		return fmt.Errorf("the answer holds far more than %d vectors: %w", n, ErrBadVector)
	}
	return nil
}

// inspect refuses an answer of OpenAI's protocol that would decode into something
// wrong, and turns vectors in base64 into numbers: some servers answer so unless
// they are told not to, and some although they are.
func inspect(body []byte) ([]byte, error) {
	var answer struct {
		Data  []map[string]json.RawMessage `json:"data"`
		Error json.RawMessage              `json:"error"`
	}
	if err := decode(body, &answer); err != nil {
		return nil, err
	}
	if answer.Data == nil && len(answer.Error) > 0 && string(answer.Error) != "null" {
		return nil, &provider.SaidError{What: "the provider answered with an error", Said: string(answer.Error), Err: ErrRejected}
	}
	changed := false
	for i, d := range answer.Data {
		raw := bytes.TrimSpace(d["embedding"])
		if err := plainNumbers(raw); err != nil {
			var packed *packedError
			if !errors.As(err, &packed) {
				return nil, fmt.Errorf("vector %d of the answer %w", i+1, err)
			}
			numbers, err := unpack(packed.text)
			if err == nil {
				d["embedding"], err = json.Marshal(numbers) // fails for NaN and Infinity
			}
			if err != nil {
				return nil, fmt.Errorf("vector %d of the answer is no base64 of finite numbers (%v): %w", i+1, err, ErrBadVector)
			}
			changed = true
		}
	}
	if !changed {
		return body, nil
	}
	return json.Marshal(map[string]any{"data": answer.Data})
}

// decode reads an answer that should be JSON.
func decode(body []byte, into any) error {
	body = bytes.TrimSpace(body)
	err := json.Unmarshal(body, into)
	var number *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case len(body) == 0 || (body[0] != '{' && body[0] != '['):
		return &provider.SaidError{What: "the answer is no JSON; check that embedding.baseURL is the address of the API, which ends in /v1 with most servers", Said: string(body[:min(len(body), 1000)]), Err: ErrRejected}
	case errors.As(err, &number):
		return fmt.Errorf("the answer has another form than expected (%.40s in it): %w", number.Value, errForm)
	}
	return fmt.Errorf("the answer is no valid JSON, perhaps it holds NaN or Infinity (%v): %w", err, ErrBadVector)
}

// packedError is a vector that is text: base64 of float32.
type packedError struct{ text string }

func (e *packedError) Error() string { return "is text" }

// plainNumbers checks that raw is a list of numbers and nothing else.
func plainNumbers(raw json.RawMessage) error {
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return fmt.Errorf("is missing: %w", ErrBadVector)
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return fmt.Errorf("is no text: %w", ErrBadVector)
		}
		return &packedError{text}
	case raw[0] != '[':
		return fmt.Errorf("is no list: %w", ErrBadVector)
	case bytes.Contains(raw, []byte("null")):
		return fmt.Errorf("holds null instead of a number: %w", ErrBadVector)
	case bytes.ContainsAny(raw[1:], `"[{tf`):
		return fmt.Errorf("holds something other than numbers: %w", ErrBadVector)
	}
	return nil
}

// unpack reads little-endian float32 out of base64, with or without padding.
func unpack(text string) ([]float32, error) {
	encoding := base64.StdEncoding
	if len(text)%4 != 0 {
		encoding = base64.RawStdEncoding
	}
	data, err := encoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of values", len(data))
	}
	numbers := make([]float32, len(data)/4)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return numbers, nil
}

// vectorsOf decodes the vectors of a native answer.
func vectorsOf(raw []json.RawMessage) ([][]float32, error) {
	vectors := make([][]float32, len(raw))
	for i, r := range raw {
		r = bytes.TrimSpace(r)
		err := plainNumbers(r)
		var packed *packedError
		switch {
		case errors.As(err, &packed):
			vectors[i], err = unpack(packed.text)
			if err != nil {
				err = fmt.Errorf("is no base64 of numbers (%v): %w", err, ErrBadVector)
			}
		case err == nil:
			err = decode(r, &vectors[i])
		}
		if err != nil {
			return nil, fmt.Errorf("vector %d of the answer %w", i+1, err)
		}
	}
	return vectors, nil
}
