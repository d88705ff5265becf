package config

var recallKeys = []Key{
	flag("autoRecall", false).
		says("Recall before each turn", "Also needs hooks.allowConversationAccess for this plugin.").
		reads(at(func(c *Config) *bool { return &c.AutoRecall.Enabled })),
	whole("autoRecallTimeoutMs", 2000, 100, 60_000).zeroToo().advanced().
		says("Longest wait for recall (ms)", "The turn goes on without memories after it. 0: no limit of its own; the 15 s the host gives a hook hold.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.TimeoutMs })),
	whole("autoRecallMaxItems", 3, 0, 20).
		says("Memories added to a turn", "0 adds none.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MaxItems })),
	whole("autoRecallMaxChars", 600, 0, 8000).advanced().
		says("Characters of memories in a turn", "Of their lines, labels included; the frame around them has 219 more. From about 80 on something is added; 0 adds none.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MaxChars })),
	whole("autoRecallPerItemMaxChars", 180, 0, 1000).advanced().
		says("Characters of one memory", "0 adds none.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.PerItemMaxChars })),
	whole("autoRecallMaxTokens", nil, 0, 8000).advanced().
		says("Tokens of memories in a turn", "As estimated, of their lines; the frame has 59 more. From about 40 on something is added. 0 or left out: no such bound.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MaxTokens })),
	number("autoRecallMinScore", nil, 0, 1).advanced().
		says("Lowest score of a memory added", "On this product's scale, unlike retrieval.minScore. Left out: this product's own. 0: whatever the search finds.").
		reads(atOptional(func(c *Config) **float64 { return &c.AutoRecall.MinScore })),
	flag("autoRecallHoldBackSuspicious", false).advanced().
		says("Leave out memories that give instructions", "Off: they are added, marked as suspicious.").
		reads(at(func(c *Config) *bool { return &c.AutoRecall.HoldBackSuspicious })),
	whole("autoRecallMinLength", nil, 0, 200).advanced().
		says("Shortest prompt that is recalled for", "Left out: 15, or 6 for Chinese, Japanese and Korean.").
		reads(atOptional(func(c *Config) **int { return &c.AutoRecall.MinLength })),
	whole("autoRecallMaxQueryLength", 2000, 100, 10_000).advanced().
		says("Most of a prompt searched for (characters)", "Its beginning.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MaxQueryLength })),
	whole("maxRecallPerTurn", 10, 0, 50).advanced().
		says("Hard limit of memories in a turn", "Whatever autoRecallMaxItems says.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MaxPerTurn })),
	text("recallMode", "full", "full", "summary", "adaptive", "off").advanced().
		says("How much of a memory is added", "summary adds at most 80 characters of each; off adds nothing; adaptive chooses by what the prompt asks for.").
		reads(at(func(c *Config) *string { return &c.AutoRecall.Mode })),
	list("autoRecallIncludeAgents").advanced().
		says("Only for these agents", "An id, a prefix that ends in -, or temp:*. Wins over the next key.").
		reads(at(func(c *Config) *[]string { return &c.AutoRecall.IncludeAgents })),
	list("autoRecallExcludeAgents").advanced().
		says("Not for these agents", "Patterns as above.").
		reads(at(func(c *Config) *[]string { return &c.AutoRecall.ExcludeAgents })),
	whole("autoRecallTopK", nil, 0, 20).older("autoRecallMaxItems").says("Memories added to a turn", ""),
	list("autoRecallCategories").advanced().
		says("Only these categories", "Of an earlier version; any of the twelve names.").
		reads(at(func(c *Config) *[]string { return &c.AutoRecall.Categories })),
	flag("autoRecallExcludeReflection", true).advanced().
		says("Leave reflections out", "Of an earlier version.").
		reads(at(func(c *Config) *bool { return &c.AutoRecall.ExcludeReflection })),
	whole("autoRecallMaxAgeDays", nil, 0, 36_500).advanced().
		says("Oldest memory added (days)", "Of an earlier version. 0 or left out: any age.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MaxAgeDays })),
	whole("autoRecallMaxEntriesPerKey", nil, 0, 1000).advanced().
		says("Newest versions of one fact added", "Of an earlier version. 0 or left out: all.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MaxPerKey })),

	whole("autoRecallMinRepeated", 8, 0, 100).advanced().
		says("Turns before a memory is added again", "In the same session. 0 allows it at once.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.MinRepeated })),
	whole("autoRecallBadRecallDecayMs", 86_400_000, 0, 31_536_000_000).advanced().
		says("An unused memory is forgiven after (ms)", "").
		reads(at(func(c *Config) *int { return &c.AutoRecall.BadRecallDecayMs })),
	whole("autoRecallSuppressionDurationMs", 1_800_000, 0, 31_536_000_000).advanced().
		says("An unused memory is held back for (ms)", "After three turns that had no use for it; a recall on purpose lets it in again. 0 holds none back.").
		reads(at(func(c *Config) *int { return &c.AutoRecall.SuppressionDurationMs })),
	flag("recallLog", true).advanced().
		says("Keep a record of recalls", "The newest few hundred, beside the database, for `memory-pro replay` and statistics. It holds what was asked.").
		reads(at(func(c *Config) *bool { return &c.RecallLog })),
	text("recallPrefix.categoryField", nil).advanced().
		says("Metadata shown in place of the category", "").
		reads(at(func(c *Config) *string { return &c.AutoRecall.CategoryField })),
	whole("startupCheckTimeoutMs", 8000, 1000, 120_000).says("Longest check at the start (ms)", "").moot("the host does not wait for checks"),
}
