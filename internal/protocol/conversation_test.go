package protocol

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgentEndMessages(t *testing.T) {
	for _, c := range []struct {
		messages string
		want     []string
		refused  bool
	}{
		{`[{"role":"user","content":"a"},{"role":"assistant"}]`, []string{"user", "assistant"}, false},
		{`[{"role":"user"},null,{"role":"assistant"}]`, []string{"user", "assistant"}, false},
		{`[7,"text",true,[],{"role":7},{"role":"user","timestamp":"now"},{"role":"user"}]`, []string{"user"}, false},
		{`[null]`, nil, false},
		{`[]`, nil, false},
		{`null`, nil, false},
		{`{"role":"user"}`, nil, true},
		{`"user"`, nil, true},
		{`7`, nil, true},
	} {
		var p AgentEndParams
		err := json.Unmarshal([]byte(`{"event":{"messages":`+c.messages+`,"success":true}}`), &p)
		var got []string
		for _, m := range p.Event.Messages {
			got = append(got, m.Role)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != c.refused {
			t.Errorf("%s: %v (-want +got)\n%s", c.messages, err, diff)
		}
		// The refusal can say which parameter is meant.
		var wrong *json.UnmarshalTypeError
		if c.refused && (!errors.As(err, &wrong) || wrong.Field != "event.messages") {
			t.Errorf("%s: error %#v", c.messages, err)
		}
	}
}
