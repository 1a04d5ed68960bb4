public import Foundation

extension StoreTransaction {
    /// Returns whether this state of a transaction takes precedence over another state.
    ///
    /// The later state takes precedence. At equal times, a revoked state takes precedence, then the state with the
    /// later end. The remaining properties decide in a fixed order. Therefore the order of arrival never matters.
    /// The grace period is compared separately, see ``joined(with:)``.
    public func replaces(_ other: StoreTransaction) -> Bool {
        let mine = timestamps, others = other.timestamps
        if mine != others { return others.lexicographicallyPrecedes(mine) }
        if quantity != other.quantity { return quantity < other.quantity }
        // An acknowledged state takes precedence, because an acknowledgement is permanent.
        if awaitsAcknowledgement != other.awaitsAcknowledgement { return other.awaitsAcknowledgement }
        return [other.original, other.product, other.environment.rawValue]
            .lexicographicallyPrecedes([original, product, environment.rawValue])
    }

    /// Returns the combination of two states, independent of their order: the state that takes precedence, with the
    /// later grace information.
    public func joined(with other: StoreTransaction) -> StoreTransaction {
        var transaction = replaces(other) ? self : other
        transaction.grace = [grace, other.grace].compactMap(\.self).max()
        return transaction
    }

    /// Returns the transaction with an end at `timestamp`, as reported by the store. It runs no longer, but editions
    /// that were published while it ran remain.
    public func ended(at timestamp: Date) -> StoreTransaction {
        var transaction = self
        transaction.expires = min(expires ?? timestamp, timestamp)
        if grace != nil { transaction.grace = GracePeriod(ends: nil, reported: timestamp) }
        transaction.reported = timestamp
        return transaction
    }

    /// Returns the transaction as revoked at `timestamp`, as reported by the store.
    public func refunded(at timestamp: Date) -> StoreTransaction {
        var transaction = self
        transaction.revoked = revoked ?? timestamp
        transaction.reported = timestamp
        return transaction
    }

    /// The same state after the acknowledgement to the store.
    public var acknowledged: StoreTransaction {
        var transaction = self
        transaction.awaitsAcknowledgement = false
        return transaction
    }

    /// Returns the last transaction of a purchase: the one with the latest end.
    public static func last(of all: [StoreTransaction]) -> StoreTransaction? {
        all.max { left, right in
            let ends = (left.ends ?? .distantPast, right.ends ?? .distantPast)
            return ends.0 == ends.1 ? (left.purchased, left.id) < (right.purchased, right.id) : ends.0 < ends.1
        }
    }

    /// Returns whether the transaction still gives its buyer new editions at `timestamp`: it is neither revoked nor
    /// ended.
    public func counts(at timestamp: Date) -> Bool { revoked == nil && (ends.map { $0 > timestamp } ?? true) }

    /// A Boolean value that indicates whether the names of transaction and product are valid: not empty, no longer
    /// than ``maxTextLength``, and without the NUL character, which ends texts in databases. The quantity must be
    /// positive.
    public var isWellFormed: Bool {
        [id, original, product].allSatisfy {
            !$0.isEmpty && $0.utf8.count <= Self.maxTextLength && !$0.utf8.contains(0)
        } && quantity > 0
    }

    /// The sort values in seconds since 1970, which is the format of the ledger. A stored timestamp therefore
    /// compares equal.
    private var timestamps: [TimeInterval] {
        [
            reported.timeIntervalSince1970, revoked == nil ? 0 : 1, expires?.timeIntervalSince1970 ?? -.infinity,
            revoked?.timeIntervalSince1970 ?? 0, purchased.timeIntervalSince1970,
        ]
    }
}
