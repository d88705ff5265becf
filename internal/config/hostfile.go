package config

// HostFile is the host's configuration file. It need not exist; it is empty if
// it would be in a home directory and there is none.
func HostFile(env Env) string {
	env = env.orOS()
	if path, _ := env.Lookup("OPENCLAW_CONFIG_PATH"); path != "" {
		return env.expandHome(path)
	}
	return below(env.BaseDir, "openclaw.json")
}

// HostFileFixed names the variable by which somebody else manages the host's
// configuration, so that nobody may write it; empty if nobody does.
func HostFileFixed(env Env) string {
	env = env.orOS()
	for _, name := range []string{"OPENCLAW_CONFIG_READONLY", "OPENCLAW_NIX_MODE"} {
		if v, _ := env.Lookup(name); v == "1" {
			return name
		}
	}
	return ""
}

// PlainTerminal reports whether people asked for output without colours
// (no-color.org), or their terminal has none.
func PlainTerminal(env Env) bool {
	env = env.orOS()
	no, _ := env.Lookup("NO_COLOR")
	term, _ := env.Lookup("TERM")
	return no != "" || term == "dumb"
}
