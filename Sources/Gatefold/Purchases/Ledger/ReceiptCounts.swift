public import Foundation

/// How a publication's receipts stand, store by store.
public struct ReceiptCounts: Sendable, Equatable {
    public struct Count: Sendable, Equatable {
        /// Whose store could not be asked yet.
        public var waiting: Int
        public var proven: Int
        public var refused: Int

        public init(waiting: Int = 0, proven: Int = 0, refused: Int = 0) {
            self.waiting = waiting
            self.proven = proven
            self.refused = refused
        }
    }

    /// Only stores of which there are receipts.
    public let stores: [StoreName: Count]
    /// When the one that waits longest was taken in; nil where none waits.
    public let waitingSince: Date?

    public init(stores: [StoreName: Count] = [:], waitingSince: Date? = nil) {
        self.stores = stores
        self.waitingSince = waitingSince
    }
}
