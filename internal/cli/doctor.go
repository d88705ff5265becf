package cli

import (
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/doctor"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/host"
)

func (a *app) doctorCommand() *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what keeps memory from working, and say what to do",
		Long: `Look at the native library, the configuration, the embedding model, the database
and its lock, and at how OpenClaw is set up; say what is wrong and what to do.
Nothing is changed. The embedding provider is sent one fixed sentence. Up to 200,000
memories are read one and all, to find files that are damaged inside.

With --repair the database is opened, which mends a damaged table, every memory is
read, however many there are, and those that were lost with damaged files are
brought back from what is readable of them, the journal and the newest backup that
verifies. Nothing is deleted: what is taken out of the table is kept
in .memory-pro.aside beside it. Run it again whenever you like.

Each line is one of
  ok    as it should be
  note  good to know
  warn  works, but less well than it could
  fail  does not work
The exit code is 1 if anything fails, and 0 otherwise. With --json: an object
{"ok", "counts", "checks": [{"check", "status", "summary", "next", "commands",
"facts"}]}; the last three only where there is something to say.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, done := a.patient(time.Now())
			defer done()
			var before []doctor.Finding
			if repair {
				before = append(before, doctor.Repair(cmd.Context(), p))
			}
			report := doctor.Examine(cmd.Context(), p, before...)
			for i := range report.Findings {
				for j, command := range report.Findings[i].Commands {
					report.Findings[i].Commands[j] = a.typed(command)
				}
			}
			if !report.OK {
				a.code = exitFailure
			}
			if a.json {
				return a.printJSON(report)
			}
			a.printReport(report)
			return nil
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "mend the database and bring back what can be")
	return cmd
}

// patient gathers what can be had; what cannot is for the report.
func (a *app) patient(now time.Time) (*doctor.Patient, func()) {
	p := &doctor.Patient{Now: now, Inside: a.configFD > 2}
	loaded, err := config.Load(config.Source{FD: a.configFD})
	done := func() {}
	p.Origin = loaded.Origin
	if err != nil {
		p.ConfigError = err
	} else {
		p.Config, p.ConfigError = loaded.Parse()
		quiet := slog.New(slog.DiscardHandler) // the report says it all
		e, err := a.open(loaded, quiet, false)
		switch {
		case err == nil:
			p.Engine = e
			p.Config.DBPath = e.Health().StorePath
			done = func() { _ = e.Close() } // nothing was written
		case !config.Fatal(p.ConfigError):
			p.EngineError = err
		}
	}
	if file := config.HostFile(loaded.Env); file != "" {
		p.Host, p.HostError = host.Read(file)
	}
	return p, done
}

// typed is a command as the reader has to type it: through the host, the
// program is a subcommand of its.
func (a *app) typed(command string) string {
	if a.configFD > 2 && strings.HasPrefix(command, "memory-pro ") {
		return "openclaw " + command
	}
	return command
}

var statusStyle = map[doctor.Status]style{doctor.OK: green, doctor.Note: dim, doctor.Warn: yellow, doctor.Fail: red}

func (a *app) printReport(report doctor.Report) {
	s, widest := a.screen(), 0
	for _, f := range report.Findings {
		widest = max(widest, len(f.Check))
	}
	margin := strings.Repeat(" ", len("fail")+len(gap)+widest+len(gap))
	for _, f := range report.Findings {
		a.printf("%s%s%s%s%s\n", s.paint(statusStyle[f.Status], pad(string(f.Status), 4)), gap, pad(f.Check, widest), gap,
			wrap(f.Summary, s.width-len(margin), margin))
		if f.Next != "" {
			a.printf("%s%s\n", margin, s.paint(dim, "next: "+wrap(f.Next, s.width-len(margin), margin)))
		}
		for _, command := range f.Commands {
			a.printf("%s%s\n", margin, s.paint(bold, "run: "+command)) // whole, so that it can be copied
		}
	}
	c := report.Counts
	a.printf("\n%d ok, %d to note, %d to warn about, %d failed\n", c[doctor.OK], c[doctor.Note], c[doctor.Warn], c[doctor.Fail])
}

// wrap breaks a text into lines of so many columns; 0 or less leaves it whole.
func wrap(text string, columns int, margin string) string {
	if columns < 20 {
		return strings.ReplaceAll(text, "\n", "\n"+margin)
	}
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(text) {
		switch w := width(word); {
		case used == 0:
			used = w
		case used+1+w > columns:
			b.WriteString("\n" + margin)
			used = w
		default:
			b.WriteByte(' ')
			used += 1 + w
		}
		b.WriteString(word)
	}
	return b.String()
}
