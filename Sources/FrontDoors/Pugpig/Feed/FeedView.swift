import Foundation
import Gatefold

/// What a feed shows at a moment, to whom.
struct FeedView {
    enum Audience: Int, CaseIterable {
        case everybody
        /// Who sees what is not out yet.
        case insiders
        /// Apple's Newsstand: covers of what is out.
        case newsstand
    }

    /// Newest first.
    let editions: [Edition]
    /// Editions that were on the shelves once.
    let withdrawn: [(id: EditionID, when: Date)]
    /// When anything in it last changed.
    let updated: Date
    /// When the date of an edition comes, and the view is another; nil for never.
    let until: Date?

    init(_ catalogue: Catalogue, for audience: Audience, at moment: Date) {
        let isOut = { (edition: Edition) in !edition.isDraft && edition.published <= moment }
        editions = catalogue.editions.filter { edition in
            switch audience {
            case .everybody: edition.isOffered(at: moment)
            case .insiders: edition.withdrawn == nil
            case .newsstand: edition.isOffered(at: moment) && edition.details.cover != nil
            }
        }
        withdrawn =
            audience == .newsstand
            ? []
            : catalogue.editions.compactMap { edition in
                edition.withdrawn.flatMap { isOut(edition) ? (edition.id, $0) : nil }
            }
        let changes = editions.map { $0.changed } + withdrawn.map(\.when)
        updated = changes.filter { $0 <= moment }.max() ?? Date(timeIntervalSince1970: 0)
        until = catalogue.editions.lazy.filter { !$0.isDraft && $0.withdrawn == nil && $0.published > moment }
            .map(\.published).min()
    }
}

extension Edition {
    /// When anything about it last changed.
    var changed: Date { details.updated ?? published }
}
