/// Something for sale as apps know it that go by numbers: an edition, or a subscription product.
public enum SoldItem: Sendable, Hashable {
    case edition(EditionID)
    /// By the name that the stores sell it under.
    case subscription(String)

    /// Names it in an ``AccountBook``.
    public var name: String {
        switch self {
        case .edition(let edition): "edition \(edition)"
        case .subscription(let product): "subscription \(product)"
        }
    }

    /// The first number that is given out: high enough to keep clear of numbers that products have by convention, and still one
    /// that fits into 32 bits.
    public static let firstAssigned: Int64 = 900_000_001

    /// Reads what ``name`` wrote.
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
