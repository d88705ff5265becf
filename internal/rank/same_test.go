package rank

import "testing"

func TestSameMatter(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"the oven runs hot", "The oven is running hot", true},
		{"Mara prefers the window seat", "Mara likes a window seat best", true},
		{"The user prefers tea", "the User likes tea", true},
		{"Deploys happen on Tuesday at 10:30", "On Tuesday, 10:30, is the deploy", true},
		{"Mara mag Fensterplätze", "Mara mag am liebsten Fensterplätze", true},
		{"会议记录放在云端硬盘", "会议记录放在云端硬盘里面", true},
		{"", "", true},

		{"db-prod-07 runs in the Frankfurt data centre", "db-prod-08 runs in the Frankfurt data centre", false},
		{"Invoice 1003 of Acme is still open.", "Invoice 1004 of Acme is still open.", false},
		{"the build takes 14 minutes", "the build takes 12 minutes", false},
		{"the build takes two hours", "the build takes three hours", false},
		{"Mara likes the window seat", "Nora likes the window seat", false},
		{"we met Mara in Lisbon", "we met Mara in Porto", false},
		{"the meeting is on Monday", "the meeting is on Wednesday", false},
		{"la reunión es el lunes", "la reunión es el martes", false},
		{"Mara likes coffee", "Mara does not like coffee", false},
		{"Mara mag Kaffee", "Mara mag keinen Kaffee", false},
		{"svc_billing_a is slow", "svc_billing_b is slow", false},
		{"田中さんは窓側の席が好き", "山田さんは窓側の席が好き", false},
		{"会议在周三", "会议不在周三", false},
		{"张伟喜欢靠窗的座位", "李娜喜欢靠窗的座位", false},
		{"Mara prefers the window seat", "マラは窓側の席が好き", false}, // names cannot be compared
		{"gate 9", "", false},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := SameMatter(pair[0], pair[1]); got != c.want {
				t.Errorf("%q, %q: %v, want %v", pair[0], pair[1], got, c.want)
			}
		}
	}
}
