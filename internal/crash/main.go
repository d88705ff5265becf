// Command crash proves what the store promises: an acknowledged memory survives.
//
//	crash kill      kills processes that write and looks at what they leave
//	crash powercut  rebuilds what a power cut may leave of a recorded run
//	crash soak      runs three processes on one store and watches what grows
//
// `make crash` and `make soak` run the long forms, the tests of this package the
// short ones. Every run prints its seed, and -seed does the same again, as far as
// the moments at which the machine runs this or that allow.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

var commands = map[string]func(ctx context.Context, args []string) error{
	"kill":     killCommand,
	"powercut": powerCutCommand,
	"soak":     soakCommand,
}

func main() {
	if code, ok := childMain(); ok {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && commands[args[0]] != nil {
		return commands[args[0]](ctx, args[1:])
	}
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Errorf("say what to do: %s", strings.Join(names, ", "))
}

// seedFlag is the seed as it was given; empty chooses one.
func seedFlag(f *flag.FlagSet) *string {
	return f.String("seed", "", "repeats an earlier run; empty chooses one")
}

func chosenSeed(given string) (uint64, error) {
	if given == "" {
		return rand.Uint64N(1_000_000_000), nil
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("-seed %q is no number", given)
	}
	return n, nil
}

// scratchDir makes a directory for databases, in memory where there is one when
// thousands of them are made only to be looked at.
func scratchDir(name string, inMemory bool) (string, error) {
	parent := ""
	if fi, err := os.Stat("/dev/shm"); inMemory && err == nil && fi.IsDir() {
		parent = "/dev/shm"
	}
	return os.MkdirTemp(parent, "memory-"+name+"-")
}
