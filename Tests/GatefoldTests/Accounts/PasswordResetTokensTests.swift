import Foundation
import Primitives
import TestSupport
import Testing

@testable import Accounts
@testable import Gatefold

@Suite("Password reset token") struct PasswordResetTokensTests {
    private let subscriber = Subscriber(backend: "readers", key: "1")

    private func resetTokens(
        _ publication: PublicationID = .daily, _ current: Secret = .one, retired: [Secret] = []
    ) -> PasswordResetTokens {
        PasswordResetTokens(
            publication: publication, secrets: SecretRing(current: current, retired: retired), random: .seeded(42),
            lifetime: 60)
    }

    @Test("Returns any sealed content until the token expires")
    func inverse() throws {
        var random = SeededRandom(seed: 43)
        let resetTokens = resetTokens()
        for _ in 0..<1000 {
            func text(_ maxLength: Int) -> String {
                String(decoding: random.hostileBytes(upTo: maxLength, specialCharacters: "a:{}\"\n"), as: UTF8.self)
            }
            let subscriber = Subscriber(backend: text(8), key: text(40))
            let revision = random.bytes(Int.random(in: 0...40, using: &random))
            let resetToken = try resetTokens.seal(subscriber, revision: revision, at: .after(0))
            let read = try #require(resetTokens.open(resetToken, at: .after(59)))
            #expect(
                read.subscriber == subscriber && isEqualInConstantTime(read.revision, revision)
                    && read.expiresAt == .after(60)
            )
            #expect(resetTokens.open(resetToken, at: .after(60)) == nil)
            #expect(resetToken.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
        #expect(throws: TokenError.self) {
            try resetTokens.seal(
                Subscriber(backend: "b", key: String(repeating: "k", count: 4096)), revision: [], at: .after(0))
        }
    }

    @Test("Rejects a token with any bit changed, any byte removed or a byte added")
    func tampered() throws {
        let resetTokens = resetTokens()
        let bytes = try #require(Base64URL.decode(try resetTokens.seal(subscriber, revision: [1], at: .after(0))))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(resetTokens.open(Base64URL.encode(changed), at: .after(0)) == nil)
            }
        }
        for count in bytes.indices {
            #expect(resetTokens.open(Base64URL.encode(bytes.prefix(count)), at: .after(0)) == nil)
        }
        #expect(resetTokens.open(Base64URL.encode(bytes + [0]), at: .after(0)) == nil)
    }

    @Test("A reset token is bound to its publication and purpose and opens with retired secrets")
    func scope() throws {
        let resetToken = try resetTokens().seal(subscriber, revision: [1], at: .after(0))
        #expect(resetTokens(.weekly).open(resetToken, at: .after(0)) == nil)
        #expect(resetTokens(.daily, .two).open(resetToken, at: .after(0)) == nil)
        #expect(resetTokens(.daily, .two, retired: [.one]).open(resetToken, at: .after(0))?.subscriber == subscriber)
        let codec = SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(44))
        #expect(codec.open(resetToken) == nil)
        #expect(resetTokens().open(try codec.seal(.sample()), at: .after(0)) == nil)
    }

    @Test("Rejects 10,000 modified tokens and 10,000 hostile texts")
    func fuzz() throws {
        var random = SeededRandom(seed: 45)
        let resetTokens = resetTokens()
        let genuine = Array(try resetTokens.seal(subscriber, revision: [1, 2, 3], at: .after(0)).utf8)
        var opened = 0
        for _ in 0..<10_000 {
            var text = genuine
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: text.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[index] = UInt8.random(in: 0x20...0x7E, using: &random)
                case 1: text.remove(at: index)
                default: text.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: index)
                }
            }
            guard text != genuine else { continue }
            if resetTokens.open(String(decoding: text, as: UTF8.self), at: .after(0)) != nil { opened += 1 }
        }
        for _ in 0..<10_000 {
            let text = String(decoding: random.hostileBytes(upTo: 90, specialCharacters: "AZaz09-_"), as: UTF8.self)
            if resetTokens.open(text, at: .after(0)) != nil { opened += 1 }
        }
        #expect(opened == 0)
        #expect(resetTokens.open(String(repeating: "A", count: 10_000_000), at: .after(0)) == nil)
    }
}
