import Crypto
import Foundation
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

    private struct Slot {
        let owner: [UInt8]
        var dummyHash: any StoredPassword
    }

    private let key: SymmetricKey
    private let dummyHashes: DummyHashes
    private let slots = Mutex<[Slot]>([])

    init(random: RandomSource = .system) {
        key = SymmetricKey(data: random.bytes(32))
        dummyHashes = DummyHashes(key: Data(random.bytes(32)))
    }

    /// - Parameter known: The stored password of a known reader; nil for an unknown reader.
    /// - Returns: The password to check: the reader's own one if the reader is known, otherwise a dummy; nil if no
    ///   dummy exists yet.
    func choose(for identifier: String, known: (any StoredPassword)?) -> (any StoredPassword)? {
        let owner = Array(HMAC<SHA256>.authenticationCode(for: Data(identifier.utf8), using: key).prefix(16))
        return slots.withLock { slots in
            let index = dummyHashes.number(for: identifier, maximum: Int64(slots.count)) - 1
            let own = slots.firstIndex { isEqualInConstantTime($0.owner, owner) }
            guard let known else { return slots.isEmpty ? nil : slots[Int(index)].dummyHash }
            guard known.isAffordable else { return known }
            if let own {
                // The reader's password may have changed, and its cost with it.
                slots[own].dummyHash = known.dummyHash
            } else if slots.count < Self.maximum {
                slots.append(Slot(owner: owner, dummyHash: known.dummyHash))
            }
            return known
        }
    }
}
