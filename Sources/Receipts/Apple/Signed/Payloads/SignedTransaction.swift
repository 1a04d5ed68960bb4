package import Commerce
package import Foundation
import JSON

/// The fields of Apple's JWSTransactionDecodedPayload that Gatefold uses.
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
    /// A Boolean value that indicates whether the subscriber upgraded to a higher level of service before this
    /// period ended.
    package let isUpgraded: Bool
    package let signed: Date

    /// Reads a payload.
    ///
    /// - Throws: ``ReceiptRejection/Reason/malformed`` if a required field is missing or a value is out of range.
    init(_ payload: JSONValue) throws(ReceiptRejection) {
        let maxLength = StoreTransaction.maxTextLength
        guard let id = payload.identifier("transactionId", maxLength: maxLength),
            let product = payload.identifier("productId", maxLength: maxLength),
            let bundle = payload.identifier("bundleId", maxLength: maxLength),
            let environment = payload["environment"]?.text.flatMap(AppleEnvironment.named),
            let purchased = payload.milliseconds("purchaseDate"), let signed = payload.milliseconds("signedDate")
        else { throw ReceiptRejection(.malformed) }
        self.id = id
        self.product = product
        self.bundle = bundle
        self.environment = environment
        self.purchased = purchased
        self.signed = signed
        original =
            try Self.optional(payload, "originalTransactionId") {
                payload.identifier($0, maxLength: maxLength)
            } ?? id
        expires = try Self.optional(payload, "expiresDate") { payload.milliseconds($0) }
        revoked = try Self.optional(payload, "revocationDate") { payload.milliseconds($0) }
        let quantity = try Self.optional(payload, "quantity") { payload.integer($0) } ?? 1
        guard (1...1_000_000).contains(quantity) else { throw ReceiptRejection(.malformed) }
        self.quantity = Int(quantity)
        isUpgraded = payload["isUpgraded"]?.boolValue ?? false
    }

    /// Reads an optional field. A field that exists must be readable, because an unreadable revocation must not
    /// count as no revocation.
    private static func optional<Value>(
        _ payload: JSONValue, _ name: String, _ read: (String) -> Value?
    ) throws(ReceiptRejection) -> Value? {
        guard payload.has(name) else { return nil }
        guard let value = read(name) else { throw ReceiptRejection(.malformed) }
        return value
    }
}
