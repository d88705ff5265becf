package rerank

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// errAnswer is an answer that cannot be used.
var errAnswer = errors.New("unusable answer")

// read finds the scores in an answer to n documents, by their index. The list is
// the answer itself, or under results, data or output.results; an index may be
// text; one that is foreign or no index is left out, and of one that is there
// twice the first counts. Scores come out in [0,1].
//
// Documents without a score are no fault: a provider may answer with its best
// only. But an answer with a score for each of n documents, most of which go to
// the same few of them, comes from a server that does not tell documents apart:
// with fewer than half of them scored it is an error, and the caller keeps its order.
func read(body []byte, n int, scoreNames []string) (map[int]float64, error) {
	items, err := list(body)
	if err != nil {
		return nil, err
	}
	if len(items) > 100+10*n {
		return nil, fmt.Errorf("it answered with %d results for %d documents: %w", len(items), n, errAnswer)
	}
	scores, given := map[int]float64{}, 0
	for _, raw := range items {
		var item map[string]json.RawMessage
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		at, ok := number(item["index"])
		if !ok || at != math.Trunc(at) || at < 0 || at >= float64(n) {
			continue
		}
		for _, name := range scoreNames {
			if s, ok := number(item[name]); ok {
				given++
				if _, twice := scores[int(at)]; !twice {
					scores[int(at)] = s
				}
				break
			}
		}
	}
	if len(scores) == 0 {
		return nil, fmt.Errorf("it answered with no score for any of %d documents: %w", n, errAnswer)
	}
	if given >= n && 2*len(scores) < n {
		return nil, fmt.Errorf("it answered with %d scores for only %d of %d documents: %w", given, len(scores), n, errAnswer)
	}
	squash(scores)
	return scores, nil
}

// list finds the list of an answer.
func list(body []byte) ([]json.RawMessage, error) {
	body = bytes.TrimSpace(body)
	var items []json.RawMessage
	if json.Unmarshal(body, &items) == nil {
		return items, nil
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("it answered with something that is no JSON object: %w", errAnswer)
	}
	var output map[string]json.RawMessage
	_ = json.Unmarshal(answer["output"], &output) // without one there are no results in it
	for _, raw := range []json.RawMessage{answer["results"], answer["data"], output["results"]} {
		if json.Unmarshal(raw, &items) == nil && items != nil {
			return items, nil
		}
	}
	none := &provider.SaidError{What: "it answered without a list of results", Err: errAnswer}
	for _, name := range []string{"error", "message", "detail"} {
		if raw, ok := answer[name]; ok && none.Said == "" {
			none.Said = string(raw)
		}
	}
	return nil, none
}

// number reads a JSON number, also one that was written as text.
func number(raw json.RawMessage) (float64, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// rounding is how far a probability may lie outside by arithmetic alone.
const rounding = 1e-4

// squash brings scores into [0,1]. If any lies outside they are logits, all of
// them, and go through the logistic function 1/(1+exp(-x)), which keeps their
// order; scores that lie inside stay as they are.
func squash(scores map[int]float64) {
	logits := false
	for _, s := range scores {
		logits = logits || s < -rounding || s > 1+rounding
	}
	for i, s := range scores {
		if logits {
			s = 1 / (1 + math.Exp(-s))
		}
		scores[i] = min(max(s, 0), 1)
	}
}
