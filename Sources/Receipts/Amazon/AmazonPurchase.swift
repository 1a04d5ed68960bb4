import Commerce
import Crypto
import Foundation
import JSON
import Primitives

/// A purchase, read from the response of either version of the service.
struct AmazonPurchase: Sendable {
    private enum Kind: String {
        case consumable = "CONSUMABLE"
        case entitled = "ENTITLED"
        case subscription = "SUBSCRIPTION"
    }

    private let kind: Kind
    private let product: String
    private let purchased: Date
    /// The date on which the store ended the purchase: the end of a subscription, or the refund of a single
    /// purchase.
    private let ended: Date?
    /// The end of the paid period of a subscription, if the response contains it.
    private let paidUntil: Date?
    private let quantity: Int
    private let isTest: Bool

    /// Creates a purchase, or returns nil if the JSON is not a purchase.
    init?(_ json: JSONValue, _ reference: AmazonReference) {
        switch reference {
        case .receiptID:
            guard let kind = json["productType"]?.text.flatMap({ Kind(rawValue: $0) }),
                let product = json["productId"]?.text, !product.isEmpty, let purchased = Self.date(json["purchaseDate"])
            else { return nil }
            self.kind = kind
            self.product = product
            self.purchased = purchased
            guard let ended = Self.optionalDate(json["cancelDate"]) else { return nil }
            self.ended = ended
            paidUntil = ["renewalDate", "gracePeriodEndDate", "freeTrialEndDate"]
                .compactMap { Self.date(json[$0]) }.max()
            quantity = max(1, min(json["quantity"]?.integer ?? 1, 1_000_000))
            isTest = json["testTransaction"]?.boolValue ?? false
        case .purchaseToken:
            guard let kind = json["itemType"]?.text.flatMap({ Kind(rawValue: $0) }),
                let product = json["sku"]?.text, !product.isEmpty, let ended = Self.optionalDate(json["endDate"])
            else { return nil }
            // The response contains a purchase time for subscriptions only.
            guard
                let purchased = Self.date(json["startDate"])
                    ?? (kind == .subscription ? nil : Date(timeIntervalSince1970: 0))
            else {
                return nil
            }
            self.kind = kind
            self.product = product
            self.purchased = purchased
            self.ended = ended
            paidUntil = nil
            quantity = 1
            isTest = json["testTransaction"]?.boolValue ?? false
        }
    }

    /// Returns the purchase as a transaction.
    ///
    /// - Parameters:
    ///   - lease: The period in seconds during which a subscription without an end counts as running, until the
    ///     next call to Amazon.
    ///   - isSandbox: A Boolean value that indicates whether the whole service is the sandbox.
    func transaction(
        in store: StoreName, _ reference: AmazonReference, of user: String, lease: TimeInterval, isSandbox: Bool,
        at timestamp: Date
    ) -> StoreTransaction {
        let id = identifier(reference, user)
        let isSubscription = kind == .subscription
        return StoreTransaction(
            store: store, id: id, original: id, product: product, purchased: purchased,
            expires: isSubscription ? ended ?? paidUntil ?? timestamp.addingTimeInterval(lease) : nil,
            revoked: isSubscription ? nil : ended, quantity: quantity,
            environment: isTest || isSandbox ? .sandbox : .production, reported: timestamp)
    }

    /// Returns an identifier that stays the same for the whole life of the purchase. A receipt's identifier does. A
    /// purchase token changes with each renewal, so a digest of the user, the product and the purchase time
    /// replaces it.
    private func identifier(_ reference: AmazonReference, _ user: String) -> String {
        switch reference {
        case .receiptID(let text) where text.utf8.count <= StoreTransaction.maxTextLength: return text
        case .receiptID(let text): return "receipt:\(Self.digest([text]))"
        case .purchaseToken:
            return "v1:\(Self.digest([user, product, String(Int(purchased.timeIntervalSince1970 * 1000))]))"
        }
    }

    private static func digest(_ parts: [String]) -> String {
        Hexadecimal.encode(Array(SHA256.hash(data: Data(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))))
    }

    private static func date(_ value: JSONValue?) -> Date? {
        guard let milliseconds = value?.integer, (0..<100_000_000_000_000).contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Returns the date, or `.some(nil)` if the value is missing. Returns nil if the value is something else,
    /// because an unreadable date must not count as a missing date.
    private static func optionalDate(_ value: JSONValue?) -> Date?? {
        switch value {
        case nil, .null, .string(""): return .some(nil)
        default: return date(value).map { .some($0) }
        }
    }
}
