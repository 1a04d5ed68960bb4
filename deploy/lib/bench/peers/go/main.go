// A peer for Gatefold: the work of its hot calls, written with Go's net/http in the usual way.
//
// It opens Gatefold's own tokens and salts with the same keys, looks up revocations and a cached subscription, applies the
// expiry, and writes the same documents with the same headers. A sign-in queries the same SQLite file, compares the same hash and
// counts the same attempts. It omits devices, metrics, reloads, and the queries to a subscriber system, which is to its advantage.
// It also omits Gatefold's caches for the contents of the latest tokens and valid salts and the pseudonyms of readers, up to
// 20,000, 10,000 and 20,000: this program opens each token and salt and computes each pseudonym every time. Only the row with
// 25,000 sessions prevents this.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
)

const publication = "bench"

// The publication's secret.
var secret []byte

func main() {
	listen := flag.String("listen", "127.0.0.1:9000", "address")
	listenTLS := flag.String("listen-tls", "", "address for TLS: HTTP/1.1 and HTTP/2")
	certificate := flag.String("certificate", "", "certificate in PEM")
	key := flag.String("key", "", "its key in PEM")
	secretFile := flag.String("secret", "", "the publication's secret")
	pseudonymsFile := flag.String("pseudonyms", "", "file with the pseudonym secret")
	feed := flag.String("feed", "", "the database that Gatefold made from its feed of readers")
	mint := flag.Int("mint", 0, "print tokens of this many readers with the keys 1, 1 + step…, and end")
	step := flag.Int("step", 1, "the difference between the keys")
	backend := flag.String("backend", "readers", "the backend of these readers")
	flag.Parse()
	secret = read(*secretFile)
	deriveKeys(read(*pseudonymsFile))
	if *mint > 0 {
		out := bufio.NewWriter(os.Stdout)
		defer out.Flush()
		for i := 0; i < *mint; i++ {
			fmt.Fprintln(out, sealToken(newSession(*backend, strconv.Itoa(1+i**step))))
		}
		return
	}
	if err := openReaders(*feed); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/verify_subscription", verify)
	http.HandleFunc("/edition_credentials", credentials)
	http.HandleFunc("/house/sign_in", signIn)
	http.HandleFunc("/auth-request/original-uri", authRequest)
	http.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok\n")) })
	go func() { log.Fatal(http.ListenAndServeTLS(*listenTLS, *certificate, *key, nil)) }()
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func read(path string) []byte {
	bytes, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return []byte(strings.TrimRight(string(bytes), " \t\r\n"))
}
