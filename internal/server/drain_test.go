package server

import "testing"

func TestCounting(t *testing.T) {
	for _, c := range []struct {
		msg               string
		requests, answers int
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"health","params":{"id":null}}`, 1, 0},
		{`{"params":{"method":"inner","id":7},"method":"health","id":"a"}`, 1, 0},
		{`{"jsonrpc":"2.0","method":"log","params":{"id":3}}`, 0, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{"method":"inner"}}`, 0, 1},
		{`{"result":{"id":9},"id":1}`, 0, 1},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32700}}`, 0, 1},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`, 0, 0},
		{`[{"id":1,"method":"a"},{"id":2,"method":"b"},{"method":"c"}]`, 2, 0},
		{`[{"id":1,"result":1},{"id":2,"error":{}}]`, 0, 2},
		{`not JSON`, 0, 0},
		{`{"id":1,`, 0, 0},
		{``, 0, 0},
	} {
		if r, a := requests([]byte(c.msg)), answers([]byte(c.msg)); r != c.requests || a != c.answers {
			t.Errorf("%s: %d requests, %d answers; want %d, %d", c.msg, r, a, c.requests, c.answers)
		}
	}
}

func FuzzPeek(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"health"}`))
	f.Add([]byte(`[{"id":1},{}]`))
	f.Fuzz(func(t *testing.T, msg []byte) {
		if requests(msg) < 0 || answers(msg) < 0 {
			t.Fail()
		}
	})
}
