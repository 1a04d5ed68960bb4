import Foundation
import Gatefold
import JSON

/// What verifyReceipt told, in either of its shapes (PROTOCOLS 6.1).
///
/// The old one, for receipts of iOS 6 and before, has one purchase as `receipt`, and as objects what became of it:
/// `latest_receipt_info` and, when it is over, `latest_expired_receipt_info`. The new one has the app as `receipt`, its
/// purchases as `in_app`, and an array of renewals as `latest_receipt_info`.
struct VerifyReceiptAnswer: Sendable {
    let status: Int
    let isRetryable: Bool?
    let bundle: String?
    /// Apple's word for where it was bought.
    let environment: String?
    /// When Apple answered.
    let told: Date?
    let purchases: [ApplePurchase]

    /// - Throws: ``VerifyReceiptFailure/unreadable``.
    init(_ body: [UInt8]) throws(VerifyReceiptFailure) {
        guard let value = try? JSONParser.parse(body), let answer = VerifyReceiptFields(value),
            let status = answer.integer("status")
        else { throw .unreadable }
        self.status = status
        isRetryable =
            switch answer.value("is-retryable") ?? answer.value("is_retryable") {
            case .boolean(let value): value
            case .string("1"), .string("true"), .number("1"): true
            case .string("0"), .string("false"), .number("0"): false
            default: nil
            }
        let receipt = VerifyReceiptFields(answer.value("receipt"))
        bundle = receipt?.text("bundle_id") ?? receipt?.text("bid")
        environment = answer.text("environment") ?? receipt?.text("receipt_type")
        told = receipt?.date("request_date")
        purchases = try Self.purchases(answer, receipt)
    }

    /// Each transaction once, the later word about it counting.
    private static func purchases(
        _ answer: VerifyReceiptFields, _ receipt: VerifyReceiptFields?
    ) throws(VerifyReceiptFailure) -> [ApplePurchase] {
        let told =
            [receipt].compactMap(\.self) + VerifyReceiptFields.list(receipt?.value("in_app"))
            + VerifyReceiptFields.list(answer.value("latest_expired_receipt_info"))
            + VerifyReceiptFields.list(answer.value("latest_receipt_info"))
        guard told.count <= 2 * ApplePurchase.most else { throw .unreadable }
        var order: [String] = []
        var byTransaction: [String: ApplePurchase] = [:]
        for purchase in told.compactMap(ApplePurchase.init(answered:)) {
            if let earlier = byTransaction.updateValue(purchase, forKey: purchase.transaction) {
                // A refund is not undone by being left out.
                byTransaction[purchase.transaction]?.cancelled = purchase.cancelled ?? earlier.cancelled
            } else {
                order.append(purchase.transaction)
            }
        }
        return graced(order.compactMap { byTransaction[$0] }, by: graces(answer))
    }

    /// Whether, and until when, Apple lets subscriptions run whose payment it is still trying to collect, by their first
    /// transaction.
    private static func graces(_ answer: VerifyReceiptFields) -> [String: ApplePurchase.Grace] {
        var graces: [String: ApplePurchase.Grace] = [:]
        for renewal in VerifyReceiptFields.list(answer.value("pending_renewal_info")) {
            guard let original = renewal.text("original_transaction_id") else { continue }
            graces[original] = renewal.date("grace_period_expires_date").map { .until($0) } ?? ApplePurchase.Grace.none
        }
        return graces
    }

    /// What is told of grace is told of a subscription's last period.
    private static func graced(
        _ purchases: [ApplePurchase], by graces: [String: ApplePurchase.Grace]
    ) -> [ApplePurchase] {
        var purchases = purchases
        for (original, grace) in graces {
            let last = purchases.indices.filter { purchases[$0].original == original && purchases[$0].cancelled == nil }
                .max { (purchases[$0].expires ?? .distantPast) < (purchases[$1].expires ?? .distantPast) }
            if let last, purchases[last].expires != nil { purchases[last].grace = grace }
        }
        return purchases
    }
}

extension ApplePurchase {
    /// Nil for what names no product, transaction or day of purchase: the `receipt` of the new shape does not.
    init?(answered fields: VerifyReceiptFields) {
        guard let product = fields.text("product_id"), let transaction = fields.text("transaction_id"),
            let purchased = fields.date("purchase_date")
        else { return nil }
        self.init(
            product: product, transaction: transaction,
            original: fields.text("original_transaction_id") ?? transaction, purchased: purchased,
            expires: fields.date("expires_date") ?? fields.date("expires_date_formatted"),
            cancelled: fields.date("cancellation_date"), quantity: fields.integer("quantity") ?? 1)
        // An upgrade ends a period early and takes nothing back: what came out in it was paid for.
        if fields.isTrue("is_upgraded"), let upgraded = cancelled {
            expires = min(expires ?? upgraded, upgraded)
            cancelled = nil
        }
    }
}
