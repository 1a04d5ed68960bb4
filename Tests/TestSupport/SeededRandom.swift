public import Primitives
import Synchronization

/// SplitMix64: the same seed produces the same numbers, so that a failing property test is reproducible.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// Returns bytes of any length up to `maxLength`, half of the time from characters that are special to parsers.
    public mutating func hostileBytes(upTo maxLength: Int, specialCharacters: String) -> [UInt8] {
        let letters = Array(specialCharacters.utf8)
        return (0..<Int.random(in: 0...maxLength, using: &self)).map { _ in
            Bool.random(using: &self) || letters.isEmpty
                ? UInt8.random(in: .min ... .max, using: &self)
                : letters[Int.random(in: 0..<letters.count, using: &self)]
        }
    }
}

extension RandomSource {
    /// Returns a reproducible source.
    public static func seeded(_ seed: UInt64) -> RandomSource {
        let generator = Generator(seed)
        return RandomSource { generator.bytes($0) }
    }

    private final class Generator: Sendable {
        private let random: Mutex<SeededRandom>
        init(_ seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }
        func bytes(_ count: Int) -> [UInt8] { random.withLock { $0.bytes(count) } }
    }
}
