// Command memory-pro is the long-term memory of OpenClaw agents: the sidecar
// that the plugin starts ("memory-pro serve"), and the command line on the same
// database. See "memory-pro --help".
package main

import (
	"os"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
