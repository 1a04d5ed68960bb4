public import Foundation

/// The number of a publication's receipts by status, for each store.
public struct ReceiptCounts: Sendable, Equatable {
    public struct Count: Sendable, Equatable {
        /// The number of receipts whose store was unavailable.
        public var pending: Int
        public var verified: Int
        public var rejected: Int

        public init(pending: Int = 0, verified: Int = 0, rejected: Int = 0) {
            self.pending = pending
            self.verified = verified
            self.rejected = rejected
        }
    }

    /// The counts of the stores with receipts.
    public let stores: [StoreName: Count]
    /// The arrival of the receipt that has been pending longest, or nil if none is pending.
    public let pendingSince: Date?

    public init(stores: [StoreName: Count] = [:], pendingSince: Date? = nil) {
        self.stores = stores
        self.pendingSince = pendingSince
    }
}
