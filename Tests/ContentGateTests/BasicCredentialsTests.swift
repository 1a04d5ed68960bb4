import ContentGate
import Foundation
import TestSupport
import Testing

@Suite("Basic credentials")
struct BasicCredentialsTests {
    @Test(
        "are accepted for any case of the scheme, with or without padding",
        arguments: ["Basic dTpw", "basic dTpw", "BASIC  dTpw", "bAsIc dTpw"])
    func accepts(value: String) {
        #expect(BasicCredentials(value)?.userid == "u")
        #expect(BasicCredentials(value)?.password == "p")
    }

    @Test("may omit the padding, but wrong padding is rejected")
    func padding() {
        #expect(BasicCredentials("Basic dTpwYQ==")?.password == "pa")
        #expect(BasicCredentials("Basic dTpwYQ")?.password == "pa")
        #expect(BasicCredentials("Basic dTpwYQ=") == nil)
        #expect(BasicCredentials("Basic dTpwYQ===") == nil)
        #expect(BasicCredentials("Basic dTpw====") == nil)
    }

    @Test(
        "are rejected in any other format",
        arguments: [
            "", "Basic", "Basic ", "BasicdTpw", "Bearer dTpw", "Basic\tdTpw", "Basic dTpw ", "Basic dTpw,Basic dTpw",
            "Basic dT pw", "Basic dXA=", "Basic dTpwYR", "Basic dTr_", "Basic dTr-", "Basic dTr\u{E9}", "Basic =",
            "Basic dTpwAA==", "Basic DQo6cA==",
        ])
    func rejects(value: String) {
        #expect(BasicCredentials(value) == nil)
    }

    @Test("are rejected if they are not UTF-8")
    func encoding() {
        #expect(BasicCredentials("Basic " + Data([0xFF, 0x3A, 0x61]).base64EncodedString()) == nil)
        #expect(BasicCredentials("Basic " + Data([0x61, 0x3A, 0xC0, 0x80]).base64EncodedString()) == nil)
    }

    @Test("Pitfall 3: end the userid at the first colon")
    func firstColon() {
        let pair = BasicCredentials(Tenant.basic("2024:05", "x"))
        #expect(pair?.userid == "2024")
        #expect(pair?.password == "05:x")
    }

    @Test("are rejected beyond the maximum length of a token with its password")
    func tooLong() {
        #expect(
            BasicCredentials(Tenant.basic(String(repeating: "t", count: 16_384), String(repeating: "0", count: 40)))
                != nil)
        #expect(BasicCredentials(Tenant.basic(String(repeating: "t", count: 17_000), "p")) == nil)
    }

    @Test("are redacted in descriptions")
    func description() {
        #expect("\(BasicCredentials("Basic dTpw")!)" == "BasicCredentials(redacted)")
    }

    @Test("10,000 random values cause no crash, and accepted values match the system's decoder")
    func hostileValues() async {
        var random = SeededRandom(seed: 4)
        var accepted = 0
        for round in 0..<10_000 {
            // Yields to other tests of this process.
            if round.isMultiple(of: 100) { await Task.yield() }
            var encoded = random.hostileBytes(upTo: 8, specialCharacters: "dTpwYQ=+/-_ :")
            if round.isMultiple(of: 2) {
                encoded = Array(
                    Data(random.hostileBytes(upTo: 6, specialCharacters: "ab:::")).base64EncodedString().utf8)
                if !encoded.isEmpty, round.isMultiple(of: 4) {
                    encoded[Int.random(in: 0..<encoded.count, using: &random)] = random.bytes(1)[0]
                }
            }
            let value = Array("Basic ".utf8) + encoded
            guard let pair = BasicCredentials(bytes: value) else { continue }
            accepted += 1
            var text = String(decoding: value.dropFirst(6).drop { $0 == 0x20 }, as: UTF8.self)
            text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            #expect(Data(base64Encoded: text) == Data("\(pair.userid):\(pair.password)".utf8))
        }
        #expect(accepted > 100)
        for _ in 0..<10_000 {
            _ = BasicCredentials(bytes: random.hostileBytes(upTo: 16, specialCharacters: "Basic =:"))
        }
    }
}
