package config

var lifecycleKeys = []Key{
	flag("decay.enabled", true).advanced().
		says("Memories fade by tier", "Off: retrieval.recency*, timeDecayHalfLifeDays and importance order what is found instead.").
		reads(at(func(c *Config) *bool { return &c.Decay.Enabled })),
	number("decay.recencyHalfLifeDays", 30, 0.1, 3650).advanced().
		says("Recency halves after (days)", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.RecencyHalfLifeDays })),
	number("decay.recencyWeight", 0.4, 0, 1).advanced().
		says("Weight of recency", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.RecencyWeight })),
	number("decay.frequencyWeight", 0.3, 0, 1).advanced().
		says("Weight of use", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.FrequencyWeight })),
	number("decay.intrinsicWeight", 0.3, 0, 1).advanced().
		says("Weight of importance and confidence", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.IntrinsicWeight })),
	number("decay.staleThreshold", 0.3, 0, 1).advanced().
		says("Stale below", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.StaleThreshold })),
	number("decay.searchBoostMin", 0.3, 0, 1).advanced().
		says("Smallest factor on a search score", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.SearchBoostMin })),
	number("decay.importanceModulation", 1.5, 0, 10).advanced().
		says("Effect of importance on ageing", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.ImportanceModulation })),
	number("decay.betaCore", 0.8, 0.1, 5).advanced().
		says("Shape of ageing, core", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.BetaCore })),
	number("decay.betaWorking", 1.0, 0.1, 5).advanced().
		says("Shape of ageing, working", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.BetaWorking })),
	number("decay.betaPeripheral", 1.3, 0.1, 5).advanced().
		says("Shape of ageing, peripheral", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.BetaPeripheral })),
	number("decay.coreDecayFloor", 0.9, 0, 1).advanced().
		says("Lowest value, core", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.CoreFloor })),
	number("decay.workingDecayFloor", 0.7, 0, 1).advanced().
		says("Lowest value, working", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.WorkingFloor })),
	number("decay.peripheralDecayFloor", 0.5, 0, 1).advanced().
		says("Lowest value, peripheral", "").
		reads(at(func(c *Config) *float64 { return &c.Decay.PeripheralFloor })),
	whole("tier.coreAccessThreshold", 10, 0, 1_000_000).advanced().
		says("Uses that make a memory core", "").
		reads(at(func(c *Config) *int { return &c.Tier.CoreAccess })),
	number("tier.coreCompositeThreshold", 0.7, 0, 1).advanced().
		says("Value that makes it core", "").
		reads(at(func(c *Config) *float64 { return &c.Tier.CoreComposite })),
	number("tier.coreImportanceThreshold", 0.8, 0, 1).advanced().
		says("Importance that makes it core", "").
		reads(at(func(c *Config) *float64 { return &c.Tier.CoreImportance })),
	number("tier.peripheralCompositeThreshold", 0.15, 0, 1).advanced().
		says("Value that makes it peripheral", "").
		reads(at(func(c *Config) *float64 { return &c.Tier.PeripheralComposite })),
	number("tier.peripheralAgeDays", 60, 0, 36_500).advanced().
		says("Age that makes it peripheral (days)", "").
		reads(at(func(c *Config) *float64 { return &c.Tier.PeripheralAgeDays })),
	whole("tier.workingAccessThreshold", 3, 0, 1_000_000).advanced().
		says("Uses that make it working", "").
		reads(at(func(c *Config) *int { return &c.Tier.WorkingAccess })),
	number("tier.workingCompositeThreshold", 0.4, 0, 1).advanced().
		says("Value that makes it working", "").
		reads(at(func(c *Config) *float64 { return &c.Tier.WorkingComposite })),
}

var admissionKeys = []Key{
	flag("admissionControl.enabled", false).says("Check memories before they are stored", ""),
	text("admissionControl.preset", "balanced", "balanced", "conservative", "high-recall").advanced().says("Preset", ""),
	text("admissionControl.model", nil).advanced().says("Model that judges usefulness", ""),
	text("admissionControl.modelAffinity", nil, "global", "lane").advanced().says("Where that model counts", ""),
	text("admissionControl.utilityMode", nil, "standalone", "batch", "off").advanced().says("How usefulness is judged", ""),
	number("admissionControl.rejectThreshold", nil, 0, 1).advanced().says("Refused below", "Left out: the preset's."),
	number("admissionControl.admitThreshold", nil, 0, 1).advanced().says("Admitted from", "Left out: the preset's."),
	number("admissionControl.utilityVetoThreshold", nil, 0, 1).advanced().says("Usefulness that is a veto", "0 is off."),
	whole("admissionControl.noveltyCandidatePoolSize", nil, 1, 20).advanced().says("Neighbours looked at for novelty", ""),
	flag("admissionControl.auditMetadata", true).advanced().says("Keep the judgement with the memory", ""),
	flag("admissionControl.persistRejectedAudits", true).advanced().says("Keep judgements of what was refused", ""),
	text("admissionControl.rejectedAuditFilePath", nil).advanced().says("File of those judgements", ""),
	number("admissionControl.recency.halfLifeDays", nil, 1, 365).advanced().says("Recency halves after (days)", ""),
	number("admissionControl.weights.utility", nil, 0, 1).advanced().says("Weight of usefulness", ""),
	number("admissionControl.weights.confidence", nil, 0, 1).advanced().says("Weight of confidence", ""),
	number("admissionControl.weights.novelty", nil, 0, 1).advanced().says("Weight of novelty", ""),
	number("admissionControl.weights.recency", nil, 0, 1).advanced().says("Weight of recency", ""),
	number("admissionControl.weights.typePrior", nil, 0, 1).advanced().says("Weight of the category", ""),
	number("admissionControl.typePriors.profile", nil, 0, 1).advanced().says("Value of the category profile", ""),
	number("admissionControl.typePriors.preferences", nil, 0, 1).advanced().says("Value of preferences", ""),
	number("admissionControl.typePriors.entities", nil, 0, 1).advanced().says("Value of entities", ""),
	number("admissionControl.typePriors.events", nil, 0, 1).advanced().says("Value of events", ""),
	number("admissionControl.typePriors.cases", nil, 0, 1).advanced().says("Value of cases", ""),
	number("admissionControl.typePriors.patterns", nil, 0, 1).advanced().says("Value of patterns", ""),
}
