package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// idle opens connections, completes one request on each, prints "open", and waits for a line of input. Then it reports how many
// the server has closed.
func idle(arguments []string) any {
	flags := flag.NewFlagSet("idle", flag.ExitOnError)
	path := flags.String("path", "/healthz", "path of the requests")
	var targets list
	flags.Var(&targets, "open", "PROTOCOL ADDRESS COUNT")
	flags.Parse(arguments)
	var clients []client
	var lock sync.Mutex
	// At most 64 at a time, because these connections are idle and not simultaneous attempts.
	slots := make(chan struct{}, 64)
	for _, target := range targets {
		var protocol, address string
		var count int
		if _, err := fmt.Sscan(target, &protocol, &address, &count); err != nil {
			log.Fatal(err)
		}
		for i := 0; i < count; i++ {
			slots <- struct{}{}
			go func() {
				one, err := connectOnce(protocol, address, *path)
				if err != nil {
					log.Fatalf("idle connection: %v", err)
				}
				lock.Lock()
				clients = append(clients, one)
				lock.Unlock()
				<-slots
			}()
		}
	}
	for i := 0; i < cap(slots); i++ {
		slots <- struct{}{}
	}
	fmt.Println("open")
	bufio.NewReader(os.Stdin).ReadString('\n')
	var closed int32
	var group sync.WaitGroup
	for _, one := range clients {
		group.Add(1)
		go func(one *http1) {
			defer group.Done()
			if one.isClosed() {
				atomic.AddInt32(&closed, 1)
			}
		}(one.(*http1))
	}
	group.Wait()
	return map[string]int{"connections": len(clients), "closed": int(closed)}
}

func connectOnce(protocol, address, path string) (client, error) {
	one, err := connect(protocol, address)
	if err != nil {
		return nil, err
	}
	if err := one.send(request{method: "GET", path: path}); err != nil {
		return nil, err
	}
	status, _, err := one.receive()
	if err == nil && status != 200 {
		err = errors.New("status " + fmt.Sprint(status))
	}
	return one, err
}

func (c *http1) isClosed() bool {
	c.connection.SetReadDeadline(time.Now().Add(time.Second))
	_, err := c.reader.ReadByte()
	return !errors.Is(err, os.ErrDeadlineExceeded)
}
