public import Foundation

/// One purchase or renewal, as the store vouches for it.
public struct StoreTransaction: Sendable, Hashable {
    public let store: StoreName
    /// The store's own identifier; with the store it names the transaction for good.
    public let id: String
    /// The identifier of the purchase that this renews, or is: one per single purchase, one for all of a subscription's renewals.
    public let original: String
    /// The product by its name in the store.
    public let product: String
    public let purchased: Date
    /// The end of what a subscription paid for, and of its billing grace period where the store does not tell that apart; nil
    /// for single purchases, and where the store says none.
    public internal(set) var expires: Date?
    /// What the store said of the grace period behind ``expires``; nil where it said nothing.
    public internal(set) var grace: GracePeriod?
    /// When the store took it back: refunded, or no longer shared by the family.
    public internal(set) var revoked: Date?
    /// At least one.
    public let quantity: Int
    public let environment: StoreEnvironment
    /// Whether the store waits to be told that the buyer has it, and else takes it back by itself; see
    /// ``ReceiptVerifier/acknowledge(_:receipt:)``.
    public internal(set) var awaitsAcknowledgement: Bool
    /// When the store said all this: a later word replaces an earlier one, however they arrive.
    public internal(set) var told: Date

    public init(
        store: StoreName, id: String, original: String, product: String, purchased: Date, expires: Date? = nil,
        grace: GracePeriod? = nil, revoked: Date? = nil, quantity: Int = 1, environment: StoreEnvironment,
        awaitsAcknowledgement: Bool = false, told: Date
    ) {
        self.store = store
        self.id = id
        self.original = original
        self.product = product
        self.purchased = purchased
        self.expires = expires
        self.grace = grace
        self.revoked = revoked
        self.quantity = quantity
        self.environment = environment
        self.awaitsAcknowledgement = awaitsAcknowledgement
        self.told = told
    }

    /// When it ends, its grace period included; nil where the store names no end.
    public var ends: Date? {
        guard let expires else { return nil }
        return max(expires, grace?.ends ?? expires)
    }

    /// Identifiers and products longer than this, in bytes, are nobody's.
    public static let longestText = 512
}
