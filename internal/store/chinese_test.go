package store

import (
	"slices"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/hanzi"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// B03: a word typed in one script of Chinese finds a memory in the other, by LanceDB
// alone and with what is held in memory; what is no such word is found as before.
func TestChineseMatchesInBothScripts(t *testing.T) {
	traditional, simplified := "會議記錄放在雲端硬碟", "会议记录由小林整理"
	hair, shown, taipei := "她的頭髮很長，週五要剪", "我們什麼時候發布支付網關", "下週去台灣出差"
	desk := "机の上に鍵がある"
	noHandlesLeft(t)
	for name, resident := range map[string]bool{"LanceDB": false, "in memory": true} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			insert(t, s, mem(traditional), mem(simplified), mem(hair), mem(shown), mem(taipei), mem(desk), mem("green tea at noon"))
			if resident {
				withMirror(t, s)
			}
			for query, want := range map[string][]string{
				"会议记录":   {simplified, traditional},
				"會議記錄":   {simplified, traditional},
				"云端硬碟":   {traditional},
				"头发":     {hair},
				"发布支付网关": {shown},
				"臺灣出差":   {taipei},
				"台湾出差":   {taipei},
				"鍵":      {desk},
				"green":  {"green tea at noon"},
			} {
				got := matching(t, s, query, 5)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%q finds %q, want %q", query, got, want)
				}
			}
			if got := matching(t, s, "会议记录", 1); len(got) != 1 {
				t.Errorf("one asked for, %q found", got)
			}
		})
	}
}

// A store in one script ranks and scores as if there were no other, and searches once.
func TestOneScriptIsSearchedOnce(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, mem("项目会议安排在周五"), mem("项目负责人是王芳"), mem("安排好酒店"))
	m := withMirror(t, s)
	if m.holds(hanzi.Traditional) || !m.holds(hanzi.Simplified) {
		t.Fatal("these rows are in simplified script and no other")
	}
	searches := 0
	search := func(string) ([]memory.Hit, error) { searches++; return nil, nil }
	if _, err := inBothScripts(m, "项目会议安排", 5, search); err != nil || searches != 1 {
		t.Errorf("%d searches, %v", searches, err)
	}
	traditional := mem("項目會議")
	insert(t, s, traditional)
	if m = s.mirrorFresh(t.Context()); m == nil || !m.holds(hanzi.Traditional) {
		t.Error("the row in traditional script is not noticed")
	}
	remove(t, s, traditional.ID)
	if m = s.mirrorFresh(t.Context()); m == nil || m.holds(hanzi.Traditional) {
		t.Error("the row in traditional script is gone, yet counted")
	}
}
