import Foundation
import Gatefold

/// The content of a feed at one time, for one audience.
struct FeedView {
    enum Audience: Int, CaseIterable {
        case everybody
        /// The readers who see editions that are not published yet.
        case draftReaders
        /// Apple's Newsstand: covers of published editions.
        case newsstand
    }

    /// The editions, newest first.
    let editions: [Edition]
    /// The editions that were published once and are withdrawn.
    let withdrawn: [(id: EditionID, when: Date)]
    /// The time of the last change in the view.
    let updated: Date
    /// The time when the next edition is published and the view changes, or `nil` for never.
    let until: Date?

    init(_ catalogue: Catalogue, for audience: Audience, at timestamp: Date) {
        let isPublished = { (edition: Edition) in !edition.isDraft && edition.published <= timestamp }
        editions = catalogue.editions.filter { edition in
            switch audience {
            case .everybody: edition.isOffered(at: timestamp)
            case .draftReaders: edition.withdrawn == nil
            case .newsstand: edition.isOffered(at: timestamp) && edition.details.cover != nil
            }
        }
        withdrawn =
            audience == .newsstand
            ? []
            : catalogue.editions.compactMap { edition in
                edition.withdrawn.flatMap { isPublished(edition) ? (edition.id, $0) : nil }
            }
        let changes = editions.map { $0.changed } + withdrawn.map(\.when)
        updated = changes.filter { $0 <= timestamp }.max() ?? Date(timeIntervalSince1970: 0)
        until = catalogue.editions.lazy.filter { !$0.isDraft && $0.withdrawn == nil && $0.published > timestamp }
            .map(\.published).min()
    }
}

extension Edition {
    /// The time of the last change of the edition.
    var changed: Date { details.updated ?? published }
}
