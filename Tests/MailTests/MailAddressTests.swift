import Gatefold
import TestSupport
import Testing

@Suite("E-mail address")
struct MailAddressTests {
    @Test(
        "Accepts a valid address unchanged",
        arguments: [
            "ada@example.com", "a.b+c=d_e-f@sub.example.co", "!#$%&'*+-/=?^_`{|}~@example.com", "1@localhost",
            "ada@xn--bcher-kva.example", String(repeating: "a", count: 64) + "@example.com",
        ])
    func good(_ text: String) throws {
        let address = try #require(MailAddress(text))
        #expect(address.text == text)
        #expect("\(address)" == "MailAddress(redacted)")
        #expect(MailAddress(" \(text)\r\n")?.text == text)
    }

    @Test("Lowercases its domain")
    func domain() { #expect(MailAddress("Ada@Example.COM")?.domain == "example.com") }

    @Test(
        "Rejects an invalid address and any injection",
        arguments: [
            "", " ", "ada", "@example.com", "ada@", "ada@@example.com", "ada@b@example.com", ".ada@example.com",
            "ada.@example.com", "a..b@example.com", "ada@example..com", "ada@.example.com", "ada@example.com.",
            "ada@-example.com", "ada@example-.com", "ada@127.0.0.1", "ada@[127.0.0.1]", "\"ada\"@example.com",
            "ada@example.com>\r\nRCPT TO:<eve@example.com", "ada@example.com,eve@example.com",
            "ada@example.com\r\nBcc: eve@example.com", "ada@exa\u{0}mple.com", "Ada <ada@example.com>",
            "ada b@example.com", "bücher@example.com", "ada@bücher.example", "ada@exam_ple.com", "a(b)@example.com",
            String(repeating: "a", count: 65) + "@example.com",
            "a@" + Array(repeating: String(repeating: "b", count: 60), count: 5).joined(separator: "."),
            "a@" + String(repeating: "b", count: 64) + ".com",
        ])
    func bad(_ text: String) { #expect(MailAddress(text) == nil) }

    @Test("Holds only characters that are safe in a header and a command")
    func fuzz() {
        var random = SeededRandom(seed: 5321)
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&'*+-/=?^_`{|}~@".utf8)
        var taken = 0
        for _ in 0..<10_000 {
            let between = random.hostileBytes(upTo: 3, specialCharacters: "aab@@..-> \r\n<")
            let bytes = Array("ada".utf8) + between + Array("example.com".utf8)
            guard let address = MailAddress(String(decoding: bytes, as: UTF8.self)) else { continue }
            taken += 1
            #expect(address.text.utf8.allSatisfy(allowed.contains))
            #expect(address.text.utf8.count { $0 == UInt8(ascii: "@") } == 1)
        }
        #expect(taken > 100)
    }
}
