package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/textproto"
	"strconv"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// client is the other side of the stream, written as the shim's library writes.
type client struct {
	t      *testing.T
	fake   *fake
	in     io.WriteCloser
	frames chan map[string]json.RawMessage // closed at the end of the stream
	ended  chan error                      // what Serve returned
	cancel context.CancelFunc
}

// start serves a fake engine. The grace is short so that tests of hanging
// requests end soon.
func start(t *testing.T, change func(*Options)) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, frames: make(chan map[string]json.RawMessage, 1000), ended: make(chan error, 1)}
	c.fake = &fake{slow: make(chan struct{})}
	o := Options{
		In: inR, Out: outW, Version: "1.2.3", Grace: 200 * time.Millisecond,
		Open: func(p protocol.InitializeParams, log *slog.Logger) (Engine, error) {
			if bytes.Contains(p.Config, []byte("broken")) {
				return nil, &config.Error{Problems: []error{errors.New("embedding.model: found 7; allowed: a string")}}
			}
			c.fake.log = log
			return c.fake, nil
		},
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() { c.ended <- Serve(ctx, o) }()
	go c.read(outR)
	t.Cleanup(func() {
		cancel()
		inW.Close()
		outR.Close()
	})
	return c
}

// read splits the stream strictly: anything between frames is an error.
func (c *client) read(r io.Reader) {
	defer close(c.frames)
	buf := bufio.NewReaderSize(r, 1<<16)
	for {
		header, err := textproto.NewReader(buf).ReadMIMEHeader()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				c.t.Errorf("reading a header: %v", err)
			}
			return
		}
		size, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			c.t.Errorf("header %v: %v", header, err)
			return
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(buf, body); err != nil {
			c.t.Errorf("reading %d bytes: %v", size, err)
			return
		}
		if !bytes.HasPrefix(body, []byte("[")) {
			body = fmt.Appendf(nil, "[%s]", body)
		}
		var frames []map[string]json.RawMessage // several answer a batch
		if err := json.Unmarshal(body, &frames); err != nil {
			c.t.Errorf("frame %.80q: %v", body, err)
			return
		}
		for _, frame := range frames {
			c.frames <- frame
		}
	}
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func recallRequest(id int, query string, deadlineMs int) string {
	q, _ := json.Marshal(query)
	return request(id, protocol.MethodToolRecall, fmt.Sprintf(`{"context":{"agentId":"main"},"params":{"query":%s},"deadlineMs":%d}`, q, deadlineMs))
}

func storeRequest(id int, text string) string {
	q, _ := json.Marshal(text)
	return request(id, protocol.MethodToolStore, fmt.Sprintf(`{"context":{"agentId":"main"},"params":{"text":%s}}`, q))
}

func (c *client) write(raw string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, raw); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) send(body string) { c.t.Helper(); c.write(frame(body)) }

func (c *client) initialize() {
	c.t.Helper()
	c.send(request(0, protocol.MethodInitialize, `{"protocolVersion":1,"config":{}}`))
	if a := c.answer(0); a.code != 0 {
		c.t.Fatalf("initialize: %+v", a)
	}
}

type reply struct {
	result  json.RawMessage
	code    int
	message string
}

// answer waits for the answer to id and passes over everything else.
func (c *client) answer(id int) reply {
	c.t.Helper()
	for {
		f := c.next()
		if f == nil {
			c.t.Fatalf("the stream ended before the answer to request %d", id)
		}
		if string(f["id"]) != strconv.Itoa(id) {
			continue
		}
		r := reply{result: f["result"]}
		if raw, failed := f["error"]; failed {
			var e struct {
				Code    int
				Message string
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				c.t.Fatal(err)
			}
			r.code, r.message = e.Code, e.Message
		}
		return r
	}
}

// patience is only there to fail instead of hanging.
const patience = time.Minute

func (c *client) next() map[string]json.RawMessage {
	c.t.Helper()
	select {
	case f := <-c.frames:
		return f
	case <-time.After(patience):
		c.t.Fatal("nothing came over the stream")
		return nil
	}
}

// end waits for Serve to return and the stream to close.
func (c *client) end() {
	c.t.Helper()
	select {
	case err := <-c.ended:
		if err != nil {
			c.t.Errorf("Serve: %v", err)
		}
	case <-time.After(patience):
		c.t.Fatal("Serve does not return")
	}
}

// eventually polls a condition that another goroutine makes true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
