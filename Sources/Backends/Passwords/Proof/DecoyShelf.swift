import Crypto
import Foundation
import Gatefold
import Synchronization

/// Remembers what stored passwords of known readers cost to check, so that an unknown reader costs the same (PITFALLS row 6).
///
/// It keeps scheme, cost and salt of the first ``most`` known readers that sign in, never a digest. An unknown identifier
/// borrows one of them, always the same one while the process runs; as the shelf fills it hardly ever changes (``Decoys``).
/// Where all stored passwords are of one scheme and cost, which one is borrowed makes no difference.
final class DecoyShelf: Sendable {
    /// Enough to mirror how schemes are mixed; a few kilobytes.
    static let most = 64

    private struct Place {
        let owner: [UInt8]
        var decoy: any StoredPassword
    }

    private let key: SymmetricKey
    private let decoys: Decoys
    private let places = Mutex<[Place]>([])

    init(random: RandomSource = .system) {
        key = SymmetricKey(data: random.bytes(32))
        decoys = Decoys(key: Data(random.bytes(32)))
    }

    /// - Parameter known: the reader's own stored password; nil for somebody unknown.
    /// - Returns: what is to be checked: for a known reader their own; for an unknown one a decoy, nil before there is any.
    func choose(for identifier: String, known: (any StoredPassword)?) -> (any StoredPassword)? {
        let owner = Array(HMAC<SHA256>.authenticationCode(for: Data(identifier.utf8), using: key).prefix(16))
        return places.withLock { places in
            let index = decoys.number(for: identifier, most: Int64(places.count)) - 1
            let own = places.firstIndex { isEqualInConstantTime($0.owner, owner) }
            guard let known else { return places.isEmpty ? nil : places[Int(index)].decoy }
            guard known.isAffordable else { return known }
            if let own {
                // Their password may have changed, and its cost with it.
                places[own].decoy = known.decoy
            } else if places.count < Self.most {
                places.append(Place(owner: owner, decoy: known.decoy))
            }
            return known
        }
    }
}
