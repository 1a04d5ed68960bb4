public import Foundation
public import Gatefold

/// The recipient of a purchase, as the app sent it. Source: Cloud Softphone protocol, “Template variables”.
public struct Credit: Sendable, Equatable {
    /// The provider's own name of the account.
    public let account: String
    /// The price in the notation of the app. It is for the provider's accounting only; no decision depends on it.
    public let price: String?
    public let currency: String?

    public init(account: String, price: String? = nil, currency: String? = nil) {
        self.account = account
        self.price = price
        self.currency = currency
    }
}

/// A purchased item that the provider must deliver once for each transaction, such as calling credit.
public struct Delivery: Sendable, Equatable {
    /// The permanent identifier of a delivery. A carrier uses it to deliver only once.
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

/// A delivery and its progress.
public struct DeliveryRecord: Sendable, Equatable {
    public enum DeliveryStatus: Sendable, Equatable {
        /// The delivery waits for its next attempt.
        ///
        /// - Parameter cause: The cause of the last failure, without secrets; nil before the first attempt.
        case pending(attempts: Int, next: Date, cause: String?)
        case delivered(at: Date)
        /// The store refunded the purchase before it was delivered. The delivery is no longer pending, unless the
        /// refund is undone.
        case refunded
    }

    public let delivery: Delivery
    public let ordered: Date
    public let status: DeliveryStatus

    public init(delivery: Delivery, ordered: Date, status: DeliveryStatus) {
        self.delivery = delivery
        self.ordered = ordered
        self.status = status
    }
}
