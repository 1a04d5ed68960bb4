public import Foundation

extension StoreTransaction {
    /// Whether this is the word that counts, of two about one transaction.
    ///
    /// The later counts. Of two told at one moment, the one that takes the purchase back does, then the one with the later
    /// end; what is left decides in any order that is always the same. So it never matters in which order words arrive. What
    /// they say of grace is judged by itself, see ``joined(with:)``.
    public func replaces(_ other: StoreTransaction) -> Bool {
        let mine = moments, others = other.moments
        if mine != others { return others.lexicographicallyPrecedes(mine) }
        if quantity != other.quantity { return quantity < other.quantity }
        // Acknowledged is what it was told to be, and stays.
        if awaitsAcknowledgement != other.awaitsAcknowledgement { return other.awaitsAcknowledgement }
        return [other.original, other.product, other.environment.rawValue]
            .lexicographicallyPrecedes([original, product, environment.rawValue])
    }

    /// What two words about one transaction amount to, in whichever order they come: the one that counts, with the later of
    /// what they say of grace.
    public func joined(with other: StoreTransaction) -> StoreTransaction {
        var word = replaces(other) ? self : other
        word.grace = [grace, other.grace].compactMap(\.self).max()
        return word
    }

    /// The same, over by the store's word of `moment`: it runs no longer, and what came out while it ran stays.
    public func ended(at moment: Date) -> StoreTransaction {
        var word = self
        word.expires = min(expires ?? moment, moment)
        if grace != nil { word.grace = GracePeriod(ends: nil, told: moment) }
        word.told = moment
        return word
    }

    /// The same, taken back by the store's word of `moment`.
    public func takenBack(at moment: Date) -> StoreTransaction {
        var word = self
        word.revoked = revoked ?? moment
        word.told = moment
        return word
    }

    /// The same word, once the store knows that the buyer has it.
    public var acknowledged: StoreTransaction {
        var word = self
        word.awaitsAcknowledgement = false
        return word
    }

    /// Whether it still gives its buyer something new at `moment`: not taken back, and not over.
    public func counts(at moment: Date) -> Bool { revoked == nil && (ends.map { $0 > moment } ?? true) }

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
