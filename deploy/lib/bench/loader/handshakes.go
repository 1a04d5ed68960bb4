package main

import (
	"crypto/tls"
	"flag"
	"log"
	"net"
	"sync"
	"time"
)

// handshakes opens TLS 1.3 connections, and closes each after one request. Without the request, a resumed handshake would end
// before the server has checked anything, and the client would not read the next session ticket.
func handshakes(arguments []string) any {
	flags := flag.NewFlagSet("handshakes", flag.ExitOnError)
	address := flags.String("address", "", "host and port")
	path := flags.String("path", "/", "path of the request")
	workers := flags.Int("connections", 8, "connections at a time")
	duration := flags.Float64("seconds", 6, "seconds")
	resume := flags.Bool("resume", false, "resume the session of the connection before")
	flags.Parse(arguments)
	span := time.Duration(*duration * float64(time.Second))
	total := &result{}
	var group sync.WaitGroup
	// The first handshake of each worker is complete, and not counted.
	var ready sync.WaitGroup
	begin := make(chan struct{})
	for i := 0; i < *workers; i++ {
		group.Add(1)
		ready.Add(1)
		go func() {
			defer group.Done()
			config := tlsConfig("http/1.1")
			// Go looks sessions up by this name.
			config.ServerName = "bench"
			config.SessionTicketsDisabled = !*resume
			if *resume {
				config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
			}
			if _, _, err := shake(*address, *path, config); err != nil {
				log.Fatal(err)
			}
			ready.Done()
			<-begin
			for start := time.Now(); time.Since(start) < span; {
				begun := time.Now()
				resumed, status, err := shake(*address, *path, config)
				if err == nil && resumed != *resume {
					log.Fatalf("resumed: %v, expected %v", resumed, *resume)
				}
				total.add(time.Since(begun), status, 0, err)
			}
		}()
	}
	ready.Wait()
	start := time.Now()
	close(begin)
	group.Wait()
	total.elapsed = time.Since(start)
	return total.report()
}

func shake(address, path string, config *tls.Config) (resumed bool, status int, err error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return false, 0, err
	}
	// A reset, so that closed connections do not use up the ports.
	connection.(*net.TCPConn).SetLinger(0)
	secure := tls.Client(connection, config)
	defer connection.Close()
	if err := secure.Handshake(); err != nil {
		return false, 0, err
	}
	one := newHTTP1(secure, address)
	if err := one.send(request{method: "GET", path: path}); err != nil {
		return false, 0, err
	}
	status, _, err = one.receive()
	return secure.ConnectionState().DidResume, status, err
}
