package import Gatefold
package import JSON

/// A signed text in the compact form of RFC 7515: three segments of base64url, taken apart and not yet believed.
package struct CompactJWS: Sendable, Equatable {
    package let header: JSONValue
    package let payload: JSONValue
    /// What the signature is about: the first two segments with the dot between them, byte for byte (section 5.2).
    package let signed: [UInt8]
    package let signature: [UInt8]

    /// In bytes. Apple's own are of some five thousand, a notification with two others in it of some twenty thousand.
    package static let longest = 128 << 10

    /// - Throws: ``ReceiptRefusal/Reason/malformed`` unless there are exactly three segments, each the one encoding of its
    ///   bytes, and header and payload are one JSON object each.
    package init(_ text: some StringProtocol) throws(ReceiptRefusal) {
        let bytes = text.utf8
        guard bytes.count <= Self.longest else { throw ReceiptRefusal(.malformed) }
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3,
            let header = Base64URL.decode(segments[0]), let payload = Base64URL.decode(segments[1]),
            let signature = Base64URL.decode(segments[2])
        else { throw ReceiptRefusal(.malformed) }
        self.header = try Self.object(header)
        self.payload = try Self.object(payload)
        self.signature = signature
        signed = Array(segments[0].utf8) + [UInt8(ascii: ".")] + Array(segments[1].utf8)
    }

    private static func object(_ bytes: [UInt8]) throws(ReceiptRefusal) -> JSONValue {
        guard let value = try? JSONParser.parse(bytes), case .object = value else { throw ReceiptRefusal(.malformed) }
        return value
    }
}
