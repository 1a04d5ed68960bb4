import Foundation
import Gatefold
import Primitives

/// The signs that a session has just made a change, which the browser carries from the form to the next page.
///
/// A sign is valid for one page, within a minute, for its session and its change. It grants nothing. It only prevents that a URL
/// claims a change that was never made.
package struct ChangeReceipts: Sendable {
    /// The time in seconds for which a receipt is accepted.
    private static let lifetime: TimeInterval = 60
    private static let purpose = "gatefold console receipt 1"

    private let session: String
    private let key: PseudonymKey
    private let clock: WallClock
    private let uses: MinuteCounts<String>

    init(session: String, key: PseudonymKey, clock: WallClock, uses: MinuteCounts<String>) {
        self.session = session
        self.key = key
        self.clock = clock
        self.uses = uses
    }

    /// Returns the receipt of a change.
    ///
    /// - Parameter change: The operation and its object.
    package func make(_ change: [String]) -> String {
        make(change, at: Int(clock.now.timeIntervalSince1970))
    }

    /// Returns whether a text is the receipt of a change, and was not used before at this node.
    package func use(_ receipt: String, _ change: [String]) -> Bool {
        let parts = receipt.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let created = Int(parts[0]),
            abs(clock.now.timeIntervalSince1970 - Double(created)) <= Self.lifetime,
            isEqualInConstantTime(Array(make(change, at: created).utf8), Array(receipt.utf8))
        else { return false }
        return uses.add(receipt, at: clock.elapsed)
    }

    private func make(_ change: [String], at seconds: Int) -> String {
        let digest = key.digest(Self.purpose, [session, String(seconds)] + change)
        return "\(seconds).\(Base64URL.encode(Array(digest.prefix(18))))"
    }
}
