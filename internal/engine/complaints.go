package engine

import (
	"strings"
	"sync"
)

// complaints keeps a log readable: what goes wrong at every turn for the same
// reason is said once, until it has gone right again.
type complaints struct {
	mu   sync.Mutex
	said map[string]string
}

// fresh reports whether this reason is news about the topic. Numbers alone are none:
// they count seconds and tries.
func (c *complaints) fresh(topic, reason string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said == nil {
		c.said = map[string]string{}
	}
	was, ok := c.said[topic]
	c.said[topic] = reason
	return !ok || unnumbered(was) != unnumbered(reason)
}

func unnumbered(reason string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, reason)
}

// about is the reason complained of; empty if there is none.
func (c *complaints) about(topic string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.said[topic]
}

// settled forgets the topic and reports whether there was a complaint.
func (c *complaints) settled(topic string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, was := c.said[topic]
	delete(c.said, topic)
	return was
}
