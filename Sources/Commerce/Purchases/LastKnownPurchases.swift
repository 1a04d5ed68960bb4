import Foundation
import Gatefold
import Primitives

/// The purchases that the ledger last reported about recent readers, which count while the ledger is unavailable.
///
/// In an outage of the state, a reader whom this node knows keeps what they bought. So does a buyer whose purchase was
/// refunded or claimed by somebody else since the report.
final class LastKnownPurchases: Sendable {
    /// The age in seconds from which purchases no longer count: seven days.
    static let lifetime: TimeInterval = 7 * 86_400

    private let purchases = GenerationalCache<PurchaseOwner, Report>(capacity: 100_000)
    private let clock: WallClock

    private struct Report {
        let transactions: [StoreTransaction]
        /// The monotonic time of the report.
        let reportedAt: TimeInterval
    }

    init(clock: WallClock) {
        self.clock = clock
    }

    func record(_ transactions: [StoreTransaction], of owner: PurchaseOwner) {
        purchases.store(owner, Report(transactions: transactions, reportedAt: clock.elapsed))
    }

    /// Returns the last known purchases of an owner, or nil if there are none that still count.
    func transactions(of owner: PurchaseOwner) -> [StoreTransaction]? {
        guard let report = purchases.known(owner), clock.elapsed - report.reportedAt < Self.lifetime else { return nil }
        return report.transactions
    }
}
