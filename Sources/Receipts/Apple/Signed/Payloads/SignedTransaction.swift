package import Foundation
package import Gatefold
import JSON

/// Apple's JWSTransactionDecodedPayload, as far as it matters here.
package struct SignedTransaction: Sendable, Equatable {
    package let id: String
    package let original: String
    package let product: String
    /// The app's bundle identifier.
    package let bundle: String
    package let environment: StoreEnvironment
    package let purchased: Date
    package let expires: Date?
    package let revoked: Date?
    package let quantity: Int
    /// The subscriber went on to a higher level of service before this period ended.
    package let isUpgraded: Bool
    package let signed: Date

    /// - Throws: ``ReceiptRefusal/Reason/malformed`` where something is missing, or out of all measure.
    init(_ payload: JSONValue) throws(ReceiptRefusal) {
        let longest = StoreTransaction.longestText
        guard let id = payload.identifier("transactionId", longest: longest),
            let product = payload.identifier("productId", longest: longest),
            let bundle = payload.identifier("bundleId", longest: longest),
            let environment = payload["environment"]?.text.flatMap(AppleEnvironment.named),
            let purchased = payload.milliseconds("purchaseDate"), let signed = payload.milliseconds("signedDate")
        else { throw ReceiptRefusal(.malformed) }
        self.id = id
        self.product = product
        self.bundle = bundle
        self.environment = environment
        self.purchased = purchased
        self.signed = signed
        original =
            try Self.optional(payload, "originalTransactionId") {
                payload.identifier($0, longest: longest)
            } ?? id
        expires = try Self.optional(payload, "expiresDate") { payload.milliseconds($0) }
        revoked = try Self.optional(payload, "revocationDate") { payload.milliseconds($0) }
        let quantity = try Self.optional(payload, "quantity") { payload.wholeNumber($0) } ?? 1
        guard (1...1_000_000).contains(quantity) else { throw ReceiptRefusal(.malformed) }
        self.quantity = Int(quantity)
        isUpgraded = payload["isUpgraded"]?.truth ?? false
    }

    /// What may be missing must not be there and unreadable: a revocation nobody understands is not none.
    private static func optional<Value>(
        _ payload: JSONValue, _ name: String, _ read: (String) -> Value?
    ) throws(ReceiptRefusal) -> Value? {
        guard payload.has(name) else { return nil }
        guard let value = read(name) else { throw ReceiptRefusal(.malformed) }
        return value
    }
}
