import Foundation

/// The body with which apps hand over Apple's receipt: the receipt's own bytes, as the historic server took them, or its
/// base64, by itself or as the field of a form or of a JSON object.
///
/// What the request says of its type counts for nothing: iOS calls every body without a type a form.
enum AppleReceiptBody {
    /// The field's names, of which the second is Apple's own.
    private static let names = ["receipt", "receipt-data", "receipt_data"]

    /// The receipt as text, the way every reader of it expects; nil for an empty body.
    ///
    /// Total: any bytes are a receipt, if not a good one.
    static func text(_ bytes: [UInt8]) -> String? {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = bytes.first(where: { !isSpace($0) }) else { return nil }
        switch first {
        case UInt8(ascii: "{"):
            // JSON, or the property list of the historic receipts.
            if let value = FlatJSON.parse(bytes).flatMap(field) { return value }
            return Data(bytes).base64EncodedString()
        case 0x30 where !bytes.allSatisfy({ (0x20..<0x7F).contains($0) || isSpace($0) }):
            // A SEQUENCE of DER or BER.
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
