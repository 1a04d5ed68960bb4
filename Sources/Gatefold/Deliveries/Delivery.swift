public import Foundation

/// Whom a purchase is to be credited to, as the app said it (PROTOCOLS 4).
public struct Credit: Sendable, Equatable {
    /// The provider's own name of the account.
    public let account: String
    /// As the app wrote it, in whatever notation; for the provider's books, never for a decision.
    public let price: String?
    public let currency: String?

    public init(account: String, price: String? = nil, currency: String? = nil) {
        self.account = account
        self.price = price
        self.currency = currency
    }
}

/// A purchased item that the provider has to hand out, such as calling credit: once for each transaction.
public struct Delivery: Sendable, Equatable {
    /// Names the delivery for good: what delivers uses it to do so once.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        public let store: StoreName
        public let transaction: String

        public init(store: StoreName, transaction: String) {
            self.store = store
            self.transaction = transaction
        }

        public var description: String { "\(store)/\(transaction)" }
    }

    public let id: ID
    public let publication: PublicationID
    public let credit: Credit
    public let product: String
    public let quantity: Int
    public let purchased: Date
    public let environment: StoreEnvironment

    public init(
        id: ID, publication: PublicationID, credit: Credit, product: String, quantity: Int, purchased: Date,
        environment: StoreEnvironment
    ) {
        self.id = id
        self.publication = publication
        self.credit = credit
        self.product = product
        self.quantity = quantity
        self.purchased = purchased
        self.environment = environment
    }

    public init(_ transaction: StoreTransaction, to credit: Credit, in publication: PublicationID) {
        self.init(
            id: ID(store: transaction.store, transaction: transaction.id), publication: publication, credit: credit,
            product: transaction.product, quantity: transaction.quantity, purchased: transaction.purchased,
            environment: transaction.environment)
    }
}

/// A delivery and how far it has come.
public struct DeliveryRecord: Sendable, Equatable {
    public enum Standing: Sendable, Equatable {
        /// - Parameter cause: of the last failure, in words that hold no secret; nil before the first attempt.
        case waiting(attempts: Int, next: Date, cause: String?)
        case delivered(at: Date)
        /// Its purchase was refunded before it was delivered: it waits no longer, unless that is undone.
        case takenBack
    }

    public let delivery: Delivery
    public let ordered: Date
    public let standing: Standing

    public init(delivery: Delivery, ordered: Date, standing: Standing) {
        self.delivery = delivery
        self.ordered = ordered
        self.standing = standing
    }
}
