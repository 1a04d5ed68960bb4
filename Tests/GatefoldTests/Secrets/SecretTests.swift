import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Secret strength")
struct SecretTests {
    static let weak = [
        "", "   ", "changeme", "sekrit", "12345678", "aaaaaaaaaaaaaaaaaaaa", "abababababababababab", "changemechangeme",
        "passwordpassword", "SecretSecretSecret", "your-secret-here-", "0123456789abcdef", "abcdefghijklmnop",
        "qwertyuiopasdfgh", "12345678901234567890", "hunter2hunter2hunter2", "administrator1234", "PleaseReplaceMe!",
        "asdfghjklasdfghjkl", "mysecretpassword1", "fedcba9876543210",
    ]

    @Test("Pitfall 4: rejects guessable secrets with a reason", arguments: weak)
    func rejected(_ text: String) {
        #expect(throws: SecretWeakness.self) { try Secret(text).requireStrength() }
    }

    @Test("Pitfall 4: accepts generated secrets")
    func accepted() throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<300 {
            try Secret(random.bytes(16)).requireStrength()
            try Secret(Base64URL.encode(random.bytes(16))).requireStrength()
            try Secret(Hexadecimal.encode(random.bytes(16))).requireStrength()
        }
        try Secret("correct horse battery staple").requireStrength()
    }

    @Test("Pitfall 4: the reason names the rule that failed")
    func reasons() {
        #expect(throws: SecretWeakness.empty) { try Secret(" \n").requireStrength() }
        #expect(throws: SecretWeakness.sample) { try Secret("changeme").requireStrength() }
        #expect(throws: SecretWeakness.short(bytes: 8)) { try Secret("x7Kq02Lm").requireStrength() }
        #expect(throws: SecretWeakness.repetitive) { try Secret("aaaaaaaaaaaaaaaaaaaa").requireStrength() }
        for weakness in [SecretWeakness.empty, .sample, .repetitive, .short(bytes: 3)] {
            #expect(weakness.description.hasPrefix("the secret"))
        }
    }

    @Test("Pitfall 4: an offline attack on one issued pair finds no accepted secret")
    func offlineAttack() throws {
        let folder = fixtures.appending(path: "secrets/words.txt")
        let words = try String(contentsOf: folder, encoding: .utf8).split(separator: "\n").map(String.init)
        var candidates = words
        for word in words {
            candidates += [word + word, word.uppercased(), word.capitalized, word + "1", word + "123", word + "2026"]
            candidates += [word + word + word, word + word + word + word]
        }
        // The start rejects every secret that the attack could find.
        for candidate in candidates {
            #expect(throws: SecretWeakness.self, "\(candidate)") { try Secret(candidate).requireStrength() }
        }
        // The attack does not find an accepted secret.
        var random = SeededRandom(seed: 12)
        let secret = Secret(Base64URL.encode(random.bytes(24)))
        try secret.requireStrength()
        let issued = EditionPassword.make(edition: .first, salt: "12345", secret: secret)
        let found = candidates.first {
            EditionPassword.make(edition: .first, salt: "12345", secret: Secret($0)) == issued
        }
        #expect(found == nil)
    }

    @Test("Pitfall 20: no kind of printing reveals the secret")
    func printing() {
        let secret = Secret("kW8xVq2mTz5nRb7L")
        var dumped = ""
        dump(SecretRing(current: secret, retired: [secret]), to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\(SecretRing(current: secret))"] {
            #expect(!text.contains("kW8x") && !text.contains("107"))
        }
    }
}
