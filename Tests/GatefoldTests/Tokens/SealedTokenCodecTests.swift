import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A sealed token")
struct SealedTokenCodecTests {
    func codec(
        _ current: Secret = .one, retired: [Secret] = [], in publication: PublicationID = .daily
    ) -> SealedTokenCodec {
        SealedTokenCodec(
            publication: publication, secrets: SecretRing(current: current, retired: retired), random: .seeded(13))
    }

    @Test("opens as it was sealed, whatever the backend's keys look like")
    func inverse() throws {
        var random = SeededRandom(seed: 14)
        let codec = codec()
        for _ in 0..<1000 {
            func text(_ longest: Int) -> String {
                String(decoding: random.hostileBytes(upTo: longest, spice: "a:{}\"\n"), as: UTF8.self)
            }
            let session = Session(
                publication: .daily,
                subscriber: Subscriber(
                    backend: text(8), key: text(40), upstreamSession: Bool.random(using: &random) ? text(60) : nil),
                device: Bool.random(using: &random) ? DeviceReference(bytes: random.bytes(8)) : nil,
                reference: SessionReference(bytes: random.bytes(4))!, issuedAt: .after(Double(random.next() % 100_000)),
                expiresAt: .after(Double(random.next() % 100_000_000)))
            let token = try codec.seal(session)
            #expect(codec.open(token) == session)
            #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test("does not open with any byte changed")
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

    @Test("Pitfall 7: of one publication is nothing to another, even with the same secret")
    func otherPublication() throws {
        let token = try codec().seal(.sample())
        #expect(codec(in: .weekly).open(token) == nil)
        #expect(codec(.two).open(token) == nil)
    }

    @Test("outlives a rotation while its secret is retired, and not when it is gone")
    func rotation() throws {
        let token = try codec(.one).seal(.sample())
        #expect(codec(.two, retired: [.one]).open(token) == .sample())
        #expect(codec(.two).open(token) == nil)
        let newer = try codec(.two, retired: [.one]).seal(.sample())
        #expect(codec(.two).open(newer) == .sample())
    }

    @Test("A salt is no token, and a token no salt")
    func purposes() throws {
        let sealer = SaltSealer(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(15))
        #expect(codec().open(try sealer.seal(SealedSaltTests.salt, for: .first)) == nil)
        #expect(sealer.open(try codec().seal(.sample()), for: .first) == nil)
    }

    @Test("is never one of 10,000 hostile strings")
    func fuzz() {
        var random = SeededRandom(seed: 16)
        let codec = codec()
        for _ in 0..<10_000 {
            #expect(codec.open(String(decoding: random.hostileBytes(upTo: 6, spice: "AZaz09-_"), as: UTF8.self)) == nil)
        }
        for _ in 0..<2000 { #expect(codec.open(Base64URL.encode(random.bytes(90))) == nil) }
    }

    @Test("has a longest subscriber, and a longest text that is looked at")
    func sizes() throws {
        let codec = codec()
        let longest = Session.sample(String(repeating: "k", count: SealedTokenCodec.longestSubscriber - 2))
        let token = try codec.seal(longest)
        #expect(token.utf8.count <= SealedTokenCodec.longestToken)
        #expect(codec.open(token) == longest)
        let longer = Session.sample(String(repeating: "k", count: SealedTokenCodec.longestSubscriber - 1))
        #expect(throws: TokenError.subscriberTooLong) { try codec.seal(longer) }
        #expect(codec.open(String(repeating: "A", count: 1_000_000)) == nil)
    }

    @Test("reveals nothing of the reader, and is another each time")
    func opaque() throws {
        let codec = codec()
        let key = "jane.doe@example.com"
        let token = try codec.seal(.sample(key, upstream: "upstream-session"))
        let bytes = String(decoding: try #require(Base64URL.decode(token)), as: UTF8.self)
        for word in [key, "jane", "upstream-session"] { #expect(!bytes.contains(word) && !token.contains(word)) }
        #expect(try codec.seal(.sample(key, upstream: "upstream-session")) != token)
    }

    @Test("References are keyed, and keep what they are made of apart")
    func references() {
        let key = ReferenceKey(.one)
        let subscriber = Subscriber(backend: "db", key: "1")
        #expect(key.reference(to: subscriber) == ReferenceKey(.one).reference(to: subscriber))
        #expect(key.reference(to: subscriber) != ReferenceKey(.two).reference(to: subscriber))
        #expect(key.reference(to: Subscriber(backend: "d", key: "b1")) != key.reference(to: subscriber))
        #expect(key.digest("a", ["bc"]) != key.digest("a", ["b", "c"]))
        #expect(
            key.reference(to: Subscriber(backend: "db", key: "1", upstreamSession: "x"))
                == key.reference(to: subscriber))
        #expect(SubscriberReference(key.reference(to: subscriber).description) == key.reference(to: subscriber))
    }
}

@Suite("What is remembered of readers and tokens")
struct RememberedTextTests {
    @Test("is of the very bytes: who has a key in other letters that look the same is somebody else")
    func references() {
        let keys = ["Zo\u{EB}", "Zoe\u{308}", "K", "\u{212A}"]
        let remembering = ReferenceKey(.one)
        for key in keys + keys.reversed() {
            let reader = Subscriber(backend: "house", key: key)
            #expect(remembering.reference(to: reader) == ReferenceKey(.one).reference(to: reader), "\(key)")
        }
    }

    @Test("opens no token in other letters that look the same")
    func tokens() throws {
        let codec = SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(13))
        let remembering = RememberingTokenCodec(codec)
        // One with a K in it.
        let token = try #require(
            (0..<100).lazy.compactMap { try? codec.seal(.sample("reader-\($0)")) }.first { $0.contains("K") })
        #expect(remembering.open(token) != nil)
        let other = token.replacing("K", with: "\u{212A}")
        #expect(other == token && codec.open(other) == nil)
        #expect(remembering.open(other) == nil)
    }
}
