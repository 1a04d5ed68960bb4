import Foundation
import Gatefold

/// Something for sale as an app is told of it.
struct InPlayerItem: Sendable {
    enum Kind: Sendable, Equatable {
        case edition(EditionID)
        /// Open while the reader has a subscription, however it was bought.
        case subscription

        var name: String {
            switch self {
            case .edition: "edition"
            case .subscription: "subscription"
            }
        }
    }

    /// A price.
    struct Fee: Sendable {
        let number: Int64
        /// The name in the stores.
        let product: String
        let price: InPlayerFee
    }

    let number: Int64
    let kind: Kind
    let title: String
    /// Nil for a subscription, and for an edition of a publication without a catalogue.
    let edition: Edition?
    /// The names that the stores sell it under.
    let products: [String]
    let fees: [Fee]

    var isActive: Bool { edition?.withdrawn == nil }
    /// The year 1 where nobody says when it came out.
    var created: Date? { edition?.published }
    var updated: Date? { edition?.details.updated ?? edition?.published }
}
