import Foundation
import Gatefold
import JSON

/// Apple's JWSRenewalInfoDecodedPayload, as far as it matters here.
struct SignedRenewalInfo: Sendable, Equatable {
    /// The purchase it is about.
    let original: String
    let environment: StoreEnvironment
    /// Until then a subscriber whose payment failed keeps the service.
    let graceEnds: Date?
    let signed: Date

    /// - Throws: ``ReceiptRefusal/Reason/malformed``.
    init(_ payload: JSONValue) throws(ReceiptRefusal) {
        guard
            let original = payload.identifier("originalTransactionId", longest: StoreTransaction.longestText),
            let environment = payload["environment"]?.text.flatMap(AppleEnvironment.named),
            let signed = payload.milliseconds("signedDate")
        else { throw ReceiptRefusal(.malformed) }
        self.original = original
        self.environment = environment
        self.signed = signed
        graceEnds = payload.milliseconds("gracePeriodExpiresDate")
    }
}
