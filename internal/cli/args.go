package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// needs is for commands with a fixed number of arguments; names say what each is, as
// in "query". What has spaces in it and no quotes around it arrives as several.
func needs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		shown := make([]string, len(names))
		for i, name := range names {
			shown[i] = "<" + name + ">"
		}
		usage := cmd.CommandPath() + " " + strings.Join(shown, " ")
		if len(args) < len(names) {
			return fmt.Errorf("%s: the %s is missing: %s", cmd.Name(), names[len(args)], usage)
		}
		return fmt.Errorf("%s: %d arguments are too many: %s; put words that belong together in quotes: \"two words\"", cmd.Name(), len(args), usage)
	}
}
