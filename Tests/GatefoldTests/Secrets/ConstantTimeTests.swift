import Primitives
import TestSupport
import Testing

@Suite("Constant-time comparison")
struct ConstantTimeTests {
    @Test("Pitfall 5: compares bytes for equality, wherever they differ")
    func equality() {
        var random = SeededRandom(seed: 10)
        let bytes = random.bytes(40)
        #expect(isEqualInConstantTime(bytes, bytes))
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                #expect(!isEqualInConstantTime(bytes, other))
            }
        }
        #expect(!isEqualInConstantTime(bytes, bytes.dropLast()))
        #expect(!isEqualInConstantTime(bytes, bytes + [0]))
        #expect(isEqualInConstantTime([], []))
    }

    @Test("Pitfall 5: compares byte strings of every length, in every form of collection")
    func lengths() {
        var random = SeededRandom(seed: 12)
        for length in 0..<130 {
            let bytes = random.bytes(length)
            #expect(isEqualInConstantTime(bytes, bytes))
            #expect(isEqualInConstantTime(bytes, bytes.lazy.map { $0 }))
            #expect(isEqualInConstantTime([0] + bytes[...], ([0] + bytes)[...]))
            #expect(isEqualInConstantTime(CountedBytes(bytes), bytes[...]))
            #expect(!isEqualInConstantTime(bytes, bytes + [0]))
            #expect(!isEqualInConstantTime(bytes.lazy.map { $0 }, [0] + bytes))
            guard length > 0 else { continue }
            for place in Set([0, length / 2, length - 1]) {
                var other = bytes
                other[place] ^= 0x80
                #expect(!isEqualInConstantTime(bytes, other))
                #expect(!isEqualInConstantTime(other[...], bytes.lazy.map { $0 }))
            }
        }
    }

    @Test("Pitfall 5: reads every byte of both operands, wherever they differ")
    func work() {
        let bytes = [UInt8](repeating: 0x61, count: 40)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            let left = CountedBytes(bytes)
            let right = CountedBytes(other)
            #expect(!isEqualInConstantTime(left, right))
            #expect(left.accepts.count == 40 && right.accepts.count == 40)
        }
    }

    @Test("Pitfall 5: two texts that PHP treats as the same number are not equal")
    func looseCompare() {
        let left = "0e" + String(repeating: "1", count: 38)
        let right = "0e" + String(repeating: "2", count: 38)
        #expect(!isEqualInConstantTime(left.utf8, right.utf8))
        #expect(!isEqualInConstantTime("é".utf8, "e\u{301}".utf8))
    }
}

/// Bytes that count the reads of their elements.
private struct CountedBytes: Collection {
    final class Reads { var count = 0 }
    let accepts = Reads()
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> UInt8 {
        accepts.count += 1
        return bytes[index]
    }
}
