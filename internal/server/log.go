package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// notifier is the part of jrpc2.Server that sends notifications.
type notifier interface {
	Notify(ctx context.Context, method string, params any) error
}

// logHandler sends log lines to the host's logger, or to the error stream when
// nobody listens any more.
type logHandler struct {
	to     notifier
	errors io.Writer
	level  slog.Leveler
	attrs  []slog.Attr
	group  string
}

func newLogHandler(to notifier, errors io.Writer, level slog.Leveler) *logHandler {
	return &logHandler{to: to, errors: errors, level: level}
}

func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.level.Level()
}

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	line := protocol.LogParams{Level: levelName(r.Level), Message: r.Message}
	add := func(a slog.Attr) bool {
		if line.Fields == nil {
			line.Fields = map[string]any{}
		}
		line.Fields[a.Key] = plain(a.Value)
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(func(a slog.Attr) bool { a.Key = h.group + a.Key; return add(a) })
	if err := h.to.Notify(context.WithoutCancel(ctx), protocol.MethodLog, line); err != nil {
		_, err = fmt.Fprintf(h.errors, "memory-pro: %s: %s %v\n", line.Level, line.Message, line.Fields)
		return err
	}
	return nil
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = append([]slog.Attr{}, h.attrs...)
	for _, a := range attrs {
		a.Key = h.group + a.Key
		c.attrs = append(c.attrs, a)
	}
	return &c
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	c := *h
	c.group += name + "."
	return &c
}

func levelName(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "error"
	case l >= slog.LevelWarn:
		return "warn"
	case l >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}

// plain makes a value that JSON can carry.
func plain(v slog.Value) any {
	v = v.Resolve()
	switch v.Kind() {
	case slog.KindString, slog.KindBool, slog.KindInt64, slog.KindUint64:
		return v.Any()
	}
	return v.String()
}
