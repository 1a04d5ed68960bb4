public import Foundation

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
