public import Foundation

/// The number of a publication's receipts by status, for each store.
public struct ReceiptCounts: Sendable, Equatable {
    public struct Count: Sendable, Equatable {
        /// The number of receipts whose store was unavailable.
        public var waiting: Int
        public var verified: Int
        public var rejected: Int

        public init(waiting: Int = 0, verified: Int = 0, rejected: Int = 0) {
            self.waiting = waiting
            self.verified = verified
            self.rejected = rejected
        }
    }

    /// The counts of the stores with receipts.
    public let stores: [StoreName: Count]
    /// The arrival of the receipt that has waited longest, or nil if none waits.
    public let waitingSince: Date?

    public init(stores: [StoreName: Count] = [:], waitingSince: Date? = nil) {
        self.stores = stores
        self.waitingSince = waitingSince
    }
}
