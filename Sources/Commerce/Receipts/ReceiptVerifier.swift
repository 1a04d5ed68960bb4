public import Foundation

/// A verifier for the receipts of one app store.
///
/// Verdicts are values. A thrown error always means that the store was unavailable, and never counts as a
/// rejection.
public protocol ReceiptVerifier: Sendable {
    /// The name of the store in the configuration.
    var store: StoreName { get }
    var kind: StoreKind { get }

    /// Returns whether the store sells this app, given by bundle identifier or package name.
    func sells(app: String) -> Bool

    /// Returns whether the receipt has the format of the store. This method sends no query. A receipt in another
    /// format is not stored, so that no client can fill the ledger with invalid data.
    func isPlausible(_ receipt: StoreReceipt) -> Bool

    /// Verifies a receipt with the store.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - allowed: The environments whose receipts count here. A receipt of another environment is rejected with
    ///     ``ReceiptRejection/Reason/wrongEnvironment``, regardless of its purchases.
    ///   - timestamp: The current time.
    func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict

    /// Queries the store for the current state of a purchase: its renewals, its end, its refund.
    ///
    /// - Parameters:
    ///   - transaction: The last known transaction of the purchase.
    ///   - receipt: The receipt that proved the purchase, if it is still stored.
    ///   - allowed: The environments whose purchases count here.
    ///   - timestamp: The current time.
    /// - Returns: The current transactions, or an empty list if the store has no information. Nil if no query was
    ///   sent, because none is configured or the required receipt is deleted.
    func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at timestamp: Date
    ) async throws -> [StoreTransaction]?

    /// Acknowledges a purchase to the store, if this is enabled and the store expects it
    /// (``StoreTransaction/awaitsAcknowledgement``). A repeated acknowledgement is harmless.
    ///
    /// Call this method after the purchase is recorded, because a store does not automatically refund an
    /// acknowledged purchase.
    ///
    /// - Throws: An error if the store did not accept the acknowledgement. Send it again later.
    func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws

    /// Verifies a store notification.
    ///
    /// - Parameters:
    ///   - body: The unchanged body of the HTTP request.
    ///   - allowed: The environments whose purchases count here.
    ///   - timestamp: The current time.
    func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> NotificationVerdict
}

extension ReceiptVerifier {
    public func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at timestamp: Date
    ) async throws -> [StoreTransaction]? { nil }

    public func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws {}

    public func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> NotificationVerdict { .rejected(ReceiptRejection(.malformed)) }
}

/// The verdict on a receipt.
public enum ReceiptVerdict: Sendable, Equatable {
    /// - Parameter transactions: At least one transaction of this verifier's store. Revoked transactions are
    ///   included, so that a recorded purchase is revoked, too.
    case genuine([StoreTransaction])
    case rejected(ReceiptRejection)
}

/// The reason why a receipt proves nothing.
public struct ReceiptRejection: Error, Sendable, Equatable {
    public enum Reason: String, Sendable, CaseIterable {
        /// The text is not a receipt of this store.
        case malformed
        /// The receipt is not signed by the store, or was changed.
        case forged
        /// The receipt belongs to another app.
        case wrongApp = "wrong_app"
        /// The receipt is from the sandbox but only production counts, or the reverse.
        case wrongEnvironment = "wrong_environment"
        /// The store does not know the receipt, or no longer knows it.
        case notFound = "not_found"
        /// The store reports that the receipt has expired.
        case expired
        /// All purchases of the receipt were refunded or revoked.
        case revoked
        /// The receipt contains no purchase.
        case empty
        /// Other persons have claimed the receipt.
        case claimedByAnother = "claimed_by_another"
        /// The receipt does not contain the product that the app reported as bought.
        case wrongProduct = "wrong_product"
        /// The publication does not sell in such a store.
        case noStore = "no_store"
        /// The store rejected the receipt with a status of its own.
        case rejectedByStore = "rejected_by_store"
    }

    public let reason: Reason
    /// The store's own status, such as Apple's 21003, if it returned one.
    public let code: Int?

    public init(_ reason: Reason, code: Int? = nil) {
        self.reason = reason
        self.code = code
    }
}

/// The verdict on a store notification.
public enum NotificationVerdict: Sendable, Equatable {
    case event(StoreEvent)
    case rejected(ReceiptRejection)
}

/// A store notification, which counts once.
///
/// Source: App Store protocol, “Notifications V2”.
public struct StoreEvent: Sendable, Equatable {
    public let store: StoreName
    /// The store's own identifier of the notification.
    public let id: String
    /// The name of the event, such as `REFUND`, for the log.
    public let name: String
    public let signed: Date
    /// The current transactions. Empty if the notification contains none.
    public let transactions: [StoreTransaction]

    public init(store: StoreName, id: String, name: String, signed: Date, transactions: [StoreTransaction]) {
        self.store = store
        self.id = id
        self.name = name
        self.signed = signed
        self.transactions = transactions
    }
}
