package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// figure is one line of the report.
type figure struct {
	Name  string  `json:"name"`
	Size  int     `json:"size,omitempty"` // memories in the store
	Unit  string  `json:"unit"`
	Value float64 `json:"value"` // the p50 of a timing
	P95   float64 `json:"p95,omitempty"`
	P99   float64 `json:"p99,omitempty"`
	Min   float64 `json:"min,omitempty"`
	N     int     `json:"n,omitempty"`
	// Goal is what the figure should be, in words. Nothing passes or fails by it.
	Goal   string  `json:"goal,omitempty"`
	PeerIs float64 `json:"peer,omitempty"`
	// Ratio is this figure divided by the peer's; for rates the other way round,
	// so that below 1 is always better.
	Ratio float64 `json:"ratio,omitempty"`
}

type report struct {
	peer     peerFigures
	figures  []figure
	progress io.Writer // told of each figure; may be nil
}

// peerFigures are recorded figures of another implementation: size ("1k",
// "10k") → name → value.
type peerFigures map[string]map[string]float64

func loadPeer(path string) (peerFigures, error) {
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading PEER_FIGURES: %w", err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return nil, fmt.Errorf("reading PEER_FIGURES %s: %w", path, err)
	}
	peer := peerFigures{}
	for size, v := range raw {
		var m map[string]float64
		if json.Unmarshal(v, &m) == nil {
			peer[size] = m
		}
	}
	return peer, nil
}

func (r *report) add(f figure, peerName string) {
	if p := r.peer[fmt.Sprintf("%dk", f.Size/1000)][peerName]; peerName != "" && p > 0 && f.Value > 0 {
		f.PeerIs, f.Ratio = p, f.Value/p
	}
	r.figures = append(r.figures, f)
	if r.progress != nil {
		fmt.Fprintf(r.progress, "%s, %d memories: %.4g %s, p95 %.4g, p99 %.4g\n", f.Name, f.Size, f.Value, f.Unit, f.P95, f.P99)
	}
}

// timing adds the spread of durations, in milliseconds.
func (r *report) timing(name string, size int, ds []time.Duration, peerName string) {
	ms := make([]float64, len(ds))
	for i, d := range ds {
		ms[i] = float64(d) / float64(time.Millisecond)
	}
	slices.Sort(ms)
	at := func(q float64) float64 { return ms[min(len(ms)-1, int(q*float64(len(ms))))] }
	r.add(figure{Name: name, Size: size, Unit: "ms", Value: at(0.5), P95: at(0.95), P99: at(0.99), Min: ms[0], N: len(ms)}, peerName)
}

// want puts a goal beside the figure added last.
func (r *report) want(goal string) { r.figures[len(r.figures)-1].Goal = goal }

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
	fmt.Fprintln(t, "measure\tmemories\tp50 or value\tgoal\tmin\tp95\tp99\tn\tpeer\tours / peer")
	for _, f := range r.figures {
		row := []string{f.Name, blank(float64(f.Size), "%.0f"), fmt.Sprintf("%.4g %s", f.Value, f.Unit), f.Goal,
			blank(f.Min, "%.3g"), blank(f.P95, "%.3g"), blank(f.P99, "%.3g"), blank(float64(f.N), "%.0f"), blank(f.PeerIs, "%.4g"), blank(f.Ratio, "%.3f")}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
}

func blank(v float64, format string) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
