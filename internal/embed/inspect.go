package embed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds an answer: 64 vectors of 4096 numbers in text are 6 MB.
const maxAnswer = 64 << 20

// inspector looks at answers before the client decodes them, because Go's JSON
// reads a null inside a list of numbers as 0: "[0.1, null]" would become a
// plausible vector.
type inspector struct{ client *http.Client }

// Do sends the request and checks a successful answer.
func (i inspector) Do(req *http.Request) (*http.Response, error) {
	res, err := i.client.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	_ = res.Body.Close() // it was read to its end, or is given up
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("the answer is larger than %d MB: %w", maxAnswer>>20, ErrBadVector)
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		if err := inspect(body); err != nil {
			return nil, err
		}
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// inspect refuses answers that would decode into something wrong.
func inspect(body []byte) error {
	body = bytes.TrimSpace(body)
	var answer struct {
		Data []struct {
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		if len(body) == 0 || body[0] != '{' {
			return fmt.Errorf("the answer is no JSON object but starts with %.30q; check that embedding.baseURL is the address of the API: %w", body, ErrRejected)
		}
		return fmt.Errorf("the answer is no valid JSON, perhaps it holds NaN or Infinity (%v): %w", err, ErrBadVector)
	}
	if answer.Data == nil && len(answer.Error) > 0 && string(answer.Error) != "null" {
		return fmt.Errorf("the provider answered with an error: %.200s: %w", answer.Error, ErrRejected)
	}
	for i, d := range answer.Data {
		v := bytes.TrimSpace(d.Embedding)
		switch {
		case len(v) == 0 || bytes.Equal(v, []byte("null")):
			return fmt.Errorf("vector %d of the answer is missing: %w", i+1, ErrBadVector)
		case v[0] == '"':
			return fmt.Errorf("vector %d of the answer is text (base64), numbers were asked for; use a server that honours encoding_format \"float\": %w", i+1, ErrBadVector)
		case v[0] != '[':
			return fmt.Errorf("vector %d of the answer is no list: %w", i+1, ErrBadVector)
		case bytes.Contains(v, []byte("null")):
			return fmt.Errorf("vector %d of the answer holds null instead of a number: %w", i+1, ErrBadVector)
		case bytes.ContainsAny(v[1:], `"[{tf`):
			return fmt.Errorf("vector %d of the answer holds something other than numbers: %w", i+1, ErrBadVector)
		}
	}
	return nil
}
