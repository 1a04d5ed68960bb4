package main

import (
	"sync/atomic"
	"testing"
	"time"
)

// A server that takes the same time for each response.
type fakeClient struct {
	delay   time.Duration
	pending chan struct{}
	sent    *int64
}

func (c *fakeClient) send(request) error {
	atomic.AddInt64(c.sent, 1)
	c.pending <- struct{}{}
	return nil
}

func (c *fakeClient) receive() (status, size int, err error) {
	<-c.pending
	time.Sleep(c.delay)
	return 200, 10, nil
}

func (c *fakeClient) close() {}

func fakeClients(count int, delay time.Duration) ([]client, *int64) {
	sent := new(int64)
	clients := make([]client, count)
	for i := range clients {
		clients[i] = &fakeClient{delay, make(chan struct{}, 1), sent}
	}
	return clients, sent
}

func TestRequestsArriveAtAConstantRate(t *testing.T) {
	clients, sent := fakeClients(8, time.Millisecond)
	result := open(clients, newSource("GET", "/", nil, "", ""), 200, 500*time.Millisecond)
	if *sent != 100 || len(result.latencies) != 100 || result.socketErrors != 0 {
		t.Errorf("%d sent, %d latencies, %d errors", *sent, len(result.latencies), result.socketErrors)
	}
	if result.elapsed < 400*time.Millisecond {
		t.Errorf("all were sent within %v", result.elapsed)
	}
}

func TestASlowResponseCountsForTheRequestsBehindIt(t *testing.T) {
	// One connection that needs 20 ms for each of 100 requests a second: the last of 20 requests waits for about 200 ms.
	clients, _ := fakeClients(1, 20*time.Millisecond)
	result := open(clients, newSource("GET", "/", nil, "", ""), 100, 200*time.Millisecond)
	result.report()
	if worst := result.latencies[len(result.latencies)-1]; worst < 150*time.Millisecond {
		t.Errorf("the longest latency is %v", worst)
	}
}

func TestAClosedLoopStopsAtTheLimit(t *testing.T) {
	clients, sent := fakeClients(4, 0)
	source := newSource("GET", "/", nil, "", "")
	source.limit = 10
	if result := closed(clients, source, time.Hour); *sent != 10 || len(result.latencies) != 10 {
		t.Errorf("%d sent, %d latencies", *sent, len(result.latencies))
	}
}

func TestPercentiles(t *testing.T) {
	var values []time.Duration
	for i := 0; i <= 100; i++ {
		values = append(values, time.Duration(i)*time.Microsecond)
	}
	if p50, p99 := percentile(values, 0.5), percentile(values, 0.99); p50 != 50 || p99 != 99 {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
}
