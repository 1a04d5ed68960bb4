package import Foundation
import Primitives

/// Selects the stored hash that is checked for an unknown identifier, which has none.
///
/// Hashes of other schemes and costs take different times. If an unknown identifier were always checked at the
/// current cost, a longer response time would reveal that a reader exists. Therefore an unknown identifier borrows
/// the hash of an existing reader, always the same hash. Its response time then looks like the time of a known
/// identifier.
///
/// Source: Pitfall 6, “User enumeration”.
package struct DummyHashes: Sendable {
    private let key: KeyedDigest

    /// - Parameter key: A secret, persistent key. A client that could compute the selection could compare the times
    ///   of two identifiers that share a hash.
    package init(key: Data) {
        self.key = KeyedDigest(key: Array(key))
    }

    /// Returns a number from 1 to `maximum`, which is at least 1. The number rarely changes as `maximum` grows (linear
    /// hashing), because the response time of a known reader does not change either.
    package func number(for identifier: String, maximum: Int64) -> Int64 {
        Self.number(of: key.numbers(Array(identifier.utf8)).first, maximum: maximum)
    }

    /// Returns the number of an identifier by its keyed digest, from 1 to `maximum`, which is at least 1.
    static func number(of digest: UInt64, maximum: Int64) -> Int64 {
        let maximum = UInt64(max(1, maximum))
        // The smallest power of two that is at least `maximum`.
        let size: UInt64 = maximum == 1 ? 1 : 1 << UInt64(64 - (maximum - 1).leadingZeroBitCount)
        let index = digest & (size - 1)
        return Int64((index < maximum ? index : digest & (size / 2 - 1)) + 1)
    }
}
