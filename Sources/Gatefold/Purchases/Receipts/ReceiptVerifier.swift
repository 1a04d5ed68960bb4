public import Foundation

/// Knows the receipts of one app store.
///
/// Verdicts are values. A thrown error always means that the store could not be asked, and is never taken for a refusal.
public protocol ReceiptVerifier: Sendable {
    /// The name the store has in the configuration.
    var store: StoreName { get }
    var kind: StoreKind { get }

    /// Whether it knows receipts of this app, by bundle identifier or package name.
    func sells(app: String) -> Bool

    /// Whether this looks like a receipt of the store at all. Asks nobody: what does not is not even kept, so that nobody
    /// fills the ledger with rubbish.
    func isPlausible(_ receipt: StoreReceipt) -> Bool

    /// Says what a receipt proves.
    ///
    /// - Parameter allowed: the environments whose receipts count here; one from elsewhere is refused with
    ///   ``ReceiptRefusal/Reason/wrongEnvironment``, whatever else it proves.
    func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict

    /// Asks the store what has become of a purchase since: its renewals, its end, its refund.
    ///
    /// - Parameter receipt: the receipt that proved it, where it is still there.
    /// - Returns: the transactions as they are now; none where the store has nothing to say about it. Nil where nobody was
    ///   asked: nothing is configured that could be, or the receipt that is needed for it is gone.
    func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws -> [StoreTransaction]?

    /// Tells the store that a purchase is its buyer's, where that is wanted and the store waits for it
    /// (``StoreTransaction/awaitsAcknowledgement``). Done twice, it does no harm.
    ///
    /// Called once the purchase is on record, because a store does not give back by itself what was acknowledged.
    ///
    /// - Throws: when the store did not take it in; it is to be told again.
    func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws

    /// Reads a message that the store sends by itself.
    ///
    /// - Parameter body: of the HTTP request, as it came.
    func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> NotificationVerdict
}

extension ReceiptVerifier {
    public func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws -> [StoreTransaction]? { nil }

    public func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws {}

    public func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> NotificationVerdict { .refused(ReceiptRefusal(.malformed)) }
}

/// What a receipt proves.
public enum ReceiptVerdict: Sendable, Equatable {
    /// - Parameter transactions: at least one; all of this verifier's store. Those that were taken back are among them, so
    ///   that this is known of a purchase that is on record already.
    case genuine([StoreTransaction])
    case refused(ReceiptRefusal)
}

/// Why a receipt proves nothing.
public struct ReceiptRefusal: Error, Sendable, Equatable {
    public enum Reason: String, Sendable, CaseIterable {
        /// Not a receipt of this store.
        case malformed
        /// Not signed by the store, or changed since.
        case forged
        /// Of another app.
        case wrongApp
        /// Sandbox where only production counts, or the reverse.
        case wrongEnvironment
        /// The store does not know it, or no longer.
        case notFound
        /// The store says it is over.
        case expired
        /// Everything in it was refunded or taken back.
        case revoked
        /// It holds no purchase.
        case empty
        /// Others have claimed it.
        case claimedByAnother
        /// It does not hold the product the app says was bought.
        case wrongProduct
        /// The publication sells in no such store.
        case noStore
        /// The store refused it with a status of its own.
        case storeRefused
    }

    public let reason: Reason
    /// The store's own status, where it gave one, such as Apple's 21003.
    public let code: Int?

    public init(_ reason: Reason, code: Int? = nil) {
        self.reason = reason
        self.code = code
    }
}

/// What a store's own message says.
public enum NotificationVerdict: Sendable, Equatable {
    case event(StoreEvent)
    case refused(ReceiptRefusal)
}

/// A message of a store, to be counted once (PROTOCOLS 6.3 "Notifications V2").
public struct StoreEvent: Sendable, Equatable {
    public let store: StoreName
    /// The store's own identifier of the message.
    public let id: String
    /// What it is about, such as `REFUND`, for the log.
    public let name: String
    public let signed: Date
    /// The transactions as they are now; none where it tells of none.
    public let transactions: [StoreTransaction]

    public init(store: StoreName, id: String, name: String, signed: Date, transactions: [StoreTransaction]) {
        self.store = store
        self.id = id
        self.name = name
        self.signed = signed
        self.transactions = transactions
    }
}
