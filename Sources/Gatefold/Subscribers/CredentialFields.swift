import Crypto
import Foundation

/// Which request fields a publication's readers sign in with, and which of them names the reader.
public struct CredentialFields: Sendable, Equatable {
    /// The field that says who the reader is, such as `email` or `subscriber`.
    public let identifier: String
    /// The fields that prove it, such as `password` or `surname`; empty where knowing the identifier is enough.
    public let proofs: [String]
    /// Those of the fields that may be missing or blank. Only the test backend, which has its own answer to a blank user
    /// name and asks one user in fifty for a password, has any.
    public let optional: Set<String>
    /// The fields in which an app may hand over a store's receipt in place of all these; empty where none is taken.
    public var receipts: Set<String>

    public init(identifier: String, proofs: [String], optional: Set<String> = [], receipts: Set<String> = []) {
        self.identifier = identifier
        self.proofs = proofs
        self.optional = optional
        self.receipts = receipts
    }

    /// A field longer than this, in bytes, is nobody's.
    public static let longestField = 1024
    /// The same of a field with a part of a receipt.
    public static let longestReceipt = 64 << 10

    /// Takes the credentials out of a request's fields: what the reader typed where it is all there, else a receipt.
    ///
    /// Returns nil when one is missing, blank, too long or holds a control character: such a request is refused before
    /// any backend is asked, because to some an empty password is an anonymous bind that succeeds (PITFALLS row 14). So is
    /// an identifier in which the app left a variable of its template.
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
            guard value.utf8.count <= Self.longestField,
                !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
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
            value.utf8.count <= Self.longestReceipt
                // Base64 may come in lines.
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
            identifier: Hexadecimal.encode(Array(digest.finalize())), fields: taken, form: .receipt)
    }

    /// Whether two identifiers may be one to a subscriber system that folds accents, width and what can not be seen, as
    /// databases do by default.
    static func isLike(_ one: String, _ other: String) -> Bool {
        func skeleton(_ identifier: String) -> String {
            let letters = fold(identifier).decomposedStringWithCompatibilityMapping.unicodeScalars.filter { scalar in
                !scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isWhitespace
                    && ![.nonspacingMark, .enclosingMark, .control].contains(scalar.properties.generalCategory)
            }
            return fold(String(String.UnicodeScalarView(letters)))
        }
        return skeleton(one) == skeleton(other)
    }

    /// The form in which identifiers are compared: without surrounding white space, in NFC, in lower case.
    public static func fold(_ identifier: String) -> String {
        identifier.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping.lowercased()
    }
}
