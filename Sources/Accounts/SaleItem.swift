public import Gatefold

/// An item for sale, for apps that refer to items by number: an edition, or a subscription product.
public enum SaleItem: Sendable, Hashable {
    case edition(EditionID)
    /// A subscription, by the product name in the stores.
    case subscription(String)

    /// The item's name in an ``AccountStore``.
    public var name: String {
        switch self {
        case .edition(let edition): "edition \(edition)"
        case .subscription(let product): "subscription \(product)"
        }
    }

    /// The first assigned number. It is above the numbers that products have by convention, and fits into 32 bits.
    public static let firstAssigned: Int64 = 900_000_001

    /// Creates an item from its ``name``.
    public init?(name: String) {
        let parts = name.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "edition":
            guard let edition = EditionID(parts[1]) else { return nil }
            self = .edition(edition)
        case "subscription":
            self = .subscription(String(parts[1]))
        default:
            return nil
        }
    }
}
