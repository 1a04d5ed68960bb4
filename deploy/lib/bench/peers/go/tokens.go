package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"log"
	"time"
)

const (
	epoch     = 1577836800 // 2020-01-01: the epoch of times in tokens and salts
	nonceSize = 12
)

var (
	tokenKey, saltKey cipher.AEAD
	tokenID, saltID   []byte
	pseudonymKey      []byte
	tokenContext      = []byte("token 1 " + publication)
)

type session struct {
	issued, expires uint32
	reference       [4]byte
	backend, key    string
}

func deriveKeys(pseudonymSecret []byte) {
	pseudonymKey = hkdf(pseudonymSecret, "gatefold references 1", 32)
	tokenKey, tokenID = aead("token"), hkdf(secret, "gatefold token identifier 1", 4)
	saltKey, saltID = aead("salt"), hkdf(secret, "gatefold salt identifier 1", 1)
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

// newSession returns a session of a month that begins now.
func newSession(backend, key string) session {
	s := session{issued: now(), expires: now() + 30*86400, backend: backend, key: key}
	if _, err := rand.Read(s.reference[:]); err != nil {
		panic(err)
	}
	return s
}
