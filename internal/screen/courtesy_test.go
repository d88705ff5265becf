package screen

import "testing"

// Thanks and leave to go on in one breath need no memory; what asks something
// behind them does.
func TestCourtesyInParts(t *testing.T) {
	for prompt, skip := range map[string]bool{
		"thanks, go ahead":                          true,
		"Great, thank you! Please continue.":        true,
		"谢谢，请继续":                                    true,
		"好的，继续吧":                                    true,
		"Merci, continue s'il te plaît":             true,
		"Gracias, continúa por favor":               true,
		"Спасибо, продолжай":                        true,
		"감사합니다, 계속해 주세요":                            true,
		"ありがとう、続けてください":                             true,
		"Danke, mach weiter":                        true,
		"thanks, now book my usual seat":            false,
		"谢谢，我平时喝什么茶？":                               false,
		"ok, and which port does staging listen on": false,
		"好的，把我喜欢的座位订上":                              false,
	} {
		if got := SkipRecall(prompt); got != skip {
			t.Errorf("%q: %t", prompt, got)
		}
	}
}
