package main

import (
	"sync"
	"time"
)

// The limits of gatefold.yaml.
const (
	perReader  = 100_000
	perAddress = 1_000_000
	window     = 15 * time.Minute
)

// A ledger counts the wrong attempts of each reader and address. An attempt counts from its start, so that parallel attempts
// decide no more guesses than sequential ones, and a right one counts no longer.
type ledger struct {
	lock   sync.Mutex
	counts map[string]*count
}

type count struct {
	running int
	wrong   float64
	at      time.Time
}

var attempts = ledger{counts: map[string]*count{}}

// begin returns false when one of the limits is reached. The first counter is the reader's, the second the address's.
func (l *ledger) begin(names []string) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	limits := []float64{perReader, perAddress}
	now := time.Now()
	for i, name := range names {
		one := l.counts[name]
		if one == nil {
			continue
		}
		if one.wrong -= limits[i] * float64(now.Sub(one.at)) / float64(window); one.wrong < 0 {
			one.wrong = 0
		}
		one.at = now
		if one.wrong+float64(one.running)+1 > limits[i] {
			return false
		}
	}
	for _, name := range names {
		one := l.counts[name]
		if one == nil {
			one = &count{at: now}
			l.counts[name] = one
		}
		one.running++
	}
	return true
}

func (l *ledger) end(names []string, wrong bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, name := range names {
		one := l.counts[name]
		one.running--
		if wrong {
			one.wrong++
		}
		if one.running == 0 && one.wrong == 0 {
			delete(l.counts, name)
		}
	}
}
