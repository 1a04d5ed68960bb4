import Primitives

/// The subject of a ``Pseudonym``, and the size of its digest.
public protocol PseudonymKind: Sendable {
    /// The size in bytes. Maximum: 16.
    static var size: Int { get }
}

/// A pseudonym for a subject that must not be named: the start of a keyed digest.
///
/// It reveals nothing without the ``PseudonymKey``.
public struct Pseudonym<Kind: PseudonymKind>: Hashable, Sendable, CustomStringConvertible {
    public static var size: Int { Kind.size }
    /// The bytes as numbers, stored inline so that comparisons need no further memory access.
    private let high: UInt64
    private let low: UInt64

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        for place in (0..<Self.size).reversed() {
            let shifted: UInt64 = place < 8 ? low >> (8 * place) : high >> (8 * (place - 8))
            bytes.append(UInt8(truncatingIfNeeded: shifted))
        }
        return bytes
    }

    /// Creates a pseudonym, or returns nil unless there are exactly ``size`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.init(all: bytes)
    }

    private init(all bytes: some Collection<UInt8>) {
        var (high, low) = (UInt64(0), UInt64(0))
        for byte in bytes {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
        }
        self.high = high
        self.low = low
    }

    /// The bytes as one number, for kinds of eight bytes at most.
    var number: UInt64 { low }

    init(number: UInt64) {
        high = 0
        low = number
    }

    /// Parses the format that ``description`` writes.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Creates a pseudonym from the start of a digest.
    ///
    /// - Parameter digest: At least ``size`` bytes.
    init(digest: [UInt8]) {
        self.init(all: digest.prefix(Self.size))
    }

    public var description: String { Hexadecimal.encode(bytes) }
}
