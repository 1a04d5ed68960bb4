package main

import "testing"

func TestOnlyRunningAndWrongAttemptsCount(t *testing.T) {
	l := ledger{counts: map[string]*count{}}
	names := []string{"reader ada", "address 127.0.0.1"}
	for i := 0; i < 10; i++ {
		if !l.begin(names) {
			t.Fatal("rejected")
		}
	}
	if l.counts["reader ada"].running != 10 {
		t.Errorf("%d running", l.counts["reader ada"].running)
	}
	l.end(names, true)
	for i := 1; i < 10; i++ {
		l.end(names, false)
	}
	if one := l.counts["reader ada"]; one == nil || one.wrong != 1 || one.running != 0 {
		t.Errorf("%+v", one)
	}
}

func TestAnAttemptBeyondTheLimitIsRejected(t *testing.T) {
	l := ledger{counts: map[string]*count{}}
	names := []string{"reader ada", "address 127.0.0.1"}
	for i := 0; i < perReader; i++ {
		if !l.begin(names) {
			t.Fatalf("attempt %d was rejected", i)
		}
	}
	if l.begin(names) {
		t.Error("admitted")
	}
	if l.counts[names[1]].running != perReader {
		t.Error("a rejected attempt counts against its address")
	}
}

func TestAPasswordMatchesItsSaltedHash(t *testing.T) {
	// SHA-256 of "analytical engine" and the salt "12345678", then the salt.
	const proof = "{SSHA256}ECTk/ByndRyVkxTzjxZt5E9ENmRqvyB/82r19Osvt0YxMjM0NTY3OA=="
	if !matches("analytical engine", proof) || matches("difference engine", proof) || matches("analytical engine", "{SSHA256}") {
		t.Error("wrong comparison")
	}
}
