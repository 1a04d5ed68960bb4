package import Commerce
package import JSON
import Primitives

/// A signed text in the compact format of RFC 7515: three segments of base64url, parsed and not yet verified.
package struct CompactJWS: Sendable, Equatable {
    package let header: JSONValue
    package let payload: JSONValue
    /// The signed bytes: the first two segments and the dot between them, byte for byte (section 5.2).
    package let signed: [UInt8]
    package let signature: [UInt8]

    /// The maximum length in bytes. Apple's have about 5000, and a notification with two nested JWS about 20 000.
    package static let maxLength = 128 << 10

    /// Parses a text.
    ///
    /// - Throws: ``ReceiptRejection/Reason/malformed`` unless there are exactly three segments in canonical
    ///   base64url, and header and payload are one JSON object each.
    package init(_ text: some StringProtocol) throws(ReceiptRejection) {
        let bytes = text.utf8
        guard bytes.count <= Self.maxLength else { throw ReceiptRejection(.malformed) }
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3,
            let header = Base64URL.decode(segments[0]), let payload = Base64URL.decode(segments[1]),
            let signature = Base64URL.decode(segments[2])
        else { throw ReceiptRejection(.malformed) }
        self.header = try Self.object(header)
        self.payload = try Self.object(payload)
        self.signature = signature
        signed = Array(segments[0].utf8) + [UInt8(ascii: ".")] + Array(segments[1].utf8)
    }

    private static func object(_ bytes: [UInt8]) throws(ReceiptRejection) -> JSONValue {
        guard let value = try? JSONParser.parse(bytes), case .object = value else { throw ReceiptRejection(.malformed) }
        return value
    }
}
