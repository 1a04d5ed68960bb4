import Commerce
import Foundation
import PKCS7

/// The format of an Apple receipt. Each format is verified in its own way.
///
/// Source: App Store protocol, “Receipt formats” and “Signed data”.
enum AppleReceiptFormat: Sendable {
    /// A signed transaction of StoreKit 2.
    case signed(String)
    /// The bare identifier of a transaction.
    case identifier(String)
    /// A unified receipt of iOS 7 and later, and its bytes.
    case unified(SignedMessage, [UInt8])
    /// A receipt of iOS 6 and before, and its bytes.
    case transaction(TransactionReceipt, [UInt8])

    /// The maximum length of a receipt in bytes: base64 of one megabyte with line breaks.
    static let maxLength = 1_500_000

    /// Detects the format of a receipt. Returns nil if the text has none of the formats.
    init?(_ written: String) {
        guard written.utf8.count <= Self.maxLength else { return nil }
        let text = written.trimmingCharacters(in: .whitespacesAndNewlines)
        if Self.isIdentifier(text) {
            self = .identifier(text)
        } else if Self.isSigned(text) {
            self = .signed(text)
        } else if let form = ReceiptText.readings(text).lazy.compactMap(Self.init(bytes:)).first {
            self = form
        } else {
            return nil
        }
    }

    private init?(bytes: [UInt8]) {
        // The identifier of SEQUENCE in ASN.1.
        if bytes.first == 0x30 {
            guard let message = try? SignedMessage(bytes) else { return nil }
            self = .unified(message, bytes)
        } else {
            guard let receipt = TransactionReceipt(bytes) else { return nil }
            self = .transaction(receipt, bytes)
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns whether the text has three segments of base64url, separated by dots (RFC 7515 section 7.1).
    private static func isSigned(_ text: String) -> Bool {
        let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return segments.count == 3
            && segments.allSatisfy { segment in
                !segment.isEmpty
                    && segment.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    }
            }
    }
}
