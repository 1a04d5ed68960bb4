public import Foundation

/// What Gatefold remembers of receipts and purchases. What a call acknowledged is on disk when it returns.
///
/// Thrown errors mean that the ledger could not be asked or could not keep it; nothing is then half-written.
public protocol PurchaseLedger: Sendable {
    /// Keeps a receipt as it came, before anything else is done with it; it is due a minute later, should nobody see it
    /// through. The same receipt of the same owner in the same publication is kept once.
    ///
    /// - Returns: the record with this receipt, as it stood before if it was there.
    /// - Throws: ``ReceiptLimitReached`` for a new one beyond the limits.
    func keep(
        _ receipt: IncomingReceipt, within limits: ReceiptLimits, at moment: Date
    ) async throws -> ReceiptRecord

    /// Keeps what a receipt proved: transactions, claims and deliveries in one go, each (store, transaction) once.
    ///
    /// A transaction already known keeps the later word, see ``StoreTransaction/told``. Whoever is linked with a subscriber
    /// is one person with it, and claims once. Where the rule lets no further person claim one of the purchases, nothing
    /// is written but that the receipt was refused, and what its store took back. Of the owner's earlier receipts those go
    /// that no claim refers to now.
    ///
    /// - Parameters:
    ///   - record: as it was handed in; the content that the ledger has forgotten is kept again where a claim needs it.
    ///   - delivering: to be put into the outbox for transactions that no account was credited for before.
    func settle(
        _ record: ReceiptRecord, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at moment: Date
    ) async throws -> Settlement

    /// Keeps a receipt that its store has found genuine already, with what it proves, as ``settle(_:proving:claims:delivering:at:)``
    /// does. No limit stands in its way; where no further person may claim, a new one is not kept.
    func keep(
        _ receipt: IncomingReceipt, proving transactions: [StoreTransaction], claims: ClaimRule, at moment: Date
    ) async throws -> Settlement

    /// Notes that a receipt proved nothing. It is forgotten but for its digest, unless a claim refers to it.
    ///
    /// - Parameter record: as it was read before its store was asked; one that was proven since stays proven.
    func refuse(_ record: ReceiptRecord, _ refusal: ReceiptRefusal, at moment: Date) async throws

    /// Forgets a receipt that still waits, and has waited for so many seconds by the ledger's own clock, which does not jump
    /// (see ``StoreClock``): handed in again, it is a new one.
    ///
    /// - Returns: whether it was forgotten.
    func giveUp(_ record: ReceiptRecord.ID, afterWaiting seconds: TimeInterval) async throws -> Bool

    /// Takes a receipt that is due, so that of many processes one asks its store. It is due again when the lease ends,
    /// whatever becomes of that process.
    ///
    /// - Parameter lease: names the attempt; no other has the same.
    /// - Returns: whether it is due: it still waits, and no other process has taken it.
    func claim(_ record: ReceiptRecord.ID, lease: [UInt8], at moment: Date, until end: Date) async throws -> Bool

    /// Notes that the store could not be asked. What is said of a receipt that another has taken changes nothing.
    ///
    /// - Parameters:
    ///   - lease: the one that the receipt was taken with; nil where it was asked about without.
    ///   - moment: the present. Should the clock be set back behind it, the receipt is due at once.
    ///   - due: when the store is to be asked again.
    /// - Returns: false where as many wait as may (``ReceiptLimits/waiting``): one that did not wait yet is then forgotten.
    @discardableResult
    func postpone(
        _ record: ReceiptRecord.ID, lease: [UInt8]?, within limits: ReceiptLimits, at moment: Date, until due: Date
    ) async throws -> Bool

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

    /// Purchases about which the store is better asked again, of those that were looked at last before `looked`, or have
    /// ended since. The one that waits longest comes first.
    ///
    /// What a store said of itself counts as a look at that moment, see ``StoreTransaction/told``.
    ///
    /// - Parameters:
    ///   - owner: only what this owner's person has claimed; nil for what anybody has.
    ///   - environments: only what was bought there: what does not count for whoever asks is left to those for whom it does.
    func rechecks(
        _ selection: RecheckSelection, of owner: PurchaseOwner?, in stores: Set<StoreName>,
        environments: Set<StoreEnvironment>, lookedBefore looked: Date, at moment: Date, limit: Int
    ) async throws -> [Recheck]

    /// What a receipt proved, by whomever it was handed in, and nothing else has proved since.
    func purchases(provenBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws -> [Recheck]

    /// Claimed transactions whose store waits to be told that the buyer has them, the oldest first.
    func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at moment: Date, limit: Int
    ) async throws -> [Recheck]

    /// Notes that the store was asked about a purchase, and answered.
    func looked(at original: String, in store: StoreName, moment: Date) async throws

    /// Takes a purchase that is to be looked at or acknowledged, so that of many processes one asks its store. A reader who comes
    /// meanwhile is asked for all the same, see ``rechecks(_:of:in:environments:lookedBefore:at:limit:)``.
    ///
    /// - Parameter lease: names the attempt; no other has the same.
    /// - Returns: whether it does not rest, and no other process has taken it.
    func claimLook(
        at original: String, in store: StoreName, lease: [UInt8], from moment: Date, until end: Date
    ) async throws -> Bool

    /// Notes that the store could not be asked about a purchase: it is not looked at, nor acknowledged, before `due`,
    /// unless the store says something new of it. What is said of one that another has taken changes nothing.
    ///
    /// - Parameter lease: the one that it was taken with; nil where it was asked about without.
    func postponeLook(
        at original: String, in store: StoreName, lease: [UInt8]?, from moment: Date, until due: Date
    ) async throws

    /// Makes an installation or an account the same person as a subscriber: each then has what the other claimed.
    ///
    /// Linked with another subscriber before, it leaves that one and takes its own claims along. Whatever ends all sessions
    /// of the subscriber in the publication ends the link, too.
    ///
    /// - Parameters:
    ///   - subscriber: the owner that the subscriber is.
    ///   - reference: the subscriber as revocations name it.
    ///   - publication: the one whose token made the link.
    ///   - sealed: the subscriber, so that the other is served from the subscriber system, too.
    ///   - most: so many may be linked with a subscriber; one more takes the place of the one linked longest ago.
    func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberReference,
        in publication: PublicationID, sealed: SealedSubscriber, most: Int, at moment: Date
    ) async throws

    /// The subscriber that the owner was linked with.
    func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber?

    /// The owners who are one person with this one, itself first: a subscriber and whoever is linked with it.
    func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner]

    /// Everybody who has a purchase: those who claimed it, and those who are one person with them.
    func holders(of original: String, in store: StoreName) async throws -> [PurchaseOwner]

    /// Ends a link; the owner keeps what it claimed itself. However a link ends, receipts of the person that no claim refers
    /// to are forgotten: what they prove may be claimed anew.
    ///
    /// - Returns: false when there was none.
    func unlink(_ owner: PurchaseOwner) async throws -> Bool

    /// Forgets an owner: its receipts, its claims, its links and those to it, and the transactions that nobody else claims.
    ///
    /// A transaction that was taken back stays on record, which names nobody: an old receipt must not bring it back. That
    /// something was delivered stays on record without the account, so that no receipt is ever delivered twice; what was not
    /// delivered yet never is.
    ///
    /// - Returns: how many records were removed.
    func erase(_ owner: PurchaseOwner) async throws -> Int

    /// How a publication's receipts stand, for its operator.
    func standings(in publication: PublicationID) async throws -> ReceiptCounts
}

extension PurchaseLedger {
    /// Keeps a receipt within the limits that hold unless others are set.
    public func keep(_ receipt: IncomingReceipt, at moment: Date) async throws -> ReceiptRecord {
        try await keep(receipt, within: ReceiptLimits(), at: moment)
    }

    /// The same of one whose store could not be asked, and that nobody has taken.
    @discardableResult
    public func postpone(
        _ record: ReceiptRecord.ID, within limits: ReceiptLimits = ReceiptLimits(), at moment: Date, until due: Date
    ) async throws -> Bool {
        try await postpone(record, lease: nil, within: limits, at: moment, until: due)
    }
}
