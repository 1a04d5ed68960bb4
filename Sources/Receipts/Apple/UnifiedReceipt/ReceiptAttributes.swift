import Foundation
import Primitives
import SwiftASN1

/// The attributes of a unified receipt, and of each purchase in it:
///
///     SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
///
/// A value is ASN.1 again, in a format that depends on its type. If a type has several values, the first is used.
///
/// Source: App Store protocol, “Unified receipts”.
struct ReceiptAttributes {
    private var values: [Int: [ArraySlice<UInt8>]] = [:]

    /// Parses the attributes.
    ///
    /// - Throws: An error if the bytes are not such a set in DER or BER.
    init(_ bytes: ArraySlice<UInt8>) throws {
        let set = try BER.parse(bytes)
        guard set.identifier == .set, case .constructed(let attributes) = set.content else {
            throw UnifiedReceiptError.malformed
        }
        for attribute in attributes {
            try BER.sequence(attribute, identifier: .sequence) { fields in
                let type = try Int(berEncoded: &fields)
                _ = try ArraySlice<UInt8>(berEncoded: &fields)
                let value = try ASN1OctetString(berEncoded: &fields)
                while fields.next() != nil {}
                values[type, default: []].append(value.bytes)
            }
        }
    }

    func all(_ type: Int) -> [ArraySlice<UInt8>] { values[type] ?? [] }

    /// Returns the text of a type, or nil if it is missing or empty.
    func text(_ type: Int) throws -> String? {
        guard let value = values[type]?.first else { return nil }
        let node = try BER.parse(value)
        let bytes: ArraySlice<UInt8>
        switch node.identifier {
        case .utf8String: bytes = try ASN1UTF8String(berEncoded: node).bytes
        case .ia5String: bytes = try ASN1IA5String(berEncoded: node).bytes
        default: throw UnifiedReceiptError.malformed
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw UnifiedReceiptError.malformed }
        return text.isEmpty ? nil : text
    }

    /// Returns the RFC 3339 date of a type, or nil if it is missing or empty.
    func date(_ type: Int) throws -> Date? {
        guard let text = try text(type) else { return nil }
        guard let date = CivilTime.date(text) else { throw UnifiedReceiptError.malformed }
        return date
    }

    func number(_ type: Int) throws -> Int? {
        guard let value = values[type]?.first else { return nil }
        return try Int(berEncoded: try BER.parse(value))
    }
}

enum UnifiedReceiptError: Error, Equatable {
    case malformed
    case tooManyPurchases
}
