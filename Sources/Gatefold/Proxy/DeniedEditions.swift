import Crypto

/// The editions that one reader was denied, however many, in two kilobytes.
///
/// It never misses one that was put in, and now and then takes another for one of them: of a thousand denied editions one other
/// in five hundred, of two hundred one in a million. Whoever has ever more denied ends with all editions denied, as nobody could
/// say any longer which were not (PITFALLS row 23). Its bits are the same in every process.
package struct DeniedEditions: Sendable, Equatable {
    /// In bytes.
    static let size = 2_048
    private static let bits = 4
    /// As many denials held apart take about the same room.
    static let weight = 16

    /// Every edition.
    static let all = DeniedEditions(bytes: [UInt8](repeating: .max, count: size))

    private(set) var bytes: [UInt8]

    init() {
        self.init(bytes: [UInt8](repeating: 0, count: Self.size))
    }

    /// Nil for what is of another size.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.init(bytes: Array(bytes))
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func insert(_ edition: EditionID) {
        for bit in Self.places(of: edition) { bytes[bit / 8] |= 1 << UInt8(bit % 8) }
    }

    package func contains(_ edition: EditionID) -> Bool {
        Self.places(of: edition).allSatisfy { bytes[$0 / 8] & 1 << UInt8($0 % 8) != 0 }
    }

    func union(_ other: DeniedEditions) -> DeniedEditions {
        DeniedEditions(bytes: zip(bytes, other.bytes).map { $0 | $1 })
    }

    private static func places(of edition: EditionID) -> [Int] {
        let digest = Array(SHA256.hash(data: Array(edition.rawValue.utf8)).prefix(2 * bits))
        return (0..<bits).map { (Int(digest[2 * $0]) << 8 | Int(digest[2 * $0 + 1])) % (8 * size) }
    }
}
