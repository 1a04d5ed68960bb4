import Foundation

extension StoreTransaction {
    /// Whether this is the word that counts, of two about one transaction.
    ///
    /// The later counts. Of two told at one moment, the one that takes the purchase back does, then the one with the later
    /// end; what is left decides in any order that is always the same. So it never matters in which order words arrive.
    public func replaces(_ other: StoreTransaction) -> Bool {
        let mine = moments, others = other.moments
        if mine != others { return others.lexicographicallyPrecedes(mine) }
        if quantity != other.quantity { return quantity < other.quantity }
        return [other.original, other.product, other.environment.rawValue]
            .lexicographicallyPrecedes([original, product, environment.rawValue])
    }

    /// Whether stores name transactions and products like this: with something, no longer than ``longestText``, and without
    /// the character that ends texts in databases.
    public var isWellFormed: Bool {
        [id, original, product].allSatisfy {
            !$0.isEmpty && $0.utf8.count <= Self.longestText && !$0.utf8.contains(0)
        } && quantity > 0
    }

    /// In seconds since 1970, which is what a ledger keeps: a moment is compared as it is found there.
    private var moments: [TimeInterval] {
        [
            told.timeIntervalSince1970, revoked == nil ? 0 : 1, expires?.timeIntervalSince1970 ?? -.infinity,
            revoked?.timeIntervalSince1970 ?? 0, purchased.timeIntervalSince1970,
        ]
    }
}
