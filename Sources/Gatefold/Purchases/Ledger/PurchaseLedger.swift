public import Foundation

/// What Gatefold remembers of receipts and purchases. What a call acknowledged is on disk when it returns.
///
/// Thrown errors mean that the ledger could not be asked or could not keep it; nothing is then half-written.
public protocol PurchaseLedger: Sendable {
    /// Keeps a receipt as it came, before anything else is done with it; it is due a minute later, should nobody see it
    /// through. The same receipt of the same owner in the same
    /// publication is kept once.
    ///
    /// - Returns: the record, as it stood before if it was there.
    func keep(_ receipt: IncomingReceipt, at moment: Date) async throws -> ReceiptRecord

    /// Keeps what a receipt proved: transactions, claims and deliveries in one go, each (store, transaction) once.
    ///
    /// A transaction already known keeps the later word, see ``StoreTransaction/told``. Whoever is linked with a subscriber
    /// is one person with it, and claims once. Where the rule lets no further person claim one of the purchases, nothing
    /// is written but that the receipt was refused.
    ///
    /// - Parameters:
    ///   - delivering: to be put into the outbox for transactions that no account was credited for before.
    func settle(
        _ record: ReceiptRecord.ID, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at moment: Date
    ) async throws -> Settlement

    /// Notes that a receipt proved nothing. One that is malformed or forged is forgotten but for its digest: it never will.
    func refuse(_ record: ReceiptRecord.ID, _ refusal: ReceiptRefusal, at moment: Date) async throws

    /// Notes that the store could not be asked.
    func postpone(_ record: ReceiptRecord.ID, until moment: Date) async throws

    /// A publication's receipts that wait for a verdict and whose time has come, the longest due first.
    func receiptsDue(in publication: PublicationID, at moment: Date, limit: Int) async throws -> [ReceiptRecord]

    /// Keeps transactions that came with a receipt nobody claims, or with the store's word on purchases known.
    func note(_ transactions: [StoreTransaction], at moment: Date) async throws

    /// Takes in a store's message, once.
    ///
    /// - Returns: false when it was taken in before.
    func take(_ event: StoreEvent, at moment: Date) async throws -> Bool

    /// All transactions of the purchases that the owner's person has claimed, in these stores.
    func transactions(of owner: PurchaseOwner, in stores: Set<StoreName>) async throws -> [StoreTransaction]

    /// All transactions of one purchase.
    func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction]

    /// The person's subscription purchases about which the store is better asked again: those whose last known end lies
    /// within `window` seconds before `moment`, or ahead, and that were looked at last before `looked`.
    ///
    /// - Parameter owner: nil for everybody's.
    func rechecks(
        of owner: PurchaseOwner?, in stores: Set<StoreName>, window: TimeInterval, lookedBefore looked: Date,
        at moment: Date, limit: Int
    ) async throws -> [Recheck]

    /// Notes that the store was asked about a purchase.
    func looked(at original: String, in store: StoreName, moment: Date) async throws

    /// Makes an installation or an account the same person as a subscriber: each then has what the other claimed.
    ///
    /// Linked with another subscriber before, it leaves that one and takes its own claims along.
    ///
    /// - Parameters:
    ///   - subscriber: the owner that the subscriber is.
    ///   - sealed: the subscriber, so that the other is served from the subscriber system, too.
    ///   - most: so many may be linked with a subscriber; one more takes the place of the one linked longest ago.
    func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, sealed: SealedSubscriber, most: Int, at moment: Date
    ) async throws

    /// The subscriber that the owner was linked with.
    func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber?

    /// Ends a link; the owner keeps what it claimed itself.
    ///
    /// - Returns: false when there was none.
    func unlink(_ owner: PurchaseOwner) async throws -> Bool
}

/// A receipt as a front door takes it in.
public struct IncomingReceipt: Sendable, Equatable {
    public let publication: PublicationID
    public let store: StoreName
    /// Nil where the receipt alone is the credential.
    public let owner: PurchaseOwner?
    public let receipt: StoreReceipt
    /// Whom and what to credit when it is genuine; kept with the receipt, so that a verdict that comes later can do it.
    public let credit: Credit?

    public init(
        publication: PublicationID, store: StoreName, owner: PurchaseOwner?, receipt: StoreReceipt,
        credit: Credit? = nil
    ) {
        self.publication = publication
        self.store = store
        self.owner = owner
        self.receipt = receipt
        self.credit = credit
    }
}

/// A receipt as the ledger keeps it.
public struct ReceiptRecord: Sendable, Equatable {
    public struct ID: Hashable, Sendable {
        public let rawValue: Int64

        public init(_ rawValue: Int64) { self.rawValue = rawValue }
    }

    public enum Standing: Sendable, Equatable {
        /// - Parameter attempts: how often the store could not be asked.
        case waiting(attempts: Int)
        case proven(at: Date)
        case refused(ReceiptRefusal, at: Date)
    }

    public let id: ID
    public let incoming: IncomingReceipt
    public let received: Date
    public let standing: Standing

    public init(id: ID, incoming: IncomingReceipt, received: Date, standing: Standing) {
        self.id = id
        self.incoming = incoming
        self.received = received
        self.standing = standing
    }
}

/// How many persons may claim one purchase.
///
/// A reader who installs anew is a new owner with the old purchases (PROTOCOLS 2.1), and a family has several devices;
/// fifty accounts are a shared receipt (PITFALLS row 18).
public struct ClaimRule: Sendable, Equatable {
    public let mostPersons: Int

    public init(mostPersons: Int) { self.mostPersons = max(1, mostPersons) }

    public static let exclusive = ClaimRule(mostPersons: 1)
}

/// What became of a genuine receipt.
public enum Settlement: Sendable, Equatable {
    case settled
    /// Somebody else has it, and the rule allows no more: ``ReceiptRefusal/Reason/claimedByAnother``.
    case claimedByAnother
}

/// A purchase to ask its store about again.
public struct Recheck: Sendable, Equatable {
    /// The last of its transactions.
    public let transaction: StoreTransaction
    /// The latest receipt that proved it.
    public let receipt: StoreReceipt?

    public init(transaction: StoreTransaction, receipt: StoreReceipt?) {
        self.transaction = transaction
        self.receipt = receipt
    }
}
