import Crypto
import Foundation
import Primitives
import TestSupport
import Testing

@Suite("Keyed digest")
struct KeyedDigestTests {
    @Test("Equals HMAC-SHA256 for keys and messages of every length, whatever was digested before")
    func lengths() {
        var random = SeededRandom(seed: 11)
        for keyLength in [0, 1, 32, 63, 64, 65, 200] {
            let key = random.bytes(keyLength)
            let keyed = KeyedDigest(key: key)
            for length in 0..<200 {
                let message = random.bytes(length)
                let expected = Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
                #expect(keyed.digest(message) == expected)
                let numbers = keyed.numbers(message)
                #expect(numbers.first == expected.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
                #expect(numbers.second == expected[8..<16].reduce(0) { $0 << 8 | UInt64($1) })
            }
        }
    }

    @Test("Test cases 1 and 6 of RFC 4231")
    func vectors() {
        #expect(
            Hexadecimal.encode(KeyedDigest(key: Array(repeating: 0x0B, count: 20)).digest(Array("Hi There".utf8)))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            Hexadecimal.encode(KeyedDigest(key: Array(repeating: 0xAA, count: 131)).digest(message))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("Many threads may use one key")
    func concurrency() async {
        let keyed = KeyedDigest(key: Array("key".utf8))
        let expected = keyed.digest(Array("message".utf8))
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { #expect(keyed.digest(Array("message".utf8)) == expected) }
                }
            }
        }
    }
}
