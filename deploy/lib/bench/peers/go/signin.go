package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"

	_ "github.com/mattn/go-sqlite3"
)

// The statements of Gatefold (Sources/Backends/Feed/Loading/FeedDatabase.swift). An unknown reader is compared with the hash of
// another one, and each sign-in reads the same pages, so that the time does not show who exists.
var ownStatement, maximumStatement, dummyStatement *sql.Stmt

var dummyKey = make([]byte, 32)

func openReaders(path string) error {
	database, err := sql.Open("sqlite3", "file:"+url.PathEscape(path)+"?mode=ro")
	if err != nil {
		return err
	}
	// More connections than cores are slower here.
	database.SetMaxOpenConns(runtime.NumCPU())
	database.SetMaxIdleConns(runtime.NumCPU())
	for statement, text := range map[**sql.Stmt]string{
		&ownStatement:     "SELECT key, proof FROM line WHERE identifier = ? LIMIT 1",
		&maximumStatement: "SELECT max(id) FROM line",
		&dummyStatement:   "SELECT proof FROM line WHERE id >= ? ORDER BY id LIMIT 1",
	} {
		if *statement, err = database.Prepare(text); err != nil {
			return err
		}
	}
	return nil
}

// findReader returns a reader's key, and the stored proof to compare: the reader's own, or another one.
func findReader(identifier string) (key, proof string, found bool, err error) {
	var maximum int64
	if err = maximumStatement.QueryRow().Scan(&maximum); err != nil {
		return
	}
	code := hmac.New(sha256.New, dummyKey)
	code.Write([]byte(identifier))
	number := binary.BigEndian.Uint64(code.Sum(nil))%uint64(maximum) + 1
	var dummy string
	if err = dummyStatement.QueryRow(int64(number)).Scan(&dummy); err != nil {
		return
	}
	err = ownStatement.QueryRow(identifier).Scan(&key, &proof)
	if err == sql.ErrNoRows {
		return "", dummy, false, nil
	}
	return key, proof, err == nil, err
}

// matches compares a password with a salted SHA-256 of the scheme {SSHA256}.
func matches(password, proof string) bool {
	stored, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(proof, "{SSHA256}"))
	if err != nil || len(stored) <= sha256.Size {
		return false
	}
	digest := sha256.Sum256(append([]byte(password), stored[sha256.Size:]...))
	return subtle.ConstantTimeCompare(digest[:], stored[:sha256.Size]) == 1
}

func signIn(w http.ResponseWriter, r *http.Request) {
	identifier := strings.ToLower(strings.TrimSpace(r.FormValue("email")))
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	counters := []string{"reader " + identifier, "address " + address}
	if !attempts.begin(counters) {
		respond(w, declaration+"<error status=\"throttled\"/>")
		return
	}
	key, proof, found, err := findReader(identifier)
	if err != nil {
		attempts.end(counters, false)
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
		return
	}
	isRight := matches(r.FormValue("password"), proof) && found
	attempts.end(counters, !isRight)
	if !isRight {
		respond(w, declaration+"<error status=\"notrecognised\"/>")
		return
	}
	respond(w, declaration+"<token>"+escaped(sealToken(newSession("readers", key)))+"</token>")
}
