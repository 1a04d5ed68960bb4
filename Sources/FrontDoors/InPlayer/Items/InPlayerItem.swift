import Foundation
import Gatefold

/// An item for sale as an app receives it.
struct InPlayerItem: Sendable {
    enum Kind: Sendable, Equatable {
        case edition(EditionID)
        /// An item that is open while the reader has a subscription, regardless of where it was bought.
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
        /// The product's name in the stores.
        let product: String
        let price: InPlayerFee
    }

    let number: Int64
    let kind: Kind
    let title: String
    /// The edition, or `nil` for a subscription and for an edition of a publication without a catalogue.
    let edition: Edition?
    /// The names of the item's products in the stores.
    let products: [String]
    let fees: [Fee]

    var isActive: Bool { edition?.withdrawn == nil }
    /// The publication time, or `nil` if it is not known. Documents then show the year 1.
    var created: Date? { edition?.published }
    var updated: Date? { edition?.details.updated ?? edition?.published }
}
