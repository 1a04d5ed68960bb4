import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Sealed salt")
struct SealedSaltTests {
    let sealer = SaltSealer(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(5))
    static let salt = SealedSalt(
        expiresAt: .after(600), subscriber: SubscriberPseudonym(bytes: [1, 2, 3, 4, 5, 6, 7])!,
        session: SessionPseudonym(bytes: [9, 9, 9, 9])!, sessionIssuedAt: .after(-5))

    @Test("Returns any sealed content unchanged")
    func inverse() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<500 {
            let salt = SealedSalt(
                expiresAt: .after(60 * Double(Int.random(in: 0...1_000_000, using: &random))),
                subscriber: SubscriberPseudonym(bytes: random.bytes(7))!,
                session: SessionPseudonym(bytes: random.bytes(4))!,
                sessionIssuedAt: .after(Double(Int.random(in: -1_000_000...1_000_000, using: &random))))
            let text = try sealer.seal(salt, for: .first)
            #expect(text.utf8.count == 63)
            #expect(sealer.open(text, for: .first) == salt)
        }
    }

    @Test("A salt is bound to its edition, its publication and its secret")
    func bound() throws {
        let text = try sealer.seal(Self.salt, for: .first)
        #expect(sealer.open(text, for: .second) == nil)
        let elsewhere = SaltSealer(publication: .weekly, secrets: SecretRing(current: .one), random: .seeded(5))
        #expect(elsewhere.open(text, for: .first) == nil)
        let later = SaltSealer(publication: .daily, secrets: SecretRing(current: .two), random: .seeded(5))
        #expect(later.open(text, for: .first) == nil)
        let during = SaltSealer(
            publication: .daily, secrets: SecretRing(current: .two, retired: [.one]), random: .seeded(5))
        #expect(during.open(text, for: .first) == Self.salt)
    }

    @Test("Rejects a salt with any character changed, removed or added")
    func tampered() throws {
        let text = Array(try sealer.seal(Self.salt, for: .first).utf8)
        for index in text.indices {
            for letter in [UInt8(ascii: "A"), UInt8(ascii: "_"), UInt8(ascii: ":")] where text[index] != letter {
                var changed = text
                changed[index] = letter
                #expect(sealer.open(String(decoding: changed, as: UTF8.self), for: .first) == nil)
            }
        }
        #expect(sealer.open(String(decoding: text.dropLast(), as: UTF8.self), for: .first) == nil)
        #expect(sealer.open(String(decoding: text, as: UTF8.self) + "A", for: .first) == nil)
    }

    @Test("A salt reveals nothing about its subscriber")
    func opaque() throws {
        let text = try sealer.seal(Self.salt, for: .first)
        let bytes = try #require(Base64URL.decode(text))
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: Self.salt.subscriber.bytes) })
        #expect(try sealer.seal(Self.salt, for: .first) != text)
    }
}
