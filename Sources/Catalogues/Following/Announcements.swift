import Foundation
import Gatefold

/// When there is something to look for among the offered editions: with another catalogue, and when the date of an edition
/// comes.
struct AnnouncementWatch {
    private var number: Int?
    /// The date of the next edition.
    private var next = Date.distantPast
    /// Set where what there was could not be dealt with, by the clock that nobody sets.
    private var postponed: TimeInterval?

    /// - Parameters:
    ///   - number: of the catalogue in force.
    ///   - elapsed: the present by the clock that nobody sets.
    func isDue(_ number: Int, at now: Date, _ elapsed: TimeInterval) -> Bool {
        if self.number != number { return true }
        return postponed.map { $0 <= elapsed } ?? (next <= now)
    }

    /// What there was could not be dealt with, and is looked for again then.
    ///
    /// - Parameter elapsed: by the clock that nobody sets.
    mutating func postpone(_ version: CurrentCatalogue.Version, until elapsed: TimeInterval) {
        number = version.number
        postponed = elapsed
    }

    mutating func note(_ version: CurrentCatalogue.Version, at now: Date) {
        number = version.number
        postponed = nil
        next =
            version.catalogue.editions.lazy
            .filter { !$0.isDraft && $0.withdrawn == nil && $0.published > now }
            .map(\.published).min() ?? .distantFuture
    }
}

/// What was announced is remembered also of editions that are gone, since they may come back.
enum Announcements {
    static let most = 200_000

    /// Of too many the oldest that are in no catalogue any more are forgotten.
    static func bounded(_ all: [EditionID], keeping catalogue: Catalogue) -> [EditionID] {
        guard all.count > most else { return all }
        var excess = all.count - most
        return all.filter { id in
            guard excess > 0, catalogue[id] == nil else { return true }
            excess -= 1
            return false
        }
    }
}
