// A peer for Gatefold: the work of its hot calls, written with Go's net/http in the usual way.
//
// It opens Gatefold's own tokens and salts with the same keys, looks up revocations and a cached subscription, applies the
// expiry, and writes the same documents with the same headers. It omits devices, login throttles, metrics, reloads, and the
// queries to a subscriber system, which is to its advantage. It also omits two caches of Gatefold. First, Gatefold caches a
// response for one second for byte-identical requests; a number in each request of the rows "never the same twice" prevents
// this. Second, Gatefold caches the contents of the latest tokens and valid salts and the pseudonyms of readers, up to 20,000,
// 10,000 and 20,000, while this program opens each token and salt and computes each pseudonym every time. Only the row with
// 25,000 sessions prevents this.
//
// A sign-in is far less work here: the reader is looked up in memory and no attempts are counted, while Gatefold queries an
// SQLite database that it created from a file of readers, and counts attempts per reader and per address. The report mentions
// this next to those rows.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"flag"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	epoch       = 1577836800 // 2020-01-01: the epoch of times in tokens and salts
	nonceSize   = 12
	publication = "bench"
)

var (
	tokenKey, saltKey cipher.AEAD
	tokenID, saltID   []byte
	pseudonymKey      []byte
	secret            []byte
	tokenContext      = []byte("token 1 " + publication)

	lock        sync.RWMutex
	cache       = map[string]subscription{}
	revocations = map[[7]byte]uint32{}

	readers = map[string]reader{}
)

type subscription struct {
	state   string
	issues  []string
	expires time.Time
}

type reader struct {
	number string
	salt   []byte
	digest [32]byte
}

type session struct {
	issued, expires uint32
	reference       [4]byte
	backend, key    string
}

// HKDF with SHA-256, no salt, for up to 32 bytes (RFC 5869).
func hkdf(material []byte, info string, size int) []byte {
	extract := hmac.New(sha256.New, make([]byte, 32))
	extract.Write(material)
	expand := hmac.New(sha256.New, extract.Sum(nil))
	expand.Write([]byte(info))
	expand.Write([]byte{1})
	return expand.Sum(nil)[:size]
}

func aead(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(hkdf(secret, "gatefold "+purpose+" key 1", 32))
	if err != nil {
		log.Fatal(err)
	}
	sealed, err := cipher.NewGCM(block)
	if err != nil {
		log.Fatal(err)
	}
	return sealed
}

func now() uint32 { return uint32(time.Now().Unix() - epoch) }

func openToken(text string) (session, bool) {
	var s session
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(sealed) < 4+nonceSize+16 || string(sealed[:4]) != string(tokenID) {
		return s, false
	}
	plain, err := tokenKey.Open(nil, sealed[4:4+nonceSize], sealed[4+nonceSize:], tokenContext)
	if err != nil || len(plain) < 14 || plain[0] != 1 {
		return s, false
	}
	s.issued = binary.BigEndian.Uint32(plain[1:])
	s.expires = binary.BigEndian.Uint32(plain[5:])
	copy(s.reference[:], plain[9:13])
	flags := plain[13]
	rest := plain[14:]
	if flags&1 != 0 {
		if len(rest) < 8 {
			return s, false
		}
		rest = rest[8:]
	}
	var ok bool
	if s.backend, rest, ok = readText(rest); !ok {
		return s, false
	}
	if s.key, rest, ok = readText(rest); !ok {
		return s, false
	}
	if flags&2 != 0 {
		if _, rest, ok = readText(rest); !ok {
			return s, false
		}
	}
	return s, len(rest) == 0
}

func readText(bytes []byte) (string, []byte, bool) {
	if len(bytes) < 2 {
		return "", nil, false
	}
	count := int(binary.BigEndian.Uint16(bytes))
	if len(bytes) < 2+count {
		return "", nil, false
	}
	return string(bytes[2 : 2+count]), bytes[2+count:], true
}

func sealToken(s session) string {
	plain := make([]byte, 0, 64)
	plain = append(plain, 1)
	plain = binary.BigEndian.AppendUint32(plain, s.issued)
	plain = binary.BigEndian.AppendUint32(plain, s.expires)
	plain = append(plain, s.reference[:]...)
	plain = append(plain, 0)
	for _, text := range []string{s.backend, s.key} {
		plain = binary.BigEndian.AppendUint16(plain, uint16(len(text)))
		plain = append(plain, text...)
	}
	return seal(tokenKey, tokenID, plain, tokenContext)
}

func seal(key cipher.AEAD, id, plain, context []byte) string {
	sealed := make([]byte, len(id)+nonceSize, len(id)+nonceSize+len(plain)+16)
	copy(sealed, id)
	nonce := sealed[len(id):]
	if _, err := rand.Read(nonce); err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(key.Seal(sealed, nonce, plain, context))
}

// pseudonym returns the pseudonym that revocations are stored under.
func pseudonym(s session) [7]byte {
	code := hmac.New(sha256.New, pseudonymKey)
	for _, part := range []string{"subscriber", s.backend, s.key} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		code.Write(length[:])
		code.Write([]byte(part))
	}
	var result [7]byte
	copy(result[:], code.Sum(nil))
	return result
}

func isRevoked(subject [7]byte, issued uint32) bool {
	lock.RLock()
	before, found := revocations[subject]
	lock.RUnlock()
	return found && issued < before
}

// cachedSubscription returns the subscription that a subscriber system reported at most five minutes ago.
func cachedSubscription(s session) subscription {
	key := s.backend + "\x00" + s.key
	lock.RLock()
	entry, found := cache[key]
	lock.RUnlock()
	if found && time.Now().Before(entry.expires) {
		return entry
	}
	entry = subscription{
		state:   "active",
		issues:  []string{"com.example.bench.2026-09", "com.example.bench.2026-10", "com.example.bench.2026-11"},
		expires: time.Now().Add(5 * time.Minute),
	}
	lock.Lock()
	cache[key] = entry
	lock.Unlock()
	return entry
}

func respond(w http.ResponseWriter, document string) {
	header := w.Header()
	header.Set("Content-Type", "text/xml; charset=utf-8")
	noCache(header)
	w.Write([]byte(document))
}

func noCache(header http.Header) {
	header.Set("Cache-Control", "no-store, no-cache, must-revalidate, private, max-age=0")
	header.Set("Pragma", "no-cache")
	header.Set("Expires", "0")
}

func escaped(text string) string {
	var builder strings.Builder
	xml.EscapeText(&builder, []byte(text))
	return builder.String()
}

const declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

func verify(w http.ResponseWriter, r *http.Request) {
	s, ok := openToken(r.FormValue("token"))
	if !ok || s.expires <= now() || isRevoked(pseudonym(s), s.issued) {
		respond(w, declaration+"<subscription state=\"unknown\"/>")
		return
	}
	entry := cachedSubscription(s)
	var builder strings.Builder
	builder.WriteString(declaration)
	builder.WriteString("<subscription state=\"")
	builder.WriteString(escaped(entry.state))
	builder.WriteString("\"><issues>")
	for _, issue := range entry.issues {
		builder.WriteString("<issue>")
		builder.WriteString(escaped(issue))
		builder.WriteString("</issue>")
	}
	builder.WriteString("</issues></subscription>")
	respond(w, builder.String())
}

func password(edition, salt string) string {
	hash := sha1.New()
	hash.Write([]byte(edition + ":" + salt + ":"))
	hash.Write(secret)
	return hex.EncodeToString(hash.Sum(nil))
}

func credentials(w http.ResponseWriter, r *http.Request) {
	s, ok := openToken(r.FormValue("token"))
	edition := r.FormValue("product_id")
	subject := pseudonym(s)
	refusal := ""
	switch {
	case !ok || isRevoked(subject, s.issued):
		refusal = "notrecognised"
	case s.expires <= now():
		refusal = "expired"
	default:
		refusal = "notentitled"
		for _, issue := range cachedSubscription(s).issues {
			if issue == edition {
				refusal = ""
			}
		}
	}
	if refusal != "" {
		respond(w, declaration+"<credentials><error status=\""+refusal+"\"/></credentials>")
		return
	}
	minutes := (now() + 86400 + 59) / 60
	plain := []byte{byte(minutes >> 16), byte(minutes >> 8), byte(minutes)}
	plain = binary.BigEndian.AppendUint32(plain, s.issued)
	plain = append(plain, subject[:]...)
	plain = append(plain, s.reference[:]...)
	salt := seal(saltKey, saltID, plain, []byte("salt 1 "+publication+" "+edition))
	respond(w, declaration+"<credentials><userid>"+escaped(salt)+"</userid><password>"+
		password(edition, salt)+"</password></credentials>")
}

func signIn(w http.ResponseWriter, r *http.Request) {
	known, found := readers[strings.ToLower(strings.TrimSpace(r.FormValue("email")))]
	digest := sha256.Sum256(append([]byte(r.FormValue("password")), known.salt...))
	if !found || subtle.ConstantTimeCompare(digest[:], known.digest[:]) != 1 {
		respond(w, declaration+"<error status=\"notrecognised\"/>")
		return
	}
	s := session{issued: now(), expires: now() + 30*86400, backend: "house", key: known.number}
	if _, err := rand.Read(s.reference[:]); err != nil {
		panic(err)
	}
	respond(w, declaration+"<token>"+escaped(sealToken(s))+"</token>")
}

// Makes the same decision as the auth-request endpoint: path, edition, salt, password, expiry, revocation.
func authRequest(w http.ResponseWriter, r *http.Request) {
	noCache(w.Header())
	target := r.Header.Get("X-Original-URI")
	user, given, ok := r.BasicAuth()
	const prefix = "/content/" + publication + "/"
	if !ok || !strings.HasPrefix(target, prefix) || strings.ContainsAny(target, "%\\;") || strings.Contains(target, "..") {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	edition := strings.TrimSuffix(strings.SplitN(target[len(prefix):], "/", 2)[0], ".zip")
	expected := password(edition, user)
	sealed, err := base64.RawURLEncoding.DecodeString(user)
	if err != nil || len(sealed) != 1+nonceSize+18+16 ||
		subtle.ConstantTimeCompare([]byte(expected), []byte(given)) != 1 {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	plain, err := saltKey.Open(nil, sealed[1:1+nonceSize], sealed[1+nonceSize:],
		[]byte("salt 1 "+publication+" "+edition))
	if err != nil {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	minutes := uint32(plain[0])<<16 | uint32(plain[1])<<8 | uint32(plain[2])
	var subject [7]byte
	copy(subject[:], plain[7:14])
	if minutes*60 <= now() || isRevoked(subject, binary.BigEndian.Uint32(plain[3:])) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("X-Gatefold-Path", target)
	w.Header().Set("X-Gatefold-Edition", edition)
	w.WriteHeader(http.StatusOK)
}

func read(path string) []byte {
	bytes, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return []byte(strings.TrimRight(string(bytes), " \t\r\n"))
}

func main() {
	listen := flag.String("listen", "127.0.0.1:9000", "address")
	secretFile := flag.String("secret", "", "the publication's secret")
	pseudonymsFile := flag.String("pseudonyms", "", "file with the pseudonym secret")
	feed := flag.String("readers", "", "CSV: identifier, number, {SSHA256}digest")
	flag.Parse()
	secret = read(*secretFile)
	pseudonymKey = hkdf(read(*pseudonymsFile), "gatefold references 1", 32)
	tokenKey, tokenID = aead("token"), hkdf(secret, "gatefold token identifier 1", 4)
	saltKey, saltID = aead("salt"), hkdf(secret, "gatefold salt identifier 1", 1)
	for _, line := range strings.Split(string(read(*feed)), "\n")[1:] {
		fields := strings.Split(strings.TrimSpace(line), ",")
		stored, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(fields[2], "{SSHA256}"))
		if err != nil || len(stored) <= 32 {
			log.Fatal("unreadable row")
		}
		entry := reader{number: fields[1], salt: stored[32:]}
		copy(entry.digest[:], stored)
		readers[fields[0]] = entry
	}
	http.HandleFunc("/verify_subscription", verify)
	http.HandleFunc("/edition_credentials", credentials)
	http.HandleFunc("/house/sign_in", signIn)
	http.HandleFunc("/auth-request/original-uri", authRequest)
	log.Fatal(http.ListenAndServe(*listen, nil))
}
