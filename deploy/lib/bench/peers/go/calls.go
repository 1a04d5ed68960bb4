package main

import (
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"strings"
)

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
