package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// frames is a channel of messages with Content-Length headers. It looks at the
// length before it makes room: what is over the maximum is refused, passed over
// and not held, and the next frame is read as if nothing had been.
//
// Other headers are ignored; the JSON of a frame decides what it is.
type frames struct {
	in *bufio.Reader

	// mu keeps refusals out of the middle of answers: the reader sends the former,
	// the server the latter.
	mu  sync.Mutex
	out io.WriteCloser
}

// longestHeader bounds one line of a header.
const longestHeader = 16 << 10

func newFrames(in io.Reader, out io.WriteCloser) *frames {
	return &frames{in: bufio.NewReaderSize(in, longestHeader), out: out}
}

// frameError says that nobody knows where the next frame begins.
type frameError struct{ problem string }

func (e *frameError) Error() string {
	return "reading a frame: " + e.problem + "; send Content-Length: BYTES, an empty line, and the message, and start memory-pro serve again"
}

// Recv gives the next message. After a frameError nothing more can be read.
func (f *frames) Recv() ([]byte, error) {
	for {
		size, err := f.header()
		var lost *frameError
		if errors.As(err, &lost) {
			// The sender may be gone; that the stream is lost is the error that counts.
			_ = f.refuse(refusal{Code: protocol.CodeParse, Message: err.Error()})
		}
		if err != nil {
			return nil, err
		}
		if size <= protocol.MaxFrameBytes {
			msg := make([]byte, size)
			_, err := io.ReadFull(f.in, msg)
			return msg, err
		}
		data := protocol.DataFor(protocol.FaultTooLarge)
		if err := f.refuse(refusal{
			Code: protocol.CodeTooLarge, Data: &data,
			Message: fmt.Sprintf("reading a frame: it has %d bytes; at most %d are read, so send less at once", size, protocol.MaxFrameBytes),
		}); err != nil {
			return nil, err
		}
		if _, err := io.CopyN(io.Discard, f.in, size); err != nil {
			return nil, err
		}
	}
}

// header reads up to the empty line and gives the announced length.
func (f *frames) header() (int64, error) {
	length := ""
	for {
		raw, err := f.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return 0, &frameError{fmt.Sprintf("a header line is longer than %d bytes", longestHeader)}
		case err != nil && len(raw) == 0:
			return 0, err
		}
		line := strings.TrimRight(string(raw), "\r\n")
		if line == "" {
			break
		}
		name, value, found := strings.Cut(line, ":")
		if !found || strings.ContainsAny(name, "{[\" ") { // as of JSON in lines
			return 0, &frameError{fmt.Sprintf("%.40q is no header", line)}
		}
		if strings.EqualFold(name, "Content-Length") {
			length = strings.TrimSpace(value)
		}
	}
	if length == "" {
		return 0, &frameError{"the header has no Content-Length"}
	}
	size, err := strconv.ParseUint(length, 10, 63)
	if err != nil {
		return 0, &frameError{fmt.Sprintf("Content-Length is %.40q, which is no length", length)}
	}
	return int64(size), nil
}

// Send writes one message.
func (f *frames) Send(msg []byte) error {
	frame := make([]byte, 0, len(msg)+40)
	frame = fmt.Appendf(frame, "Content-Length: %d\r\n\r\n", len(msg))
	frame = append(frame, msg...)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.out.Write(frame)
	return err
}

func (f *frames) Close() error { return f.out.Close() }

// refusal is the error object of JSON-RPC.
type refusal struct {
	Code    protocol.Code       `json:"code"`
	Message string              `json:"message"`
	Data    *protocol.ErrorData `json:"data,omitempty"`
}

// refuse answers a frame whose id was not read.
func (f *frames) refuse(r refusal) error {
	msg, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   refusal         `json:"error"`
	}{"2.0", json.RawMessage("null"), r})
	if err != nil {
		return err
	}
	return f.Send(msg)
}
