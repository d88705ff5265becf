package config

var storageKeys = []Key{
	text("dbPath", DefaultDBPath).
		says("Database folder", "~ is the home directory, a relative path starts at the host's state directory, file:///… is understood. Locks and backups lie in or beside it. Or s3://bucket/prefix: see storageOptions; locks, journal and backups then lie in the state directory.").
		reads(at(func(c *Config) *string { return &c.DBPath })),
	text("storageOptions.endpoint", nil).advanced().
		says("Address of the object storage", "https://host[:port], for services other than Amazon's. Left out: AWS_ENDPOINT_URL.").
		reads(storageOption("aws_endpoint")),
	text("storageOptions.region", nil).advanced().
		says("Region of the bucket", "Left out: AWS_REGION, AWS_DEFAULT_REGION; us-east-1 with an endpoint.").
		reads(storageOption("aws_region")),
	secret("storageOptions.accessKeyId").advanced().
		says("Access key", "Left out: AWS_ACCESS_KEY_ID, or what the machine's role gives.").
		reads(storageOption("aws_access_key_id")),
	secret("storageOptions.secretAccessKey").advanced().
		says("Secret of the access key", "Left out: AWS_SECRET_ACCESS_KEY.").
		reads(storageOption("aws_secret_access_key")),
	secret("storageOptions.sessionToken").advanced().
		says("Session token", "Of temporary access keys. Left out: AWS_SESSION_TOKEN.").
		reads(storageOption("aws_session_token")),
	flag("storageOptions.allowHttp", false).advanced().
		says("Allow an endpoint without TLS", "Memories then travel in the clear.").
		reads(storageOption("allow_http")),
	flag("manualStoreSupersede", false).advanced().says("memory_store replaces near-duplicates", "Instead of refusing them."),
	flag("enableManagementTools", false).advanced().
		says("Management tools for agents", "memory_stats, memory_debug and memory_explain_rank.").
		reads(at(func(c *Config) *bool { return &c.ManagementTools })),

	flag("storageMaintenance.autoCleanup.enabled", false).advanced().
		says("Keep old versions of the table", "And clean them up on the schedule below. Off: they are deleted as soon as no query can need them, after a minute; indexes and files are tidied by themselves either way.").
		reads(at(func(c *Config) *bool { return &c.Cleanup.Enabled })),
	whole("storageMaintenance.autoCleanup.intervalHours", 24, 1, 8760).advanced().says("Hours between cleanings", "").
		reads(at(func(c *Config) *int { return &c.Cleanup.IntervalHours })),
	whole("storageMaintenance.autoCleanup.retentionDays", 7, 0, 3650).advanced().
		says("Days old versions are kept", "They take room: each change leaves one.").
		reads(at(func(c *Config) *int { return &c.Cleanup.RetentionDays })),
	whole("storageMaintenance.autoCleanup.initialDelayMs", 300_000, 0, 86_400_000).advanced().says("First cleaning after (ms)", "").
		reads(at(func(c *Config) *int { return &c.Cleanup.InitialDelayMs })),
	whole("storageMaintenance.readConsistencyIntervalSeconds", 0, 0, 86_400).says("How old a read may be (s)", "").moot("every read sees the newest commit of any process"),

	flag("locking.redis.enabled", nil).advanced().
		says("Lock through Redis", "For machines that write to one database; processes of one machine share a lock in the database folder already. Left out: on as soon as there is an address. While it is on and Redis does not answer, nothing is stored; memories are still found.").
		reads(func(*Config, any) {}),
	secret("locking.redis.url").advanced().
		says("Address of Redis", "redis://[user:password@]host:port[/database], or rediss:// for TLS. Left out: redisUrl, then MEMORY_LANCEDB_REDIS_URL.").
		reads(at(func(c *Config) *[]string { return &c.Locking.urls })),
	secret("redisUrl").advanced().
		says("Lock server", "Short for locking.redis.url, which counts where both are set.").
		reads(func(c *Config, v any) { c.Locking.short = v.([]string) }),
	text("locking.redis.keyPrefix", "memory-lancedb-pro:write-lock").advanced().
		says("Name of the lock", "The key in Redis. Databases of the same name wait for each other; give each its own, and the same to all that write to it.").
		reads(at(func(c *Config) *string { return &c.Locking.KeyPrefix })),
	whole("locking.redis.ttlMs", 60_000, 1000, 3_600_000).advanced().
		says("A lock is forgotten after (ms)", "Unless its holder renews it, which it does five times as often.").
		reads(at(func(c *Config) *int { return &c.Locking.TTLMs })),
	whole("locking.redis.acquireTimeoutMs", 5000, 0, 600_000).advanced().
		says("Longest wait for the lock (ms)", "0 tries once.").
		reads(at(func(c *Config) *int { return &c.Locking.AcquireTimeoutMs })),
	whole("locking.redis.retryDelayMs", 50, 1, 60_000).advanced().
		says("Pause between attempts (ms)", "").
		reads(at(func(c *Config) *int { return &c.Locking.RetryDelayMs })),
	whole("locking.redis.connectTimeoutMs", 1000, 1, 600_000).advanced().
		says("Longest wait for a connection or an answer (ms)", "").
		reads(at(func(c *Config) *int { return &c.Locking.ConnectTimeoutMs })),

	flag("mdMirror.enabled", false).advanced().says("Markdown copy", "Every memory is written to a Markdown file, too."),
	text("mdMirror.dir", "~/.openclaw/memory/md-mirror").advanced().says("Folder of the copy", ""),
	flag("memoryCompaction.enabled", false).advanced().says("Merge similar memories", ""),
	whole("memoryCompaction.minAgeDays", 7, 0, 3650).advanced().says("Not before they are this old (days)", ""),
	number("memoryCompaction.similarityThreshold", 0.88, 0, 1).advanced().says("Similar from", ""),
	whole("memoryCompaction.minClusterSize", 2, 2, 1000).advanced().says("Fewest that are merged", ""),
	whole("memoryCompaction.maxMemoriesToScan", 200, 1, 1_000_000).advanced().says("Most looked at in a run", ""),
	whole("memoryCompaction.cooldownHours", 24, 0, 8760).advanced().says("Hours between runs", ""),
}
