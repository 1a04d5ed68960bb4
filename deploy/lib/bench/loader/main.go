// Generates load that wrk does not: arrivals at a constant rate, HTTP/2 with another form in each request, TLS handshakes, and
// idle connections. Prints one line of JSON.
//
// h2load cannot be used for HTTP/2, because each of its clients goes through the same list of requests from the start, and all
// requests have the same body: 64 connections would send each request 64 times, almost simultaneously.
package main

import (
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("load: ")
	programs := map[string]func([]string) any{"requests": requests, "handshakes": handshakes, "idle": idle}
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		log.Fatal("expected requests, handshakes or idle")
	}
	line, err := json.Marshal(programs[os.Args[1]](os.Args[2:]))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}

// A repeatable flag.
type list []string

func (l *list) String() string         { return strings.Join(*l, " ") }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

// requests sends requests in a closed loop, or at a constant rate.
func requests(arguments []string) any {
	flags := flag.NewFlagSet("requests", flag.ExitOnError)
	address := flags.String("address", "", "host and port")
	protocol := flags.String("protocol", "http", "http, https or h2")
	connections := flags.Int("connections", 64, "connections")
	duration := flags.Float64("seconds", 6, "seconds")
	rate := flags.Float64("rate", 0, "requests per second; 0: each connection sends when it has its response")
	once := flags.Bool("once", false, "stop after one request for each line")
	method := flags.String("method", "GET", "method")
	path := flags.String("path", "/", "path, with {1}, {2}… for the fields of a line and {n} for a number")
	body := flags.String("body", "", "body, likewise")
	lines := flags.String("lines", "", "file with the lines that requests use in turn: fields separated by tabs")
	var headers list
	flags.Var(&headers, "header", "NAME: VALUE, likewise")
	flags.Parse(arguments)
	source := newSource(*method, *path, headers, *body, *lines)
	if *once {
		source.limit = uint64(len(source.lines))
	}
	clients := make([]client, *connections)
	for i := range clients {
		var err error
		if clients[i], err = connect(*protocol, *address); err != nil {
			log.Fatalf("connection %d of %d: %v", i+1, *connections, err)
		}
	}
	span := time.Duration(*duration * float64(time.Second))
	if *rate > 0 {
		return open(clients, source, *rate, span).report()
	}
	return closed(clients, source, span).report()
}

// A client sends one request at a time on one connection.
type client interface {
	send(request) error
	// receive returns the status and the size of the response.
	receive() (status, size int, err error)
	close()
}

func connect(protocol, address string) (client, error) {
	switch protocol {
	case "http":
		return connectHTTP1(address, nil)
	case "https":
		return connectHTTP1(address, tlsConfig("http/1.1"))
	case "h2":
		return connectHTTP2(address, tlsConfig("h2"))
	}
	return nil, fmt.Errorf("unknown protocol %s", protocol)
}

// The certificate is made for the run and trusted by no one. Its check would only cost the client.
func tlsConfig(protocol string) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, MinVersion: tls.VersionTLS13, NextProtos: []string{protocol},
		CurvePreferences: []tls.CurveID{tls.X25519},
	}
}
