package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is that of package.json; a release build sets it with
// -ldflags "-X …/internal/cli.version=…".
var version = "1.2.0-go.0"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !a.json {
				a.printf("%s\n", version)
				return nil
			}
			return a.printJSON(map[string]string{"version": version, "revision": revision(), "go": runtime.Version()})
		},
	}
}

// revision is the commit the program was built from, if the build recorded it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
