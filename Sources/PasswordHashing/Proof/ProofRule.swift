import Foundation
package import Gatefold
import Primitives
package import Settings

/// The comparison of a stored proof with the value that the reader typed, configured by the `proof` settings of a
/// backend.
///
/// A backend holds one instance for its lifetime and uses it for known and unknown readers, because the instance
/// learns from known readers the cost for unknown ones.
package struct ProofRule: Sendable {
    private enum Comparison: String, CaseIterable {
        case password, name, code, exact
    }

    private enum Rule {
        case password(PasswordProof)
        case folded(NameFolding)
        case exact(trims: Bool)
    }

    /// The name of the credential field, such as `password` or `surname`.
    package let field: String
    private let rule: Rule

    /// Reads `field` (default: `password`), `compare`, and the settings of that comparison.
    package init(_ section: SettingsSection) throws(SettingsError) {
        field = try section.string("field", default: "password")
        switch try section.choice("compare", default: Comparison.password) {
        case .password: rule = .password(try PasswordProof(section))
        case .name: rule = .folded(NameFolding(ignoring: try Self.ignored(section)))
        case .code: rule = .folded(.code)
        case .exact:
            guard field != "password" else {
                throw section.error(
                    "compare",
                    expected: "expected `password`, with `plain: true` where passwords are stored as they are")
            }
            rule = .exact(trims: try section.boolean("trim", default: true))
        }
        try section.finish()
    }

    /// Compares the credentials with the stored proof. The work is the same for known and unknown readers.
    ///
    /// Source: Pitfall 6, “User enumeration”.
    ///
    /// - Parameter stored: The stored proof; nil for an unknown reader, whose check must cost the same as that of a
    ///   known one.
    /// - Throws: ``PasswordError`` if the stored value is unreadable or the queue is full.
    package func check(
        _ credentials: Credentials, against stored: StoredProof?, with verifier: PasswordVerifier
    ) async throws -> PasswordVerdict {
        guard let typed = credentials[field] else { return .wrong }
        switch rule {
        case .password(let proof):
            return try await proof.check(typed, of: credentials.identifier, against: stored, with: verifier)
        case .folded(let folding):
            return Self.compare(folding.fold(typed), folding.fold(stored?.value ?? Self.placeholderName), stored)
        case .exact(let trims):
            return Self.compare(
                Self.trimmed(typed, trims), Self.trimmed(stored?.value ?? Self.placeholderName, trims), stored)
        }
    }

    /// A placeholder for the name of an unknown reader.
    private static let placeholderName = "Nobody-Nemo"

    /// Compares two values. An empty value matches nothing, not even another empty value.
    ///
    /// Source: Pitfall 14, “Empty passwords and blank fields that succeed”.
    private static func compare(_ typed: String, _ expected: String, _ stored: StoredProof?) -> PasswordVerdict {
        let isSame = isEqualInConstantTime(Array(typed.utf8), Array(expected.utf8))
        return isSame && !typed.isEmpty && stored != nil ? .right(upgradedHash: nil) : .wrong
    }

    private static func trimmed(_ text: String, _ trims: Bool) -> String {
        trims ? text.trimmingCharacters(in: .whitespacesAndNewlines) : text
    }

    private static func ignored(_ section: SettingsSection) throws(SettingsError) -> Set<NameFolding.Difference> {
        guard let words = try section.strings("ignore") else { return Set(NameFolding.Difference.allCases) }
        var ignored: Set<NameFolding.Difference> = []
        for word in words {
            guard let difference = NameFolding.Difference(rawValue: word) else {
                let all = NameFolding.Difference.allCases.map(\.rawValue).joined(separator: ", ")
                throw section.error("ignore", expected: "expected a list of \(all)")
            }
            ignored.insert(difference)
        }
        return ignored
    }
}
