import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Sealed token")
struct SealedTokenCodecTests {
    func codec(
        _ current: Secret = .one, retired: [Secret] = [], in publication: PublicationID = .daily
    ) -> SealedTokenCodec {
        SealedTokenCodec(
            publication: publication, secrets: SecretRing(current: current, retired: retired), random: .seeded(13))
    }

    @Test("Returns any sealed session unchanged")
    func inverse() throws {
        var random = SeededRandom(seed: 14)
        let codec = codec()
        for _ in 0..<1000 {
            func text(_ maxLength: Int) -> String {
                String(decoding: random.hostileBytes(upTo: maxLength, specialCharacters: "a:{}\"\n"), as: UTF8.self)
            }
            let session = Session(
                publication: .daily,
                subscriber: Subscriber(
                    backend: text(8), key: text(40), upstreamSession: Bool.random(using: &random) ? text(60) : nil),
                device: Bool.random(using: &random) ? DevicePseudonym(bytes: random.bytes(8)) : nil,
                reference: SessionPseudonym(bytes: random.bytes(4))!, issuedAt: .after(Double(random.next() % 100_000)),
                expiresAt: .after(Double(random.next() % 100_000_000)))
            let token = try codec.seal(session)
            #expect(codec.open(token) == session)
            #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test("Rejects a token with any byte changed, removed or added")
    func tampered() throws {
        let codec = codec()
        let bytes = try #require(Base64URL.decode(codec.seal(.sample())))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(codec.open(Base64URL.encode(changed)) == nil)
        }
        for count in bytes.indices { #expect(codec.open(Base64URL.encode(bytes.prefix(count))) == nil) }
        #expect(codec.open(Base64URL.encode(bytes + [0])) == nil)
    }

    @Test("Pitfall 7: rejects a token of another publication, even with the same secret")
    func otherPublication() throws {
        let token = try codec().seal(.sample())
        #expect(codec(in: .weekly).open(token) == nil)
        #expect(codec(.two).open(token) == nil)
    }

    @Test("A token opens while its secret is retired, and not after its removal")
    func rotation() throws {
        let token = try codec(.one).seal(.sample())
        #expect(codec(.two, retired: [.one]).open(token) == .sample())
        #expect(codec(.two).open(token) == nil)
        let newer = try codec(.two, retired: [.one]).seal(.sample())
        #expect(codec(.two).open(newer) == .sample())
    }

    @Test("A salt does not open as a token, nor a token as a salt")
    func purposes() throws {
        let sealer = SaltSealer(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(15))
        #expect(codec().open(try sealer.seal(SealedSaltTests.salt, for: .first)) == nil)
        #expect(sealer.open(try codec().seal(.sample()), for: .first) == nil)
    }

    @Test("Rejects 10,000 hostile strings")
    func fuzz() {
        var random = SeededRandom(seed: 16)
        let codec = codec()
        for _ in 0..<10_000 {
            #expect(
                codec.open(String(decoding: random.hostileBytes(upTo: 6, specialCharacters: "AZaz09-_"), as: UTF8.self))
                    == nil)
        }
        for _ in 0..<2000 { #expect(codec.open(Base64URL.encode(random.bytes(90))) == nil) }
    }

    @Test("Limits the length of the subscriber and of the text to open")
    func sizes() throws {
        let codec = codec()
        let maxLength = Session.sample(String(repeating: "k", count: SealedTokenCodec.maxSubscriberLength - 2))
        let token = try codec.seal(maxLength)
        #expect(token.utf8.count <= SealedTokenCodec.maxTokenLength)
        #expect(codec.open(token) == maxLength)
        let longer = Session.sample(String(repeating: "k", count: SealedTokenCodec.maxSubscriberLength - 1))
        #expect(throws: TokenError.subscriberTooLong) { try codec.seal(longer) }
        #expect(codec.open(String(repeating: "A", count: 1_000_000)) == nil)
    }

    @Test("A token reveals nothing about the reader and differs each time")
    func opaque() throws {
        let codec = codec()
        let key = "jane.doe@example.com"
        let token = try codec.seal(.sample(key, upstream: "upstream-session"))
        let bytes = String(decoding: try #require(Base64URL.decode(token)), as: UTF8.self)
        for word in [key, "jane", "upstream-session"] { #expect(!bytes.contains(word) && !token.contains(word)) }
        #expect(try codec.seal(.sample(key, upstream: "upstream-session")) != token)
    }

    @Test("Pseudonyms are keyed and keep their parts separate")
    func pseudonymKey() {
        let key = PseudonymKey(.one)
        let subscriber = Subscriber(backend: "db", key: "1")
        #expect(key.reference(to: subscriber) == PseudonymKey(.one).reference(to: subscriber))
        #expect(key.reference(to: subscriber) != PseudonymKey(.two).reference(to: subscriber))
        #expect(key.reference(to: Subscriber(backend: "d", key: "b1")) != key.reference(to: subscriber))
        #expect(key.digest("a", ["bc"]) != key.digest("a", ["b", "c"]))
        #expect(
            key.reference(to: Subscriber(backend: "db", key: "1", upstreamSession: "x"))
                == key.reference(to: subscriber))
        #expect(SubscriberPseudonym(key.reference(to: subscriber).description) == key.reference(to: subscriber))
    }
}

@Suite("Caches of pseudonyms and tokens")
struct CachedTextTests {
    @Test("Keys that look alike but differ in bytes get different pseudonyms")
    func pseudonymKey() {
        let keys = ["Zo\u{EB}", "Zoe\u{308}", "K", "\u{212A}"]
        let caching = PseudonymKey(.one)
        for key in keys + keys.reversed() {
            let reader = Subscriber(backend: "house", key: key)
            #expect(caching.reference(to: reader) == PseudonymKey(.one).reference(to: reader), "\(key)")
        }
    }

    @Test("A token in look-alike characters does not open")
    func tokens() throws {
        let codec = SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(13))
        let caching = CachingTokenCodec(codec)
        // Find a token that contains a K.
        let token = try #require(
            (0..<100).lazy.compactMap { try? codec.seal(.sample("reader-\($0)")) }.first { $0.contains("K") })
        #expect(caching.open(token) != nil)
        let other = token.replacing("K", with: "\u{212A}")
        #expect(other == token && codec.open(other) == nil)
        #expect(caching.open(other) == nil)
    }
}
