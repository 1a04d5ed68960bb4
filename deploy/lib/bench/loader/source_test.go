package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNoRequestIsRepeated(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(file, []byte("a\tx\nb\ty\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source := newSource("POST", "/{2}", []string{"Key: {1}"}, "token={1}&n={n}", file)
	bodies, paths := map[string]bool{}, map[string]int{}
	for i := 0; i < 1000; i++ {
		next, _ := source.next()
		bodies[next.body] = true
		paths[next.path]++
		if key := next.headers[0]; key.name != "key" || (key.value == "a") != (next.path == "/x") {
			t.Fatalf("%v with %s", key, next.path)
		}
	}
	if len(bodies) != 1000 || paths["/x"] != 500 || paths["/y"] != 500 {
		t.Errorf("%d bodies, %v", len(bodies), paths)
	}
}
