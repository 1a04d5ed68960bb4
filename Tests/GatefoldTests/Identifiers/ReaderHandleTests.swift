import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Handles of readers") struct ReaderHandleTests {
    private static let key = PseudonymKey(.one)
    private static let readers = [
        Subscriber(backend: "house", key: "1"), Subscriber(backend: "", key: ""),
        Subscriber(backend: "directory", key: "uid=ada,ou=people,dc=example,dc=com"),
        Subscriber(backend: "legacy", key: "a\u{0}b/ü 😀"),
        Subscriber(backend: "l", key: String(repeating: "k", count: 4_000)),
    ]

    @Test("Gives the subscriber back, without its upstream session, in letters that a URL needs no escape for")
    func roundTrip() throws {
        for reader in Self.readers {
            let handle = try ReaderHandle(reader, key: Self.key).description
            #expect(ReaderHandle.open(handle, key: Self.key) == reader)
            #expect(handle.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
            #expect(handle.utf8.count <= ReaderHandle.maxLength)
        }
        let signedIn = Subscriber(backend: "web", key: "7", upstreamSession: "s3cret")
        let handle = try ReaderHandle(signedIn, key: Self.key).description
        #expect(ReaderHandle.open(handle, key: Self.key) == Subscriber(backend: "web", key: "7"))
    }

    @Test("Contains neither the backend nor the key in any encoding, and differs each time")
    func sealed() throws {
        let reader = Subscriber(backend: "house-of-readers", key: "ada.lovelace@example.com")
        let (one, other) = try (ReaderHandle(reader, key: Self.key), ReaderHandle(reader, key: Self.key))
        #expect(one != other)
        let bytes = try #require(Base64URL.decode(one.description))
        for secret in [reader.backend, reader.key, "lovelace"] {
            #expect(!one.description.contains(secret))
            #expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
            #expect(!one.description.contains(Base64URL.encode(Array(secret.utf8)).prefix(8)))
        }
    }

    @Test("Does not open with another key, or if it was sealed for another purpose")
    func otherKey() throws {
        let reader = Self.readers[0]
        let handle = try ReaderHandle(reader, key: Self.key).description
        #expect(ReaderHandle.open(handle, key: PseudonymKey(.two)) == nil)
        var writer = ByteWriter()
        writer.write(UInt8(1))
        writer.write(text: reader.backend)
        writer.write(text: reader.key)
        let sealed = try Self.key.seal(writer.bytes, for: "something else")
        #expect(ReaderHandle.open(Base64URL.encode(sealed), key: Self.key) == nil)
    }

    @Test("Every change of a letter, every shortening and every random text is rejected")
    func tampering() throws {
        let handle = Array(try ReaderHandle(Self.readers[2], key: Self.key).description)
        var random = SeededRandom(seed: 32)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \u{0}é")
        for index in handle.indices {
            var changed = handle
            changed[index] = letters.filter { $0 != handle[index] }.randomElement(using: &random)!
            #expect(ReaderHandle.open(String(changed), key: Self.key) == nil, "\(index)")
            #expect(ReaderHandle.open(String(handle[..<index]), key: Self.key) == nil, "\(index)")
        }
        for length in 0..<2_000 {
            let text = String((0..<(length % 97)).map { _ in letters.randomElement(using: &random)! })
            #expect(ReaderHandle.open(text, key: Self.key) == nil)
        }
        #expect(ReaderHandle.open(String(repeating: "A", count: 9_000), key: Self.key) == nil)
    }

    @Test("Random bytes that were sealed with the key are no handle unless they have its format")
    func sealedNoise() throws {
        var random = SeededRandom(seed: 33)
        for length in 0..<300 {
            var plain = random.bytes(length % 40)
            if length.isMultiple(of: 2), !plain.isEmpty { plain[0] = 1 }
            let handle = Base64URL.encode(try Self.key.seal(plain, for: "reader handle"))
            guard let reader = ReaderHandle.open(handle, key: Self.key) else { continue }
            var writer = ByteWriter()
            writer.write(UInt8(1))
            writer.write(text: reader.backend)
            writer.write(text: reader.key)
            #expect(writer.bytes == plain)
        }
    }

    @Test("A subscriber with a key of more than 4 kB has no handle")
    func tooLong() {
        let reader = Subscriber(backend: "b", key: String(repeating: "k", count: 4_096))
        #expect(throws: ReaderHandleError.tooLong) { try ReaderHandle(reader, key: Self.key) }
    }
}
