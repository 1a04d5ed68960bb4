import Foundation
import Gatefold

/// When there is something to look for among the offered editions: with another catalogue, and when the date of an edition
/// comes.
struct AnnouncementWatch {
    private var number: Int?
    private var next = Date.distantPast

    /// - Parameter number: of the catalogue in force.
    func isDue(_ number: Int, at now: Date) -> Bool { self.number != number || next <= now }

    /// What there was could not be dealt with, and is looked for again then.
    mutating func postpone(_ version: CurrentCatalogue.Version, until moment: Date) {
        number = version.number
        next = moment
    }

    mutating func note(_ version: CurrentCatalogue.Version, at now: Date) {
        number = version.number
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
