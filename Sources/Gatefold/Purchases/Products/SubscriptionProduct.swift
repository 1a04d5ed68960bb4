public import Foundation

/// A product that is a subscription, by its name in the store or the beginning of several names.
public struct SubscriptionProduct: Sendable, Equatable {
    /// How long it runs where the store names no end.
    public enum Term: Sendable, Equatable {
        /// Only what the store says: without an end nothing is covered.
        case asTold
        case forever
        /// In seconds from the purchase.
        case seconds(TimeInterval)
    }

    /// With a `*` at its end the beginning of names, else a name.
    public let pattern: String
    public let term: Term
    /// What apps show it as.
    public let title: String

    public init(pattern: String, term: Term = .asTold, title: String? = nil) {
        self.pattern = pattern
        self.term = term
        self.title = title ?? pattern
    }

    public func matches(_ product: String) -> Bool {
        pattern.hasSuffix("*") ? product.utf8.starts(with: pattern.utf8.dropLast()) : product == pattern
    }

    /// The time a transaction paid for; nil where it covers nothing.
    func period(of transaction: StoreTransaction) -> Period? {
        if let ends = transaction.ends {
            return ends < transaction.purchased ? nil : Period(start: transaction.purchased, end: ends)
        }
        switch term {
        case .asTold: return nil
        case .forever: return Period(start: transaction.purchased, end: nil)
        case .seconds(let seconds):
            return Period(start: transaction.purchased, end: transaction.purchased.addingTimeInterval(seconds))
        }
    }
}
