package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// refused waits for an error that answers no request.
func (c *client) refused() (code protocol.Code, fault protocol.Fault) {
	c.t.Helper()
	for {
		f := c.next()
		if f == nil {
			c.t.Fatal("the stream ended without a refusal")
		}
		if string(f["id"]) != "null" {
			continue
		}
		var e struct {
			Code protocol.Code
			Data protocol.ErrorData
		}
		if err := json.Unmarshal(f["error"], &e); err != nil {
			c.t.Fatal(err)
		}
		return e.Code, e.Data.Fault
	}
}

func TestFrameTooLarge(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	size := protocol.MaxFrameBytes + 1
	c.write(fmt.Sprintf("Content-Length: %d\r\n\r\n", size))
	if code, fault := c.refused(); code != protocol.CodeTooLarge || fault != protocol.FaultTooLarge {
		t.Errorf("refused with %d %s", code, fault)
	}
	c.write(strings.Repeat(" ", size))
	c.send(request(1, protocol.MethodHealth, `{}`))
	if a := c.answer(1); a.code != 0 {
		t.Errorf("the next request: %+v", a)
	}
	// Announced, and then the input ends: an end like any other.
	c.write("Content-Length: 99999999999\r\n\r\n{}")
	c.in.Close()
	if code, _ := c.refused(); code != protocol.CodeTooLarge {
		t.Errorf("refused with %d", code)
	}
	c.end()
}

// nothing is a stream of blanks that takes no room.
type nothing struct{}

func (nothing) Read(p []byte) (int, error) { return len(p), nil }

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

func TestFrameTooLargeIsNotHeld(t *testing.T) {
	const size = 300 << 20
	f := newFrames(io.MultiReader(
		strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)), io.LimitReader(nothing{}, size), strings.NewReader(frame("{}")),
	), discard{io.Discard})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	msg, err := f.Recv()
	runtime.ReadMemStats(&after)
	if string(msg) != "{}" || err != nil {
		t.Errorf("next frame = %q, %v", msg, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("%d bytes were allocated to pass over a frame", grown)
	}
}

// A stream whose next frame cannot be found is answered once and left in order.
func TestBadHeader(t *testing.T) {
	for name, header := range map[string]string{
		"no number":       "Content-Length: many\r\n\r\n{}",
		"negative":        "Content-Length: -5\r\n\r\n{}",
		"beyond counting": "Content-Length: 99999999999999999999999\r\n\r\n{}",
		"no length":       "Content-Type: text/plain\r\n\r\n{}",
		"no header":       "{\"jsonrpc\":\"2.0\"}\n",
		"endless line":    strings.Repeat("x", longestHeader+1),
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, nil)
			c.initialize()
			go io.WriteString(c.in, header) // the rest may never be read
			if code, _ := c.refused(); code != protocol.CodeParse {
				t.Errorf("refused with %d", code)
			}
			for f := c.next(); f != nil; f = c.next() {
				if string(f["id"]) == "null" {
					t.Errorf("refused a second time: %s", f["error"])
				}
			}
			select {
			case err := <-c.ended:
				var lost *frameError
				if !errors.As(err, &lost) || strings.Contains(err.Error(), "\n") {
					t.Errorf("Serve: %v", err)
				}
			case <-time.After(patience):
				t.Fatal("Serve does not return")
			}
			if !c.fake.closed.Load() {
				t.Error("the engine is still open")
			}
		})
	}
}
