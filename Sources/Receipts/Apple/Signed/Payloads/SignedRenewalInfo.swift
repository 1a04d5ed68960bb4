import Commerce
import Foundation
import JSON

/// The fields of Apple's JWSRenewalInfoDecodedPayload that Gatefold uses.
struct SignedRenewalInfo: Sendable, Equatable {
    /// The original transaction of the purchase.
    let original: String
    let environment: StoreEnvironment
    /// The date until which a subscriber keeps the service after a failed payment.
    let gracePeriodEnd: Date?
    let signed: Date

    /// Reads a payload.
    ///
    /// - Throws: ``ReceiptRejection/Reason/malformed``.
    init(_ payload: JSONValue) throws(ReceiptRejection) {
        guard
            let original = payload.identifier("originalTransactionId", maxLength: StoreTransaction.maxTextLength),
            let environment = payload["environment"]?.text.flatMap(AppleEnvironment.named),
            let signed = payload.milliseconds("signedDate")
        else { throw ReceiptRejection(.malformed) }
        self.original = original
        self.environment = environment
        self.signed = signed
        gracePeriodEnd = payload.milliseconds("gracePeriodExpiresDate")
    }
}
