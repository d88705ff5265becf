package config

var backupKeys = []Key{
	flag("backup.enabled", true).
		says("Daily backup", "All memories, without their vectors, to backups/memory-backup-<day>.jsonl beside the database folder; read back before it counts. An empty database is not backed up.").
		reads(at(func(c *Config) *bool { return &c.Backup.Enabled })),
	whole("backup.keep", 7, 1, 3650).advanced().
		says("Backups kept", "The newest that can be read back whole.").
		reads(at(func(c *Config) *int { return &c.Backup.Keep })),
}
