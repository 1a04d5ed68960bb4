import Gatefold
import TestSupport
import Testing

@Suite("Edition identifier")
struct EditionIDTests {
    @Test(
        "Accepts product identifiers as apps use them",
        arguments: ["a", "com.example.title.2026-11", "A_b-9", String(repeating: "x", count: 128)])
    func accepted(_ text: String) {
        #expect(EditionID(text)?.rawValue == text)
    }

    @Test(
        "Pitfall 3: rejects characters that are ambiguous in a path or in the password formula",
        arguments: [
            "", " ", ".", "..", ".a", "a..b", "a:b", "mag:2024", "mag%3A2024", "a/b", "a\\b", "a b", "a\u{0}", "a\n",
            "é",
            "e\u{301}", "ａ", "a;b", "a?b", "a#b", "a&b", "a+b", "a~b", String(repeating: "x", count: 129),
        ])
    func rejected(_ text: String) {
        #expect(EditionID(text) == nil)
    }

    @Test("Accepts only allowed characters among 10,000 hostile strings")
    func fuzz() {
        var random = SeededRandom(seed: 1)
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 4, specialCharacters: "a.-:/%")
            guard let edition = EditionID(String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(edition.rawValue.utf8.allSatisfy(letters.contains))
            #expect(!edition.rawValue.contains("..") && !edition.rawValue.hasPrefix("."))
        }
    }

    @Test("A publication identifier holds only characters that need no escaping")
    func publication() {
        for text in ["daily", "9-lives", "a_b", String(repeating: "x", count: 64)] {
            #expect(PublicationID(text) != nil)
        }
        for text in ["", "Daily", "-a", "_a", "a.b", "a/b", "a b", "é", String(repeating: "x", count: 65)] {
            #expect(PublicationID(text) == nil)
        }
    }
}
