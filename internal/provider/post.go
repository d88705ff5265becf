package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Request is one call of a provider.
type Request struct {
	URL string
	// Header holds what authorises; Content-Type is set anyway.
	Header http.Header
	// Body is sent as JSON.
	Body any
	// MaxAnswer bounds the answer, in bytes.
	MaxAnswer int64
	// Secrets are taken out of what the provider says in a failure.
	Secrets []string
}

// Post sends a request and gives the body of a successful answer. Any other
// answer is a *StatusError; an error of the network is one of net/http.
func Post(ctx context.Context, client *http.Client, r Request) ([]byte, error) {
	body, err := json.Marshal(r.Body)
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := ReadAnswer(res, r.MaxAnswer)
	if err != nil {
		return nil, err
	}
	if err := CheckStatus(res, answer, time.Now(), r.Secrets...); err != nil {
		return nil, err
	}
	if int64(len(answer)) > r.MaxAnswer {
		return nil, fmt.Errorf("the answer is larger than %d KB", r.MaxAnswer>>10)
	}
	return answer, nil
}

// mostFailure is how much is read of an answer that says no.
const mostFailure = 64 << 10

// ReadAnswer reads the body of an answer, one byte more than most if there is more
// than that. Of a failure only the beginning is read: it says what it has to say there.
func ReadAnswer(res *http.Response, most int64) ([]byte, error) {
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return io.ReadAll(io.LimitReader(res.Body, mostFailure))
	}
	return io.ReadAll(io.LimitReader(res.Body, most+1))
}
