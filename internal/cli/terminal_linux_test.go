package cli

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs a command whose input and output are a terminal of so many
// columns, types the answers, and gives what appeared on the screen.
func onTerminal(t *testing.T, columns int, answers string, args ...string) (code int, screen string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	if _, err := master.WriteString(answers); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, master) // ends with an error when the other side closes
		seen <- strings.ReplaceAll(b.String(), "\r\n", "\n")
	}()
	code = (&app{in: slave, out: slave, err: io.Discard}).run(t.Context(), args)
	slave.Close()
	return code, <-seen
}

func TestTablesAndColoursOnATerminal(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("OPENCLAW_STATE_DIR", home)
	t.Setenv("MEMORY_PRO_MODEL", "off")
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	var out bytes.Buffer
	run := func(args ...string) {
		t.Helper()
		a := &app{in: strings.NewReader(""), out: &out, err: io.Discard}
		if code := a.run(t.Context(), args); code != exitOK {
			t.Fatalf("%v: exit code %d", args, code)
		}
	}
	run("store", "会议在每周一上午九点于三楼大会议室举行，请大家准时到达，并带上上周的进度报告", "--scope", "agent:main")

	for _, no := range []string{"", "1"} {
		t.Setenv("NO_COLOR", no)
		code, screen := onTerminal(t, 60, "", "list")
		if code != exitOK || !strings.Contains(screen, "TEXT") || !strings.Contains(screen, "会议在每") {
			t.Errorf("code %d, screen:\n%s", code, screen)
		}
		if colours := strings.Contains(screen, "\x1b[1m"); colours == (no != "") {
			t.Errorf("NO_COLOR=%q: colours %v", no, colours)
		}
		if no == "" {
			continue
		}
		for line := range strings.Lines(screen) {
			if w := width(strings.TrimRight(line, "\n")); w > 60 {
				t.Errorf("%d columns: %q", w, line)
			}
		}
	}
	// What is not a terminal gets the plain lines that scripts know.
	out.Reset()
	run("list")
	if got := out.String(); !strings.HasPrefix(got, "1 memory:\n\n1. [") || strings.Contains(got, "\x1b") {
		t.Errorf("plain output: %q", got)
	}
}

func TestSetupAsks(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("OPENCLAW_STATE_DIR", home)
	t.Setenv("MEMORY_PRO_MODEL", "off")
	file := home + "/openclaw.json"
	before := `{"plugins": {"entries": {"memory-lancedb-pro": {}}}}`
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, screen := onTerminal(t, 80, "n\n", "setup"); code == exitOK || !strings.Contains(screen, "allowConversationAccess") {
		t.Errorf("no: code %d, screen:\n%s", code, screen)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("after a no: %s, %v", text, err)
	}
	if code, screen := onTerminal(t, 80, "y\n", "setup"); code != exitOK || !strings.Contains(screen, "found by keywords and deleted again") {
		t.Errorf("yes: code %d, screen:\n%s", code, screen)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"memory": "memory-lancedb-pro"`) {
		t.Errorf("after a yes: %s, %v", text, err)
	}
}
