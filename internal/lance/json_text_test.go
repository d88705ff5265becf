package lance

import "testing"

func TestJSONSays(t *testing.T) {
	ctx := t.Context()
	table := openTable(t,
		row{id: "says", meta: `{"n":0,"state":"archived"}`},
		row{id: "says first", meta: `{"state":"archived","n":0}`},
		row{id: "says spaced", meta: " { \"n\" : 1 , \"state\" : \"archived\" , \"more\":{\"a\":[1]} } "},
		row{id: "says after texts and lists", meta: `{"t":"a \"{[\\","l":["x]}",1],"b":true,"n":1.5e3,"state":"archived"}`},
		row{id: "says another", meta: `{"n":0,"state":"gone"}`},
		row{id: "no other value", meta: `{"n":0,"state":"archived later"}`},
		row{id: "no longer key", meta: `{"n":0,"old_state":"archived"}`},
		row{id: "no key in a text", meta: `{"n":0,"t":"\"state\":\"archived\""}`},
		row{id: "no nested key", meta: `{"n":0,"old":{"state":"archived"}}`},
		row{id: "no key in a list", meta: `{"n":0,"old":[{"state":"archived"}]}`},
		row{id: "no JSON", meta: `{"n":0,"state":"archived"`},
		row{id: "no proof", meta: `{"state":"archived"}`},
		row{id: "no first of two", meta: `{"n":0,"state":"archived","state":"confirmed"}`},
		row{id: "no other spelling", meta: `{"n":0,"state":"archived","st\u0061te":"confirmed"}`},
		row{id: "no text", meta: `{"n":0,"state":["archived"]}`},
	)
	byID := []Order{{Column: "id"}}
	for name, c := range map[string]struct {
		p    Predicate
		want []string
	}{
		"one value":  {JSONSays("metadata", "state", "n", "archived"), []string{"says", "says after texts and lists", "says first", "says spaced"}},
		"two values": {JSONSays("metadata", "state", "n", "archived", "gone"), []string{"says", "says after texts and lists", "says another", "says first", "says spaced"}},
		"no value":   {JSONSays("metadata", "state", "n"), []string{}},
	} {
		rows, err := table.Scan(ctx, ScanQuery{Filter: c.p, OrderBy: byID})
		wantIDs(t, name, c.want, rows, err)
	}
	for _, p := range []Predicate{JSONSays("metadata", "a'b", "n", "x"), JSONSays("metadata", "a", "n", "x|y"), JSONSays("m m", "a", "n", "x"), JSONSays("metadata", "a", "n", "")} {
		if sql, err := SQL(p); err == nil {
			t.Errorf("%#v is written as %s", p, sql)
		}
	}
}
