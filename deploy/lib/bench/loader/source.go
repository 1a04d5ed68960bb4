package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

type field struct{ name, value string }

type request struct {
	method, path string
	headers      []field
	body         string
}

// A source yields requests from templates. Each uses the next line, and has a different number for {n}.
type source struct {
	template request
	// The fields of each line.
	lines [][]string
	taken uint64
	// The number of requests that a closed loop sends; 0: as many as it can.
	limit uint64
	first uint32
}

func newSource(method, path string, headers []string, body, file string) *source {
	// The first half of the number differs between runs.
	s := &source{template: request{method: method, path: path, body: body}, lines: [][]string{nil}, first: uint32(time.Now().UnixMilli())}
	for _, header := range headers {
		name, value, found := strings.Cut(header, ": ")
		if !found {
			log.Fatalf("expected NAME: VALUE, found %s", header)
		}
		s.template.headers = append(s.template.headers, field{strings.ToLower(name), value})
	}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		s.lines = nil
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			s.lines = append(s.lines, strings.Split(line, "\t"))
		}
	}
	return s
}

// next returns false when the limit is reached.
func (s *source) next() (request, bool) {
	number := atomic.AddUint64(&s.taken, 1)
	if s.limit > 0 && number > s.limit {
		return request{}, false
	}
	pairs := []string{"{n}", fmt.Sprintf("%08x%08x", s.first, uint32(number))}
	for i, value := range s.lines[number%uint64(len(s.lines))] {
		pairs = append(pairs, "{"+strconv.Itoa(i+1)+"}", value)
	}
	filled := strings.NewReplacer(pairs...)
	result := s.template
	result.path = filled.Replace(result.path)
	result.body = filled.Replace(result.body)
	result.headers = make([]field, len(s.template.headers))
	for i, header := range s.template.headers {
		result.headers[i] = field{header.name, filled.Replace(header.value)}
	}
	return result, true
}
