public import Foundation

/// One purchase or renewal, as verified by the store.
public struct StoreTransaction: Sendable, Hashable {
    public let store: StoreName
    /// The store's own identifier. Together with the store it identifies the transaction permanently.
    public let id: String
    /// The identifier of the purchase: unique for a single purchase, and shared by all renewals of a subscription.
    public let original: String
    /// The product's name in the store.
    public let product: String
    public let purchased: Date
    /// The end of the paid period of a subscription. It includes the billing grace period if the store does not
    /// report that separately. Nil for single purchases, and if the store gives no end.
    public internal(set) var expires: Date?
    /// The store's information about the grace period after ``expires``, or nil if there is none.
    public internal(set) var grace: GracePeriod?
    /// The time of the revocation: the purchase was refunded, or is no longer shared by the family.
    public internal(set) var revoked: Date?
    /// The quantity, at least 1.
    public let quantity: Int
    public let environment: StoreEnvironment
    /// A Boolean value that indicates whether the store expects an acknowledgement and otherwise refunds the
    /// purchase automatically; see ``ReceiptVerifier/acknowledge(_:receipt:)``.
    public internal(set) var awaitsAcknowledgement: Bool
    /// The time of the store's information. Later information replaces earlier information, regardless of the order
    /// of arrival.
    public internal(set) var reported: Date

    public init(
        store: StoreName, id: String, original: String, product: String, purchased: Date, expires: Date? = nil,
        grace: GracePeriod? = nil, revoked: Date? = nil, quantity: Int = 1, environment: StoreEnvironment,
        awaitsAcknowledgement: Bool = false, reported: Date
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
        self.reported = reported
    }

    /// The end including the grace period, or nil if the store gives no end.
    public var ends: Date? {
        guard let expires else { return nil }
        return max(expires, grace?.ends ?? expires)
    }

    /// The maximum length of identifiers and product names in bytes. Longer texts are invalid.
    public static let maxTextLength = 512
}
