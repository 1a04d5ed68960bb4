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
    /// The end of what a subscription paid for, a billing grace period included; nil for single purchases, and where the
    /// store says none.
    public let expires: Date?
    /// When the store took it back: refunded, or no longer shared by the family.
    public let revoked: Date?
    /// At least one.
    public let quantity: Int
    public let environment: StoreEnvironment
    /// When the store said all this: a later word replaces an earlier one, however they arrive.
    public let told: Date

    public init(
        store: StoreName, id: String, original: String, product: String, purchased: Date, expires: Date? = nil,
        revoked: Date? = nil, quantity: Int = 1, environment: StoreEnvironment, told: Date
    ) {
        self.store = store
        self.id = id
        self.original = original
        self.product = product
        self.purchased = purchased
        self.expires = expires
        self.revoked = revoked
        self.quantity = quantity
        self.environment = environment
        self.told = told
    }

    /// Identifiers and products longer than this, in bytes, are nobody's.
    public static let longestText = 512
}
