import Foundation
import Gatefold

/// A receipt of one transaction, the form of iOS 6 and before: an old-style property list with another one, the purchase,
/// in base64 inside it (PROTOCOLS 6.2).
///
/// It is signed, but how Apple has never said in public, so what it tells is not to be believed before Apple has been
/// asked: ``VerifyReceiptClient`` does. Read here is what decides whether and how to ask.
struct TransactionReceipt: Sendable, Equatable {
    let bundle: String?
    let product: String?
    let transaction: String
    let original: String?
    /// Apple's word for where it was bought; it is missing from most receipts of production.
    let environment: String?

    /// Nil for bytes that are no such receipt.
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
