import Foundation

/// The body with Apple's receipt: the receipt's own bytes, as the historic server accepted them, or their base64,
/// alone or as the field of a form or of a JSON object.
///
/// The content type of the request is ignored, because iOS declares every body without a type as a form.
///
/// Source: Store receipts in the Pugpig style, “iTunes request”.
enum AppleReceiptBody {
    /// The names of the field. The second one is Apple's own.
    private static let names = ["receipt", "receipt-data", "receipt_data"]

    /// Returns the receipt as text in the format that every parser expects, or `nil` for an empty body.
    ///
    /// Any bytes result in a receipt, though not necessarily a valid one.
    static func text(_ bytes: [UInt8]) -> String? {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = bytes.first(where: { !isSpace($0) }) else { return nil }
        switch first {
        case UInt8(ascii: "{"):
            // The body is JSON, or the property list of historic receipts.
            if let value = FlatJSON.parse(bytes).flatMap(field) { return value }
            return Data(bytes).base64EncodedString()
        case 0x30 where !bytes.allSatisfy({ (0x20..<0x7F).contains($0) || isSpace($0) }):
            // The body is a SEQUENCE in DER or BER.
            return Data(bytes).base64EncodedString()
        default:
            guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) || isSpace($0) }) else {
                return Data(bytes).base64EncodedString()
            }
            if let value = field(FormFields.parse(bytes)) { return value.replacing(" ", with: "+") }
            return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    private static func field(_ fields: [(name: String, value: String)]) -> String? {
        fields.last { names.contains($0.name) && !$0.value.isEmpty }?.value
    }
}
