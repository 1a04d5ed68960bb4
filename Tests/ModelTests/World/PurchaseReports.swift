import Foundation
import Gatefold
import Primitives
import TestSupport

/// What the ledger last reported to one publication of a process.
final class PurchaseReports: Sendable {
    private let reports = Locked<[PurchaseOwner: (editions: Set<EditionID>, reportedAt: TimeInterval)]>([:])
    private let clock: WallClock

    init(clock: WallClock) {
        self.clock = clock
    }

    func record(_ editions: Set<EditionID>, of owner: PurchaseOwner) {
        reports.withLock { $0[owner] = (editions, clock.elapsed) }
    }

    /// Returns the editions of a report that is less than seven days old.
    func editions(of owner: PurchaseOwner) -> Set<EditionID>? {
        guard let report = reports.withLock({ $0[owner] }), clock.elapsed - report.reportedAt < 7 * 86_400 else {
            return nil
        }
        return report.editions
    }
}
