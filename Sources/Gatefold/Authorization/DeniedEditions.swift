import Crypto

/// A set of the editions that one reader was denied, of any number, in 2 KB.
///
/// The set never misses an edition that was inserted. It has false positives: with 1,000 denied editions about 1 in
/// 500 other editions, with 200 about 1 in 1,000,000. If the number of denied editions keeps growing, all editions
/// end up denied, because the set can no longer tell which editions were not. The bits are the same in every
/// process.
///
/// Source: Pitfall 23, “One client evicts what protects another”.
package struct DeniedEditions: Sendable, Equatable {
    /// The size of the set in bytes.
    static let size = 2_048
    private static let bits = 4
    /// The number of separately stored denials that take about the same memory.
    static let weight = 16

    /// The set of all editions.
    static let all = DeniedEditions(bytes: [UInt8](repeating: .max, count: size))

    private(set) var bytes: [UInt8]

    init() {
        self.init(bytes: [UInt8](repeating: 0, count: Self.size))
    }

    /// Creates a set from its bytes, or returns nil if the size is wrong.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.init(bytes: Array(bytes))
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func insert(_ edition: EditionID) {
        for bit in Self.bitIndexes(of: edition) { bytes[bit / 8] |= 1 << UInt8(bit % 8) }
    }

    package func contains(_ edition: EditionID) -> Bool {
        Self.bitIndexes(of: edition).allSatisfy { bytes[$0 / 8] & 1 << UInt8($0 % 8) != 0 }
    }

    func union(_ other: DeniedEditions) -> DeniedEditions {
        DeniedEditions(bytes: zip(bytes, other.bytes).map { $0 | $1 })
    }

    private static func bitIndexes(of edition: EditionID) -> [Int] {
        let digest = Array(SHA256.hash(data: Array(edition.rawValue.utf8)).prefix(2 * bits))
        return (0..<bits).map { (Int(digest[2 * $0]) << 8 | Int(digest[2 * $0 + 1])) % (8 * size) }
    }
}
