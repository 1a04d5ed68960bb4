public import Foundation
import Gatefold

/// A subscription product, identified by its store name or by a prefix of several names.
public struct SubscriptionProduct: Sendable, Equatable {
    /// The term of a subscription if the store gives no end.
    public enum Term: Sendable, Equatable {
        /// Only the store's end counts. Without an end nothing is covered.
        case asReported
        case forever
        /// A number of seconds from the purchase.
        case seconds(TimeInterval)
    }

    /// The store name, or a prefix of names if the pattern ends with `*`.
    public let pattern: String
    public let term: Term
    /// The title that apps show.
    public let title: String

    public init(pattern: String, term: Term = .asReported, title: String? = nil) {
        self.pattern = pattern
        self.term = term
        self.title = title ?? pattern
    }

    public func matches(_ product: String) -> Bool {
        pattern.hasSuffix("*") ? product.utf8.starts(with: pattern.utf8.dropLast()) : product == pattern
    }

    /// Returns the paid period of a transaction, or nil if the transaction covers nothing.
    func period(of transaction: StoreTransaction) -> Period? {
        if let ends = transaction.ends {
            return ends < transaction.purchased ? nil : Period(start: transaction.purchased, end: ends)
        }
        switch term {
        case .asReported: return nil
        case .forever: return Period(start: transaction.purchased, end: nil)
        case .seconds(let seconds):
            return Period(start: transaction.purchased, end: transaction.purchased.addingTimeInterval(seconds))
        }
    }
}
