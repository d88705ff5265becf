package cli

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Make, list, verify and restore backups of all memories",
		Long: `The plugin backs up all memories once a day, to backups/memory-backup-<day>.jsonl
beside the database: a line a memory, without its vector, and a last line with
count and checksum. A backup counts once it was read back whole; the newest seven
stay (backup.keep; backup.enabled switches it off).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.backupNowCommand(), a.backupListCommand(), a.backupVerifyCommand(), a.backupRestoreCommand())
	return cmd
}

// backupJSON is a backup. Verified is false with a problem.
type backupJSON struct {
	File     string `json:"file"`
	Count    int    `json:"count"`
	Bytes    int64  `json:"bytes"`
	Finished string `json:"finishedAt,omitempty"`
	Verified bool   `json:"verified"`
	Problem  string `json:"problem,omitempty"`
	// After a backup was made: where a larger one of the same day is kept, and how
	// many memories less there are than in the last whole one.
	Kept   string `json:"kept,omitempty"`
	Before int    `json:"before,omitempty"`
	Fell   int    `json:"fell,omitempty"`
}

func backupOf(b engine.Backup) backupJSON {
	j := backupJSON{File: b.Path, Count: b.Count, Bytes: b.Bytes, Verified: b.Problem == nil, Kept: b.Kept, Before: b.Before, Fell: b.Fell}
	if !b.At.IsZero() {
		j.Finished = b.At.UTC().Format(time.RFC3339)
	}
	if b.Problem != nil {
		j.Problem = b.Problem.Error()
	}
	return j
}

// patiently is with, for as long as it takes.
func (a *app) patiently(run func(context.Context, *engine.Engine, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.patience = unhurried
		return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return run(ctx, e, args) })
	}
}

func (a *app) backupNowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "now",
		Short: "Make a backup at once; it replaces one of the same day that does not hold more",
		Args:  cobra.NoArgs,
		RunE: a.patiently(func(ctx context.Context, e *engine.Engine, _ []string) error {
			made, err := e.BackupNow(ctx)
			if err != nil {
				return err
			}
			if made.Fell > 0 {
				a.notef("warning: %d %s fewer than in the last whole backup, which has %d; unless you deleted them, see what %s says",
					made.Fell, plural(made.Fell), made.Before, a.typed("memory-pro doctor"))
			}
			if made.Kept != "" {
				a.notef("the earlier backup of today holds more and is kept: %s", made.Kept)
			}
			if a.json {
				return a.printJSON(backupOf(made))
			}
			a.printf("Backed up %d %s to %s (%s), and read it back.\n", made.Count, plural(made.Count), made.Path, size(made.Bytes))
			return nil
		}),
	}
}

func (a *app) backupListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the backups, newest first, and whether each is whole",
		Long: `List the backups of the database, newest first. Each is read whole, and its count
and checksum compared. With --json: {"directory","enabled","overdue","failures",
"lastError","backups"}.`,
		Args: cobra.NoArgs,
		RunE: a.patiently(func(ctx context.Context, e *engine.Engine, _ []string) error {
			s, err := e.Backups(ctx)
			if err != nil {
				return err
			}
			return a.listBackups(s)
		}),
	}
}

func (a *app) listBackups(s engine.BackupState) error {
	if s.Failures > 0 {
		a.notef("the daily backup has failed since %s (%d times): %s", s.Since.UTC().Format(time.RFC3339), s.Failures, s.LastError)
	}
	if a.json {
		list := make([]backupJSON, 0, len(s.Backups))
		for _, b := range s.Backups {
			list = append(list, backupOf(b))
		}
		return a.printJSON(map[string]any{
			"directory": s.Dir, "enabled": s.Enabled, "overdue": s.Overdue, "failures": s.Failures, "lastError": s.LastError, "backups": list,
		})
	}
	if len(s.Backups) == 0 {
		a.printf("No backups in %s.\n", s.Dir)
		return nil
	}
	rows := make([][]string, len(s.Backups))
	for i, b := range s.Backups {
		says := "whole"
		switch {
		case b.Unstated:
			says = "readable; nothing says whether it is whole"
		case b.Problem != nil:
			says = b.Problem.Error()
		}
		rows[i] = []string{filepath.Base(b.Path), strconv.Itoa(b.Count), size(b.Bytes), says}
	}
	a.printf("In %s:\n", s.Dir)
	if screen := a.screen(); screen.width > 0 {
		a.table(screen, []column{{title: "FILE"}, {title: "MEMORIES", right: true}, {title: "SIZE", right: true, style: dim}, {title: "STATE"}}, rows)
		return nil
	}
	for i, row := range rows {
		a.printf("%s  %s %s  %s  %s\n", row[0], row[1], plural(s.Backups[i].Count), row[2], row[3])
	}
	return nil
}

func (a *app) backupVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [file]",
		Short: "Read a backup, or an export, whole and compare count and checksum",
		Long: `Read a backup, or a file of memory-pro export, whole and compare its count and
checksum; without a file the newest backup. The exit code is 1 if it is damaged.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFiles,
		RunE: a.patiently(func(ctx context.Context, e *engine.Engine, args []string) error {
			b, err := e.VerifyBackup(ctx, append(args, "latest")[0])
			if err != nil {
				return err
			}
			if b.Problem != nil {
				a.code = exitFailure
			}
			switch {
			case a.json:
				return a.printJSON(backupOf(b))
			case b.Problem != nil:
				a.printf("%s\n", b.Problem.Error())
			default:
				a.printf("%s is whole: %d %s, as they were written.\n", b.Path, b.Count, plural(b.Count))
			}
			return nil
		}),
	}
}

func (a *app) backupRestoreCommand() *cobra.Command {
	var r engine.RestoreRequest
	cmd := &cobra.Command{
		Use:   "restore <file|latest>",
		Short: "Bring back the memories of a backup that are missing",
		Long: `Bring back the memories of a backup that are missing now, also those that were
deleted on purpose; "latest" is the newest backup that is whole, and a larger one
is named if there is one. What is there
stays as it is, unless --overwrite. Vectors are made anew. With --json: the counts
of an import, "file", "holds", and "larger" with "largerHolds".`,
		Args:              needs("file"),
		ValidArgsFunction: completeFiles,
		RunE: a.patiently(func(ctx context.Context, e *engine.Engine, args []string) error {
			r.File = args[0]
			bar := a.progress("rows", 0, time.Now())
			r.Progress = func(done engine.ImportAnswer) { bar.show(done.Read, 0, time.Now()) }
			from, done, err := e.Restore(ctx, r)
			bar.end()
			if err != nil {
				return err
			}
			a.noteKeywords(e)
			return a.restored(from, done, r)
		}),
	}
	cmd.Flags().BoolVar(&r.DryRun, "dry-run", false, "say what would be done, and do nothing")
	cmd.Flags().BoolVar(&r.Overwrite, "overwrite", false, "let the backup replace memories that say something else by now")
	return cmd
}

func (a *app) restored(from engine.Backup, done engine.ImportAnswer, r engine.RestoreRequest) error {
	if done.Interrupted {
		a.code = exitFailure
	}
	a.importRemarks(done, from.Path, "--overwrite")
	if from.Larger != "" {
		a.notef("a larger backup is there: %s has %d %s; %s brings back what is missing of it",
			from.Larger, from.More, plural(from.More), a.typed("memory-pro backup restore "+from.Larger))
	}
	if a.json {
		return a.printJSON(struct {
			File   string `json:"file"`
			Holds  int    `json:"holds"`
			Larger string `json:"larger,omitempty"`
			More   int    `json:"largerHolds,omitempty"`
			importJSON
		}{from.Path, from.Count, from.Larger, from.More, importOf(done, r.DryRun)})
	}
	a.printf("%s has %d %s.\n", from.Path, from.Count, plural(from.Count))
	did := "Restored"
	if r.DryRun {
		did = "Would restore"
	}
	a.printOutcome(did, done)
	return nil
}

func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault // names of files
}
