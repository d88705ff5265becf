package config

var storageKeys = []Key{
	text("dbPath", DefaultDBPath).
		says("Database folder", "~ is the home directory, a relative path starts at the host's state directory, file:///… is understood. Locks and backups lie in or beside it.").
		reads(at(func(c *Config) *string { return &c.DBPath })),
	flag("manualStoreSupersede", false).advanced().says("memory_store replaces near-duplicates", "Instead of refusing them."),
	flag("enableManagementTools", false).advanced().says("Management tools for agents", "memory_stats, memory_list and more."),

	flag("storageMaintenance.autoCleanup.enabled", false).advanced().says("Scheduled cleaning", "").moot("maintenance runs by itself after changes"),
	whole("storageMaintenance.autoCleanup.intervalHours", 24, 1, 8760).says("Hours between cleanings", "").moot("maintenance runs by itself after changes"),
	whole("storageMaintenance.autoCleanup.retentionDays", 7, 0, 3650).says("Days old versions are kept", "").moot("maintenance runs by itself after changes"),
	whole("storageMaintenance.autoCleanup.initialDelayMs", 300_000, 0, 86_400_000).says("First cleaning after (ms)", "").moot("maintenance runs by itself after changes"),
	whole("storageMaintenance.readConsistencyIntervalSeconds", 0, 0, 86_400).says("How old a read may be (s)", "").moot("every read sees the newest commit of any process"),

	text("redisUrl", nil).advanced().says("Lock server", "Short for locking.redis.url."),
	flag("locking.redis.enabled", false).advanced().says("Lock through Redis", "Processes of one machine share a lock in the database folder already."),
	text("locking.redis.url", nil).advanced().says("Address of Redis", ""),
	text("locking.redis.keyPrefix", "memory-lancedb-pro:write-lock").advanced().says("Prefix of the lock's name", ""),
	whole("locking.redis.ttlMs", 60_000, 1, 3_600_000).advanced().says("A lock is forgotten after (ms)", ""),
	whole("locking.redis.acquireTimeoutMs", 5000, 0, 600_000).advanced().says("Longest wait for the lock (ms)", ""),
	whole("locking.redis.retryDelayMs", 50, 1, 60_000).advanced().says("Pause between attempts (ms)", ""),
	whole("locking.redis.connectTimeoutMs", 1000, 1, 600_000).advanced().says("Longest wait for a connection (ms)", ""),

	flag("mdMirror.enabled", false).advanced().says("Markdown copy", "Every memory is written to a Markdown file, too."),
	text("mdMirror.dir", "~/.openclaw/memory/md-mirror").advanced().says("Folder of the copy", ""),
	flag("memoryCompaction.enabled", false).advanced().says("Merge similar memories", ""),
	whole("memoryCompaction.minAgeDays", 7, 0, 3650).advanced().says("Not before they are this old (days)", ""),
	number("memoryCompaction.similarityThreshold", 0.88, 0, 1).advanced().says("Similar from", ""),
	whole("memoryCompaction.minClusterSize", 2, 2, 1000).advanced().says("Fewest that are merged", ""),
	whole("memoryCompaction.maxMemoriesToScan", 200, 1, 1_000_000).advanced().says("Most looked at in a run", ""),
	whole("memoryCompaction.cooldownHours", 24, 0, 8760).advanced().says("Hours between runs", ""),
}
