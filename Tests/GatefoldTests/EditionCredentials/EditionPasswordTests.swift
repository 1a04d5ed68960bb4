import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Edition password")
struct EditionPasswordTests {
    @Test("Equals the SHA-1 of edition:salt:secret computed by coreutils")
    func vector() throws {
        let expected = try ChildProcess.sha1sum("com.example.edition0001:12345:sekrit")
        #expect(EditionPassword.make(edition: .first, salt: "12345", secret: Secret("sekrit")) == expected)
    }

    @Test("The feed password uses the same formula without an edition")
    func feed() throws {
        let expected = try ChildProcess.sha1sum(":a-token:sekrit")
        #expect(EditionPassword.makeForFeed(token: "a-token", secret: Secret("sekrit")) == expected)
    }

    @Test("Pitfall 5: a password is exactly 40 lowercase hexadecimal digits")
    func wellFormed() {
        let good = String(repeating: "0a", count: 20)
        #expect(EditionPassword.isWellFormed(good))
        let bad = [
            "", good.uppercased(), good + " ", good + "\u{0}", String(good.dropLast()), good + "0",
            "0e" + String(repeating: "g", count: 38), String(repeating: "é", count: 20), " " + good.dropLast(),
        ]
        for password in bad { #expect(!EditionPassword.isWellFormed(password)) }
    }

    /// Covers all valid triples: an edition without a colon, a salt without a colon and any secret.
    @Test("Pitfall 3: different triples of edition, salt and secret never hash the same text")
    func injective() {
        var random = SeededRandom(seed: 3)
        var seen: [String: [String]] = [:]
        for _ in 0..<8_000 {
            let edition = String(decoding: random.hostileBytes(upTo: 4, specialCharacters: "a1:.-"), as: UTF8.self)
            let salt = String(decoding: random.hostileBytes(upTo: 3, specialCharacters: "05:a"), as: UTF8.self)
            let secret = String(decoding: random.hostileBytes(upTo: 3, specialCharacters: "s:0"), as: UTF8.self)
            let pair = EditionCredentials(userid: salt, password: String(repeating: "0", count: 40))
            let verifier = EditionCredentialsVerifier(
                publication: .daily, secrets: SecretRing(current: .one), acceptsPlainSalts: true, resumeWindow: 0)
            guard let id = EditionID(edition),
                verifier.verify(pair, for: id, at: .after(0), revocations: RevocationList(publication: .daily))
                    != .malformed
            else { continue }
            let triple = [edition, salt, secret]
            let text = triple.joined(separator: ":")
            #expect(seen[text] == nil || seen[text] == triple)
            seen[text] = triple
        }
        #expect(seen.count > 100)
    }
}
