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

    public init(identifier: String, proofs: [String], optional: Set<String> = []) {
        self.identifier = identifier
        self.proofs = proofs
        self.optional = optional
    }

    /// A field longer than this, in bytes, is nobody's.
    public static let longestField = 1024

    /// Takes the credentials out of a request's fields.
    ///
    /// Returns nil when one is missing, blank, too long or holds a control character: such a request is refused before
    /// any backend is asked, because to some an empty password is an anonymous bind that succeeds (PITFALLS row 14).
    public func credentials(from fields: [String: String]) -> Credentials? {
        var taken: [String: String] = [:]
        for name in [identifier] + proofs {
            guard let value = fields[name], !value.allSatisfy(\.isWhitespace) else {
                if optional.contains(name) { continue }
                return nil
            }
            guard value.utf8.count <= Self.longestField,
                !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { return nil }
            taken[name] = value
        }
        return Credentials(identifier: Self.fold(taken[identifier] ?? ""), fields: taken)
    }

    /// The form in which identifiers are compared: without surrounding white space, in NFC, in lower case.
    public static func fold(_ identifier: String) -> String {
        identifier.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping.lowercased()
    }
}
