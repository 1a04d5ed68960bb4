import Commerce
import Foundation

/// A receipt of one transaction, the format of iOS 6 and before: an old-style property list that contains a second
/// one, the purchase, in base64.
///
/// Apple never documented the signature, so only Apple can verify the receipt. ``VerifyReceiptClient`` does that.
/// This type reads the unverified values that decide whether and how to query Apple.
///
/// Source: App Store protocol, “Transaction receipts”.
struct TransactionReceipt: Sendable, Equatable {
    let bundle: String?
    let product: String?
    let transaction: String
    let original: String?
    /// Apple's name of the environment. Most production receipts omit it.
    let environment: String?

    /// Reads a receipt. Returns nil if the bytes are not such a receipt.
    init?(_ bytes: [UInt8]) {
        guard let outer = try? PropertyListText(parsing: bytes), outer["signature"] != nil,
            let encoded = outer["purchase-info"], let decoded = ReceiptText.decoded(encoded),
            let purchase = try? PropertyListText(parsing: decoded), let transaction = purchase["transaction-id"]
        else { return nil }
        self.transaction = transaction
        bundle = purchase["bid"]
        product = purchase["product-id"]
        original = purchase["original-transaction-id"]
        environment = outer["environment"]
    }
}
