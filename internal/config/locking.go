package config

import (
	"net/url"
	"slices"
	"strings"
)

// Locking is the lock in Redis, for machines that write to one database.
type Locking struct {
	// URL is redis:// or rediss://, and may hold a password.
	URL       string
	KeyPrefix string
	// TTLMs is after how long a lock that is not renewed is free.
	TTLMs int
	// AcquireTimeoutMs is the longest wait for the lock; 0 tries once.
	AcquireTimeoutMs int
	RetryDelayMs     int
	ConnectTimeoutMs int

	urls, short []string // locking.redis.url and redisUrl as they came
}

// redisVariable is the address of Redis in the environment.
const redisVariable = "MEMORY_LANCEDB_REDIS_URL"

// lockAddress are the keys without which the lock cannot be had. A fault in one
// keeps everything from being written: other machines may rely on the lock.
var lockAddress = []string{"locking.redis.url", "redisUrl"}

// finishLocking takes the first address there is. One turns the lock on, unless
// it is switched off.
func (p *parser) finishLocking() {
	l := p.c.Locking
	enabled := p.values["locking.redis.enabled"]
	if p.c.LockingFault != "" || enabled == false {
		p.c.Locking = nil
		return
	}
	ambient := p.env.variable(redisVariable)
	candidates := []struct {
		name string
		urls []string
	}{{"locking.redis.url", l.urls}, {"redisUrl", l.short}, {redisVariable, strings.Fields(ambient)}}
	i := slices.IndexFunc(candidates, func(c struct {
		name string
		urls []string
	}) bool {
		return len(c.urls) > 0
	})
	key := byPath["locking.redis.url"]
	switch {
	case i < 0 && enabled == true:
		p.problem(key, &KeyError{"locking.redis.enabled", "true, and no address of Redis",
			"an address in locking.redis.url, or false if no other machine writes to this database"})
	case i < 0: // nobody asked for it
	case len(candidates[i].urls) > 1 || !isRedis(candidates[i].urls[0]):
		// The value is not repeated: it may hold a password.
		p.problem(key, &KeyError{candidates[i].name, "something else", "one address redis://host:port or rediss://host:port"})
	default:
		l.URL, l.urls, l.short = candidates[i].urls[0], nil, nil
		return
	}
	p.c.Locking = nil
}

func isRedis(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "redis" || u.Scheme == "rediss") && u.Host != ""
}
