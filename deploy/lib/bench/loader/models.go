package main

import (
	"log"
	"runtime"
	"sort"
	"sync"
	"syscall"
	"time"
)

type result struct {
	lock         sync.Mutex
	latencies    []time.Duration
	bytes        int
	statusErrors int
	socketErrors int
	elapsed      time.Duration
	// How much later than intended the arrivals at a constant rate were taken up. It is the error of the generator.
	lags []time.Duration
}

func (r *result) add(latency time.Duration, status, size int, err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	switch {
	case err != nil:
		if r.socketErrors++; r.socketErrors == 1 {
			log.Print(err)
		}
	case status != 200:
		r.statusErrors++
	}
	r.latencies = append(r.latencies, latency)
	r.bytes += size
}

func percentile(sorted []time.Duration, part float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[int(part*float64(len(sorted)-1))]) / 1000
}

// The same keys as wrk.lua.
func (r *result) report() any {
	for _, values := range [][]time.Duration{r.latencies, r.lags} {
		sort.Slice(values, func(a, b int) bool { return values[a] < values[b] })
	}
	return map[string]any{
		"requests": len(r.latencies), "microseconds": r.elapsed.Microseconds(), "bytes": r.bytes,
		"p50": percentile(r.latencies, 0.5), "p99": percentile(r.latencies, 0.99), "lag_p99": percentile(r.lags, 0.99),
		"status_errors": r.statusErrors, "socket_errors": r.socketErrors,
	}
}

// closed sends the next request on each connection when its response has arrived.
func closed(clients []client, source *source, span time.Duration) *result {
	parts := make([]*result, len(clients))
	var group sync.WaitGroup
	start := time.Now()
	for i, one := range clients {
		one, part := one, &result{}
		parts[i] = part
		group.Add(1)
		go func() {
			defer group.Done()
			for time.Since(start) < span {
				next, more := source.next()
				if !more {
					return
				}
				begun := time.Now()
				err := one.send(next)
				var status, size int
				if err == nil {
					status, size, err = one.receive()
				}
				part.add(time.Since(begun), status, size, err)
				if err != nil {
					return
				}
			}
		}()
	}
	group.Wait()
	total := &result{elapsed: time.Since(start)}
	for _, part := range parts {
		total.latencies = append(total.latencies, part.latencies...)
		total.bytes += part.bytes
		total.statusErrors += part.statusErrors
		total.socketErrors += part.socketErrors
	}
	return total
}

// open sends requests at a constant rate, independent of the responses, on any free connection. A request that finds none waits.
// Its latency is measured from the intended time, so that a slow response also counts for the requests behind it (no
// coordinated omission).
func open(clients []client, source *source, rate float64, span time.Duration) *result {
	total := &result{}
	var lock sync.Mutex
	free := append([]client{}, clients...)
	var backlog []time.Time
	// The intended time of the request that each connection is busy with.
	intended := map[client]chan time.Time{}
	for _, one := range clients {
		intended[one] = make(chan time.Time, 1)
	}
	dispatch := func(one client, at time.Time) {
		intended[one] <- at
		next, _ := source.next()
		if err := one.send(next); err != nil {
			log.Fatal(err)
		}
	}
	count := int(rate * span.Seconds())
	done := make(chan struct{}, count)
	for _, one := range clients {
		go func(one client) {
			for {
				status, size, err := one.receive()
				at, busy := <-intended[one]
				if !busy {
					return
				}
				total.add(time.Since(at), status, size, err)
				done <- struct{}{}
				if err != nil {
					return
				}
				lock.Lock()
				if len(backlog) == 0 {
					free = append(free, one)
					lock.Unlock()
					continue
				}
				at, backlog = backlog[0], backlog[1:]
				lock.Unlock()
				dispatch(one, at)
			}
		}(one)
	}
	// A thread of its own, because Go's timers are late by up to a millisecond.
	runtime.LockOSThread()
	preciseSleeps()
	start := time.Now()
	for k := 0; k < count; k++ {
		at := start.Add(time.Duration(float64(k) / rate * float64(time.Second)))
		if wait := time.Until(at); wait > 0 {
			pause := syscall.NsecToTimespec(int64(wait))
			syscall.Nanosleep(&pause, nil)
		}
		total.lags = append(total.lags, time.Since(at))
		lock.Lock()
		if len(free) == 0 {
			backlog = append(backlog, at)
			lock.Unlock()
			continue
		}
		one := free[len(free)-1]
		free = free[:len(free)-1]
		lock.Unlock()
		dispatch(one, at)
	}
	limit := time.After(10 * time.Second)
	for k := 0; k < count; k++ {
		select {
		case <-done:
		case <-limit:
			log.Printf("%d of %d requests had no response 10 s after the end", count-k, count)
			total.lock.Lock()
			defer total.lock.Unlock()
			total.socketErrors += count - k
			total.elapsed = time.Since(start)
			return total
		}
	}
	total.elapsed = time.Since(start)
	return total
}

// preciseSleeps makes the sleeps of this thread end on time. The default tolerance is 50 µs.
func preciseSleeps() {
	const setTimerSlack = 29
	syscall.Syscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0)
}
