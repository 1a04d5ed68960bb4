import Crypto
import Foundation

/// Chooses whose stored hash is checked in place of the one an unknown identifier does not have (PITFALLS row 6).
///
/// Hashes of other schemes and costs take their own time. Were an unknown identifier always checked at the present cost,
/// a longer time would tell that a reader exists. So an unknown identifier borrows some reader's hash, always the same one:
/// its time says as much as theirs, and looks like a known one's.
struct Decoys: Sendable {
    private let key: SymmetricKey

    /// - Parameter key: secret and lasting: who could compute the choice could compare the times of two identifiers that
    ///   share one.
    init(key: Data) {
        self.key = SymmetricKey(data: key)
    }

    /// A number from 1 to `most`, which is at least 1. It hardly ever changes as `most` grows (linear hashing), because a
    /// known reader's time does not change either.
    func number(for identifier: String, most: Int64) -> Int64 {
        let code = HMAC<SHA256>.authenticationCode(for: Data(identifier.utf8), using: key)
        let digest = code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let most = UInt64(max(1, most))
        // The smallest power of two that is not less.
        let size: UInt64 = most == 1 ? 1 : 1 << UInt64(64 - (most - 1).leadingZeroBitCount)
        let index = digest & (size - 1)
        return Int64((index < most ? index : digest & (size / 2 - 1)) + 1)
    }
}
