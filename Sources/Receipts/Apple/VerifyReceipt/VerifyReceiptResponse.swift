import Foundation
import JSON

/// The response of verifyReceipt, in either of its two formats.
///
/// The old format, for receipts of iOS 6 and before, has one purchase as `receipt`. Later states are objects:
/// `latest_receipt_info` and, after the expiry, `latest_expired_receipt_info`. The new format has the app as
/// `receipt`, its purchases as `in_app`, and an array of renewals as `latest_receipt_info`.
///
/// Source: App Store protocol, “Response formats of verifyReceipt”.
struct VerifyReceiptResponse: Sendable {
    let status: Int
    let isRetryable: Bool?
    let bundle: String?
    /// Apple's name of the environment.
    let environment: String?
    /// The date of Apple's response.
    let reported: Date?
    let purchases: [ApplePurchase]

    /// Parses a response.
    ///
    /// - Throws: ``VerifyReceiptFailure/unreadable``.
    init(_ body: [UInt8]) throws(VerifyReceiptFailure) {
        guard let value = try? JSONParser.parse(body), let response = VerifyReceiptFields(value),
            let status = response.integer("status")
        else { throw .unreadable }
        self.status = status
        isRetryable =
            switch response.value("is-retryable") ?? response.value("is_retryable") {
            case .boolean(let value): value
            case .string("1"), .string("true"), .number("1"): true
            case .string("0"), .string("false"), .number("0"): false
            default: nil
            }
        let receipt = VerifyReceiptFields(response.value("receipt"))
        bundle = receipt?.text("bundle_id") ?? receipt?.text("bid")
        environment = response.text("environment") ?? receipt?.text("receipt_type")
        reported = receipt?.date("request_date")
        purchases = try Self.purchases(response, receipt)
    }

    /// Returns each transaction once. The later statement about a transaction replaces the earlier.
    private static func purchases(
        _ response: VerifyReceiptFields, _ receipt: VerifyReceiptFields?
    ) throws(VerifyReceiptFailure) -> [ApplePurchase] {
        let reported =
            [receipt].compactMap(\.self) + VerifyReceiptFields.list(receipt?.value("in_app"))
            + VerifyReceiptFields.list(response.value("latest_expired_receipt_info"))
            + VerifyReceiptFields.list(response.value("latest_receipt_info"))
        guard reported.count <= 2 * ApplePurchase.limit else { throw .unreadable }
        var order: [String] = []
        var byTransaction: [String: ApplePurchase] = [:]
        for purchase in reported.compactMap(ApplePurchase.init(receiptFields:)) {
            if let earlier = byTransaction.updateValue(purchase, forKey: purchase.transaction) {
                // A refund remains in effect if a later statement omits it.
                byTransaction[purchase.transaction]?.cancelled = purchase.cancelled ?? earlier.cancelled
            } else {
                order.append(purchase.transaction)
            }
        }
        return applyingGrace(order.compactMap { byTransaction[$0] }, by: gracePeriods(response))
    }

    /// Returns the billing grace of subscriptions whose payment Apple still tries to collect, by their first
    /// transaction.
    private static func gracePeriods(_ response: VerifyReceiptFields) -> [String: ApplePurchase.Grace] {
        var gracePeriods: [String: ApplePurchase.Grace] = [:]
        for renewal in VerifyReceiptFields.list(response.value("pending_renewal_info")) {
            guard let original = renewal.text("original_transaction_id") else { continue }
            gracePeriods[original] =
                renewal.date("grace_period_expires_date").map { .until($0) } ?? ApplePurchase.Grace.none
        }
        return gracePeriods
    }

    /// Applies each grace to the last period of its subscription.
    private static func applyingGrace(
        _ purchases: [ApplePurchase], by gracePeriods: [String: ApplePurchase.Grace]
    ) -> [ApplePurchase] {
        var purchases = purchases
        for (original, grace) in gracePeriods {
            let last = purchases.indices.filter { purchases[$0].original == original && purchases[$0].cancelled == nil }
                .max { (purchases[$0].expires ?? .distantPast) < (purchases[$1].expires ?? .distantPast) }
            if let last, purchases[last].expires != nil { purchases[last].grace = grace }
        }
        return purchases
    }
}

extension ApplePurchase {
    /// Creates a purchase, or returns nil if the fields contain no product, transaction or purchase date. The
    /// `receipt` of the new format contains none of the three.
    init?(receiptFields fields: VerifyReceiptFields) {
        guard let product = fields.text("product_id"), let transaction = fields.text("transaction_id"),
            let purchased = fields.date("purchase_date")
        else { return nil }
        self.init(
            product: product, transaction: transaction,
            original: fields.text("original_transaction_id") ?? transaction, purchased: purchased,
            expires: fields.date("expires_date") ?? fields.date("expires_date_formatted"),
            cancelled: fields.date("cancellation_date"), quantity: fields.integer("quantity") ?? 1)
        // An upgrade ends a period early and refunds nothing. The editions published within the period remain paid.
        if fields.isTrue("is_upgraded"), let upgraded = cancelled {
            expires = min(expires ?? upgraded, upgraded)
            cancelled = nil
        }
    }
}
