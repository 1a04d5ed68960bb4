import Crypto
import Foundation
import Primitives

/// The request fields with which readers of a publication sign in.
public struct CredentialFields: Sendable, Equatable {
    /// The field that identifies the reader, such as `email` or `subscriber`.
    public let identifier: String
    /// The fields that prove the identity, such as `password` or `surname`. Empty if the identifier alone is
    /// enough.
    public let proofs: [String]
    /// The fields that may be missing or blank.
    ///
    /// Only the test backend has such fields: it has its own result for a blank user name, and requires a password
    /// from one user in fifty.
    public let optional: Set<String>
    /// The fields in which an app may send a store receipt instead. Empty if no receipts are accepted.
    public var receipts: Set<String>

    public init(identifier: String, proofs: [String], optional: Set<String> = [], receipts: Set<String> = []) {
        self.identifier = identifier
        self.proofs = proofs
        self.optional = optional
        self.receipts = receipts
    }

    /// The maximum length of a field, in bytes.
    public static let maxFieldLength = 1024
    /// The maximum length of a field with a part of a receipt, in bytes: 64 KiB.
    public static let maxReceiptLength = 64 << 10

    /// Returns the credentials in a request's fields: the typed credentials if they are complete, or else a
    /// receipt.
    ///
    /// The result is nil if a field is missing, blank or too long, or contains a control character. Gatefold
    /// rejects such a request before any backend is queried, because some backends treat an empty password as an
    /// anonymous bind that succeeds. Source: Pitfall 14, “Empty passwords and blank fields that succeed”. The
    /// result is also nil if the identifier contains a variable of the app's template.
    public func credentials(from fields: [String: String]) -> Credentials? {
        typed(in: fields) ?? receipt(in: fields)
    }

    private func typed(in fields: [String: String]) -> Credentials? {
        var taken: [String: String] = [:]
        for name in [identifier] + proofs {
            guard let value = fields[name], !value.allSatisfy(\.isWhitespace) else {
                if optional.contains(name) { continue }
                return nil
            }
            guard value.utf8.count <= Self.maxFieldLength,
                !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else { return nil }
            if name == identifier, TemplateVariable.occurs(in: value) { return nil }
            taken[name] = value
        }
        return Credentials(
            identifier: Self.fold(taken[identifier] ?? ""), identifierField: identifier, fields: taken)
    }

    private func receipt(in fields: [String: String]) -> Credentials? {
        let taken = fields.filter { receipts.contains($0.key) && !$0.value.allSatisfy(\.isWhitespace) }
        let isSound = taken.values.allSatisfy { value in
            value.utf8.count <= Self.maxReceiptLength
                // Base64 may contain line breaks.
                && !value.unicodeScalars.contains {
                    ($0.value < 0x20 && !["\t", "\n", "\r"].contains($0)) || $0.value == 0x7F
                }
        }
        guard !taken.isEmpty, isSound else { return nil }
        var digest = SHA256()
        for (name, value) in taken.sorted(by: { $0.key < $1.key }) {
            digest.update(data: Data("\(name.utf8.count):\(name)\(value.utf8.count):\(value)".utf8))
        }
        return Credentials(
            identifier: Hexadecimal.encode(Array(digest.finalize())), fields: taken, kind: .receipt)
    }

    /// Returns whether two identifiers may be the same to a subscriber system that ignores accents, width and
    /// invisible characters, as databases do by default.
    package static func isSameIdentifier(_ one: String, _ other: String) -> Bool {
        func skeleton(_ identifier: String) -> String {
            let letters = fold(identifier).decomposedStringWithCompatibilityMapping.unicodeScalars.filter { scalar in
                !scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isWhitespace
                    && ![.nonspacingMark, .enclosingMark, .control].contains(scalar.properties.generalCategory)
            }
            return fold(String(String.UnicodeScalarView(letters)))
        }
        return skeleton(one) == skeleton(other)
    }

    /// Returns the format in which identifiers are compared: without surrounding white space, in NFC, in lower
    /// case.
    public static func fold(_ identifier: String) -> String {
        guard identifier.utf8.allSatisfy({ $0 < 0x80 }) else {
            return identifier.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
                .lowercased()
        }
        // An ASCII text is in NFC, and its white space is one byte each.
        let start = identifier.utf8.drop(while: isASCIISpace)
        guard let end = start.lastIndex(where: { !isASCIISpace($0) }) else { return "" }
        return identifier[start.startIndex...end].lowercased()
    }

    private static func isASCIISpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
    }
}
