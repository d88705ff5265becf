package server

import (
	"encoding/json"
	"testing"
)

func TestBadParamsInGoodEnglish(t *testing.T) {
	for given, want := range map[string]string{
		`{"name":{}}`: "m: params.name cannot be an object", `{"name":[]}`: "m: params.name cannot be an array", `{"name":true}`: "m: params.name cannot be a bool",
	} {
		var into struct {
			Name string `json:"name"`
		}
		err := &badParamsError{"m", json.Unmarshal([]byte(given), &into)}
		if err.Error() != want {
			t.Errorf("%s", err)
		}
	}
}
