package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// An address turns the lock on, wherever it stands, unless it is switched off;
// one that cannot be used keeps everything from being written.
func TestLocking(t *testing.T) {
	env := testEnv(map[string]string{"A": "redis://:hunter2@a", "BAD": "https://u:hunter2@a"})
	ambient := testEnv(map[string]string{redisVariable: " redis://ambient "})
	for _, c := range []struct {
		name, raw string
		env       Env
		url       string // of the lock; "" if it is off
		says      string // the fault begins with it
	}{
		{"nothing", `{}`, env, "", ""},
		{"an address", `{"locking":{"redis":{"url":"redis://h:1/2"}}}`, env, "redis://h:1/2", ""},
		{"the short one", `{"redisUrl":"rediss://h"}`, env, "rediss://h", ""},
		{"both", `{"redisUrl":"redis://short","locking":{"redis":{"url":"redis://long"}}}`, env, "redis://long", ""},
		{"the environment", `{}`, ambient, "redis://ambient", ""},
		{"the environment last", `{"redisUrl":"redis://short"}`, ambient, "redis://short", ""},
		{"a blank one", `{"redisUrl":" ","locking":{"redis":{"url":""}}}`, ambient, "redis://ambient", ""},
		{"a placeholder", `{"redisUrl":"${A}"}`, env, "redis://:hunter2@a", ""},
		{"a reference", `{"locking":{"redis":{"url":{"source":"env","id":"A"}}}}`, env, "redis://:hunter2@a", ""},
		{"switched on", `{"redisUrl":"redis://h","locking":{"redis":{"enabled":true}}}`, env, "redis://h", ""},
		{"switched off", `{"redisUrl":"redis://h","locking":{"redis":{"enabled":false,"url":"${NOPE}"}}}`, ambient, "", ""},
		{"switched off in words", `{"redisUrl":"redis://h","locking":{"redis":{"enabled":"false"}}}`, ambient, "", ""},
		{"on without an address", `{"locking":{"redis":{"enabled":true}}}`, env, "", "locking.redis.enabled: found true, and no address"},
		{"a variable that is missing", `{"redisUrl":"${NOPE}"}`, env, "", "redisUrl: the environment variable NOPE"},
		{"a file that is missing", `{"locking":{"redis":{"url":{"source":"file","id":"/nope"}}}}`, env, "", "locking.redis.url: resolving the secret"},
		{"another protocol", `{"redisUrl":"${BAD}"}`, env, "", "redisUrl: found something else"},
		{"no host", `{"locking":{"redis":{"url":"redis://"}}}`, env, "", "locking.redis.url: found something else"},
		{"two", `{"redisUrl":["redis://a","redis://b"]}`, env, "", "redisUrl: found something else"},
		{"a number", `{"redisUrl":6379}`, ambient, "", "redisUrl: found a value of another type"},
		{"no object", `{"locking":"redis://h"}`, env, "", "locking: found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parsed(t, c.raw, c.env)
			var url string
			if got.Locking != nil {
				url = got.Locking.URL
			}
			if url != c.url {
				t.Errorf("the lock is at %q, want %q", url, c.url)
			}
			if !strings.HasPrefix(got.LockingFault, c.says) || (c.says == "") != (got.LockingFault == "") || (c.says == "") != (len(got.Problems) == 0) {
				t.Errorf("fault %q, problems %q; want %q", got.LockingFault, got.Problems, c.says)
			}
			settings, _ := Effective(json.RawMessage(c.raw), c.env)
			for _, s := range settings {
				if strings.Contains(fmt.Sprint(s.Value)+said(got), "hunter2") {
					t.Errorf("%s shows the password: %v; %s", s.Key.Path, s.Value, said(got))
				}
			}
		})
	}
}

func TestLockingDefaultsAndValues(t *testing.T) {
	hidden := cmpopts.IgnoreUnexported(Locking{})
	for raw, want := range map[string]Locking{
		`{"redisUrl":"redis://h"}`: {"redis://h", "memory-lancedb-pro:write-lock", 60_000, 5000, 50, 1000, nil, nil},
		`{"locking":{"redis":{"url":"redis://h","keyPrefix":"x","ttlMs":2000,"acquireTimeoutMs":0,"retryDelayMs":"7","connectTimeoutMs":9}}}`: {
			"redis://h", "x", 2000, 0, 7, 9, nil, nil},
	} {
		if diff := cmp.Diff(&want, parsed(t, raw, testEnv(nil)).Locking, hidden); diff != "" {
			t.Errorf("%s (-want +got)\n%s", raw, diff)
		}
	}
}
