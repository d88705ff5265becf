package config

var captureKeys = []Key{
	flag("autoCapture", true).
		says("Remember from conversation", "After each turn, without any model. Also needs hooks.allowConversationAccess for this plugin.").
		reads(at(func(c *Config) *bool { return &c.Capture.Enabled })),
	flag("captureAssistant", false).advanced().
		says("Remember what the assistant said, too", "Marked as its words.").
		reads(at(func(c *Config) *bool { return &c.Capture.Assistant })),
	flag("smartExtraction", true).says("Extract with a language model", "Off: capture by rules alone."),
	whole("extractMinMessages", 2, 1, 100).advanced().says("Messages before extraction", ""),
	whole("extractMaxChars", 8000, 256, 100_000).advanced().says("Most of a conversation looked at (characters)", ""),
	whole("batchChunkSize", 10, 1, 50).advanced().says("Candidates in one model call", ""),
	flag("sessionCompression.enabled", false).advanced().says("Shorten long sessions before extraction", ""),
	number("sessionCompression.minScoreToKeep", 0.3, 0, 1).advanced().says("Lowest score of a text that is kept", ""),
	flag("extractionThrottle.skipLowValue", false).advanced().says("Skip turns without substance", ""),
	whole("extractionThrottle.maxExtractionsPerHour", 30, 1, 200).advanced().says("Most extractions an hour", ""),
	flag("workspaceBoundary.userMdExclusive.enabled", false).advanced().says("Keep facts of USER.md out of the store", ""),
	flag("workspaceBoundary.userMdExclusive.routeProfile", true).advanced().says("The profile belongs to USER.md", ""),
	flag("workspaceBoundary.userMdExclusive.routeCanonicalName", true).advanced().says("The name belongs to USER.md", ""),
	flag("workspaceBoundary.userMdExclusive.routeCanonicalAddressing", true).advanced().says("The form of address belongs to USER.md", ""),
	flag("workspaceBoundary.userMdExclusive.filterRecall", true).advanced().says("Do not recall such facts either", ""),
}
