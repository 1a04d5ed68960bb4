import Primitives

/// The number and the hash of an entry. An operator who notes that of the last entry outside of the state can later prove
/// that no entry until then is missing or was changed.
package struct AuditHead: Sendable, Hashable, CustomStringConvertible {
    package let sequence: Int64
    package let hash: [UInt8]

    package init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }

    /// Parses the format that ``description`` writes.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
            let hash = Hexadecimal.decode(parts[1]), hash.count == AuditChain.hashSize
        else { return nil }
        self.init(sequence: sequence, hash: hash)
    }

    /// The number, a colon, and the hash in 64 hexadecimal digits.
    package var description: String { "\(sequence):\(Hexadecimal.encode(hash))" }
}
