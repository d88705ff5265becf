package server

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/creachadair/jrpc2/channel"
)

// drain is a channel that ends politely. When its input ends, or stop is
// closed, it reports the end only after the answers to everything it has
// handed out were sent, or grace has passed. jrpc2 by itself cancels requests
// in flight as soon as the input ends.
type drain struct {
	inner channel.Channel
	stop  <-chan struct{}
	grace time.Duration

	next    chan received
	reading bool // a read is under way; only the receiver touches it

	mu       sync.Mutex
	inFlight int
	idle     chan struct{} // closed when inFlight is 0; replaced when it grows
}

type received struct {
	msg []byte
	err error
}

func newDrain(inner channel.Channel, stop <-chan struct{}, grace time.Duration) *drain {
	idle := make(chan struct{})
	close(idle)
	return &drain{inner: inner, stop: stop, grace: grace, next: make(chan received, 1), idle: idle}
}

// Recv is for one goroutine at a time.
func (d *drain) Recv() ([]byte, error) {
	if !d.reading {
		d.reading = true
		// One read at a time: the end is told after what came before it.
		go func() {
			msg, err := d.inner.Recv()
			d.next <- received{msg, err}
		}()
	}
	select {
	case r := <-d.next:
		d.reading = false
		if r.err != nil {
			d.wait()
			return nil, r.err
		}
		d.count(requests(r.msg))
		return r.msg, nil
	case <-d.stop:
		d.wait()
		return nil, io.EOF
	}
}

// Send is serialised by the caller.
func (d *drain) Send(msg []byte) error {
	err := d.inner.Send(msg)
	d.count(-answers(msg))
	return err
}

func (d *drain) Close() error { return d.inner.Close() }

func (d *drain) count(n int) {
	if n == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.inFlight
	d.inFlight = max(0, d.inFlight+n)
	switch {
	case before == 0 && d.inFlight > 0:
		d.idle = make(chan struct{})
	case before > 0 && d.inFlight == 0:
		close(d.idle)
	}
}

func (d *drain) wait() {
	d.mu.Lock()
	idle := d.idle
	d.mu.Unlock()
	timer := time.NewTimer(d.grace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}

// envelope is what tells a request from a notification and an answer.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func envelopes(msg []byte) []envelope {
	if one, ok := peek(msg); ok {
		return []envelope{one}
	}
	var many []envelope
	if json.Unmarshal(msg, &many) == nil {
		return many
	}
	return nil
}

// peek reads the envelope of a single message and stops when it knows enough.
// Usually that is before the parameters or the result, which may be 20 MiB.
func peek(msg []byte) (e envelope, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(msg))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return e, false
	}
	for dec.More() && (e.ID == nil || e.Method == "") {
		key, err := dec.Token()
		if err != nil {
			return e, false
		}
		var into any
		switch key {
		case "id":
			into = &e.ID
		case "method":
			into = &e.Method
		case "result", "error":
			if e.ID != nil {
				return e, true // an answer
			}
		}
		if into == nil {
			into = new(json.RawMessage)
		}
		if err := dec.Decode(into); err != nil {
			return e, false
		}
	}
	return e, true
}

// requests counts the requests of a message: each gets exactly one answer.
func requests(msg []byte) (n int) {
	for _, e := range envelopes(msg) {
		if e.Method != "" && hasID(e) {
			n++
		}
	}
	return n
}

func answers(msg []byte) (n int) {
	for _, e := range envelopes(msg) {
		if e.Method == "" && hasID(e) {
			n++
		}
	}
	return n
}

func hasID(e envelope) bool { return len(e.ID) > 0 && string(e.ID) != "null" }
