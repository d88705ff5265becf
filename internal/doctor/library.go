package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

// cpuLevel is what the native library is built for: x86-64-v2, any processor
// since 2009. It uses more where there is more.
const cpuLevel = 2

// library: this program would not have started without its native library, so
// what is left to see is whether it answers and fits the processor.
func library(context.Context, *Patient) []Finding {
	return []Finding{libraryFinding(runtime.GOARCH, cpuid.CPU.X64Level(), native.BuildInfo())}
}

func libraryFinding(arch string, level int, build string) Finding {
	f := Finding{Check: "library", Status: OK, Facts: map[string]any{"platform": runtime.GOOS + "/" + arch}}
	var info struct {
		LanceDB string `json:"lancedb"`
		Lance   string `json:"lance"`
	}
	if err := json.Unmarshal([]byte(build), &info); err != nil || info.LanceDB == "" {
		f.Status, f.Summary = Fail, "the native library does not say what it is"
		f.Next = "install the plugin again: program and library must come from one package"
		return f
	}
	f.Facts["lancedb"], f.Facts["lance"] = info.LanceDB, info.Lance
	f.Summary = fmt.Sprintf("LanceDB %s is loaded", info.LanceDB)
	if arch == "amd64" {
		f.Facts["cpuLevel"] = level
		f.Summary += fmt.Sprintf(", the processor is x86-64-v%d", level)
		if level < cpuLevel {
			f.Status = Fail
			f.Summary += fmt.Sprintf(", the library needs v%d", cpuLevel)
			f.Next = "run it on a newer processor; in a virtual machine, let the guest see the host's processor (cpu type \"host\")"
		}
	}
	return f
}
