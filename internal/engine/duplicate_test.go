package engine

import "testing"

func TestSameText(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Tea is at four", "tea  is at FOUR.", true},
		{"Ｔｅａ at four", "Tea at four", true},
		{"茶は四時。", "茶は四時", true},
		{"Tea is at four", "Tea is at five", false},
		{"Tea is at 4", "Tea is at 4?", false},
	} {
		if got := sameText(c.a, c.b); got != c.want {
			t.Errorf("sameText(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestTextEvidence(t *testing.T) {
	for _, c := range []struct {
		a, b           string
		similar        bool
		numbers, names bool
	}{
		{"Mara prefers window seats", "Mara prefers aisle seats", true, true, true},
		{"The port is 8080", "The port is 9090", true, false, true},
		{"svc-billing-eu1 runs on port 80", "svc-billing-eu2 runs on port 80", true, true, false},
		{"Error E1043 is harmless", "Error E1044 is harmless", true, true, false},
		{"部署方案：周三晚上用蓝绿发布", "部署方案：周四晚上用蓝绿发布", true, true, true},
		{"Tea is at four", "The ferry leaves early", false, true, true},
		{"", "", false, true, true},
	} {
		got := compareTexts(c.a, c.b)
		if (got.overlap >= minOverlap) != c.similar || got.sameNumbers != c.numbers || got.sameNames != c.names {
			t.Errorf("compareTexts(%q, %q) = %+v", c.a, c.b, got)
		}
	}
}
