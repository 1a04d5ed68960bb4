import Commerce
import Foundation
import PKCS7

@testable import Receipts

extension FuzzTarget {
    static let receiptText = FuzzTarget("receipt-text", upTo: 2048, of: "ReceiptText", "StoreReceipt") { bytes in
        let text = text(bytes)
        let unspaced = ReceiptText.unspaced(text)
        promise(ReceiptText.unspaced(unspaced) == unspaced, "spaces were left")
        let readings = ReceiptText.readings(text)
        if let receipt = ReceiptText.repaired(text) {
            promise(ReceiptText.repaired(receipt) == receipt, "repairing is not idempotent")
            if let decoded = ReceiptText.decoded(receipt) {
                promise(readings.contains(decoded), "a repaired receipt is not one of the possible readings")
            }
        }
        if let receipt = StoreReceipt(encoded: bytes) {
            promise(StoreReceipt(encoded: receipt.encoded) == receipt, "a receipt does not round-trip")
        }
    }

    /// The bytes as a signed message (OpenSSL) and as the content of such a message.
    static let unifiedReceipt = FuzzTarget(
        "unified-receipt", upTo: 4096, of: "UnifiedReceipt", "ReceiptAttributes", "SignedMessage", "OpenMessage"
    ) { bytes in
        _ = try? UnifiedReceipt(bytes)
        guard let message = try? SignedMessage(bytes) else { return }
        _ = try? UnifiedReceipt(message.unverifiedContents)
    }

    static let transactionReceipt = FuzzTarget(
        "transaction-receipt", upTo: 2048, of: "PropertyListText", "PropertyListTextParser", "TransactionReceipt",
        "AppleReceiptFormat"
    ) { bytes in
        _ = try? PropertyListText(parsing: bytes)
        _ = TransactionReceipt(bytes)
        _ = AppleReceiptFormat(text(bytes))
    }
}
