public import Foundation
public import Gatefold

/// A receipt as received by a front door.
public struct IncomingReceipt: Sendable, Equatable {
    public let publication: PublicationID
    public let store: StoreName
    /// The owner, or nil if the receipt is the only credential.
    public let owner: PurchaseOwner?
    public let receipt: StoreReceipt
    /// The account and the item to credit if the receipt is genuine. The ledger stores them with the receipt, so
    /// that a later verdict can credit them.
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

/// A receipt as stored in the ledger.
public struct ReceiptRecord: Sendable, Equatable {
    public struct ID: Hashable, Sendable {
        public let rawValue: Int64

        public init(_ rawValue: Int64) { self.rawValue = rawValue }
    }

    public enum ReceiptStatus: Sendable, Equatable {
        /// - Parameter attempts: The number of failed store queries.
        case pending(attempts: Int)
        case verified(at: Date)
        case rejected(ReceiptRejection, at: Date)
    }

    public let id: ID
    public let incoming: IncomingReceipt
    public let received: Date
    public let status: ReceiptStatus

    public init(id: ID, incoming: IncomingReceipt, received: Date, status: ReceiptStatus) {
        self.id = id
        self.incoming = incoming
        self.received = received
        self.status = status
    }
}
