import Crypto
import Foundation
import Gatefold
import JSON

/// A purchase as either version of the service tells of it.
struct AmazonPurchase: Sendable {
    private enum Kind: String {
        case consumable = "CONSUMABLE"
        case entitled = "ENTITLED"
        case subscription = "SUBSCRIPTION"
    }

    private let kind: Kind
    private let product: String
    private let purchased: Date
    /// When the store ended it: a subscription's end, a single purchase's refund.
    private let ended: Date?
    /// Until when a subscription is paid for, where it is told.
    private let paidUntil: Date?
    private let quantity: Int
    private let isTest: Bool

    /// Nil where it is none.
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
            isTest = json["testTransaction"]?.truth ?? false
        case .purchaseToken:
            guard let kind = json["itemType"]?.text.flatMap({ Kind(rawValue: $0) }),
                let product = json["sku"]?.text, !product.isEmpty, let ended = Self.optionalDate(json["endDate"])
            else { return nil }
            // Only subscriptions are told the time of.
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
            isTest = json["testTransaction"]?.truth ?? false
        }
    }

    /// - Parameters:
    ///   - lease: for so many seconds a subscription without an end counts as running, until Amazon is asked again.
    ///   - isSandbox: whether the whole service is the sandbox's.
    func transaction(
        in store: StoreName, _ reference: AmazonReference, of user: String, lease: TimeInterval, isSandbox: Bool,
        at moment: Date
    ) -> StoreTransaction {
        let id = identifier(reference, user)
        let isSubscription = kind == .subscription
        return StoreTransaction(
            store: store, id: id, original: id, product: product, purchased: purchased,
            expires: isSubscription ? ended ?? paidUntil ?? moment.addingTimeInterval(lease) : nil,
            revoked: isSubscription ? nil : ended, quantity: quantity,
            environment: isTest || isSandbox ? .sandbox : .production, told: moment)
    }

    /// A receipt's identifier stays the same as long as the purchase; a purchase token is renewed, so that a digest of what
    /// stays stands for it.
    private func identifier(_ reference: AmazonReference, _ user: String) -> String {
        switch reference {
        case .receiptID(let text) where text.utf8.count <= StoreTransaction.longestText: return text
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

    /// A date or none; nil where it is something else, which must not be taken for none.
    private static func optionalDate(_ value: JSONValue?) -> Date?? {
        switch value {
        case nil, .null, .string(""): return .some(nil)
        default: return date(value).map { .some($0) }
        }
    }
}
