import Foundation
import Gatefold

/// A check for due announcements. A new catalogue makes the check due, and so does the publication date of an
/// edition.
struct AnnouncementMonitor {
    private var number: Int?
    /// The date of the next edition.
    private var next = Date.distantPast
    /// The monotonic time of the next attempt; nil unless the last attempt failed.
    private var postponed: TimeInterval?

    /// - Parameters:
    ///   - number: The number of the current catalogue.
    ///   - elapsed: The current monotonic time.
    func isDue(_ number: Int, at now: Date, _ elapsed: TimeInterval) -> Bool {
        if self.number != number { return true }
        return postponed.map { $0 <= elapsed } ?? (next <= now)
    }

    /// Records that the announcement failed, and schedules another attempt.
    ///
    /// - Parameter elapsed: The monotonic time of the next attempt.
    mutating func postpone(_ version: CurrentCatalogue.Version, until elapsed: TimeInterval) {
        number = version.number
        postponed = elapsed
    }

    mutating func record(_ version: CurrentCatalogue.Version, at now: Date) {
        number = version.number
        postponed = nil
        next =
            version.catalogue.editions.lazy
            .filter { !$0.isDraft && $0.withdrawn == nil && $0.published > now }
            .map(\.published).min() ?? .distantFuture
    }
}

/// The list of announced editions. It includes editions that have left the catalogue, because they may return.
enum Announcements {
    static let limit = 200_000

    /// Returns the list within its limit. The oldest entries that are in no catalogue are dropped first.
    static func bounded(_ all: [EditionID], retaining catalogue: Catalogue) -> [EditionID] {
        guard all.count > limit else { return all }
        var excess = all.count - limit
        return all.filter { id in
            guard excess > 0, catalogue[id] == nil else { return true }
            excess -= 1
            return false
        }
    }
}
