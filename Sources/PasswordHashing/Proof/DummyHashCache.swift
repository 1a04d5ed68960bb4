import Primitives
import Synchronization

/// A cache of the check costs of known readers' stored passwords, so that the check of an unknown reader costs the
/// same.
///
/// It stores the scheme, cost and salt of the first ``maximum`` known readers that sign in, never a digest. An unknown
/// identifier borrows one entry, always the same one while the process runs. The selection rarely changes as the
/// cache fills (``DummyHashes``). If all stored passwords have one scheme and cost, the selection makes no difference.
///
/// Source: Pitfall 6, “User enumeration”.
final class DummyHashCache: Sendable {
    /// The maximum number of entries. It is enough to reflect a mix of schemes and takes a few kilobytes.
    static let maximum = 64

    private struct Slots {
        /// The keyed digests of the readers' identifiers.
        var owners: [UInt64] = []
        var dummyHashes: [any StoredPassword] = []

        /// Returns the slot of a reader. Reads every slot, so that the time does not depend on whose slot it is, nor
        /// on whether the reader has one.
        func index(of owner: UInt64) -> Int? {
            var found = -1
            for (index, other) in owners.enumerated() { found = other == owner ? index : found }
            return found < 0 ? nil : found
        }
    }

    private let key: KeyedDigest
    private let slots = Mutex(Slots())

    init(random: RandomSource = .system) {
        key = KeyedDigest(key: random.bytes(32))
    }

    /// - Parameter known: The stored password of a known reader; nil for an unknown reader.
    /// - Returns: The password to check: the reader's own one if the reader is known, otherwise a dummy; nil if no
    ///   dummy exists yet.
    func choose(for identifier: String, known: (any StoredPassword)?) -> (any StoredPassword)? {
        let (owner, selection) = key.numbers(Array(identifier.utf8))
        return slots.withLock { slots in
            let count = slots.owners.count
            let borrowed = Int(DummyHashes.number(of: selection, maximum: Int64(count)) - 1)
            let own = slots.index(of: owner)
            guard let known else { return count == 0 ? nil : slots.dummyHashes[borrowed] }
            guard known.isAffordable else { return known }
            if let own {
                // The reader's password may have changed, and its cost with it.
                slots.dummyHashes[own] = known.dummyHash
            } else if count < Self.maximum {
                slots.owners.append(owner)
                slots.dummyHashes.append(known.dummyHash)
            }
            return known
        }
    }
}
