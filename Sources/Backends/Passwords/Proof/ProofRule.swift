import Foundation
import Gatefold
import Settings

/// How a stored proof is compared with what the reader typed, by a backend's `proof` settings.
///
/// A backend keeps one for life and asks it for known and unknown readers alike: it learns from the known ones what the
/// unknown ones must cost.
struct ProofRule: Sendable {
    private enum Comparison: String, CaseIterable {
        case password, name, code, exact
    }

    private enum Rule {
        case password(PasswordProof)
        case folded(NameFolding)
        case exact(trims: Bool)
    }

    /// The credentials' field, such as `password` or `surname`.
    let field: String
    private let rule: Rule

    /// Reads `field` (`password` unless said), `compare`, and the settings of that comparison.
    init(_ section: SettingsSection) throws(SettingsError) {
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

    /// Compares, with the same work whoever asks (PITFALLS row 6).
    ///
    /// - Parameter stored: nil for somebody unknown, who must cost what a known one does.
    /// - Throws: ``PasswordError`` when the stored value can not be read, or too many wait.
    func check(
        _ credentials: Credentials, against stored: StoredProof?, with verifier: PasswordVerifier
    ) async throws -> PasswordVerdict {
        guard let typed = credentials[field] else { return .wrong }
        switch rule {
        case .password(let proof):
            return try await proof.check(typed, of: credentials.identifier, against: stored, with: verifier)
        case .folded(let folding):
            return Self.compare(folding.fold(typed), folding.fold(stored?.value ?? Self.nobody), stored)
        case .exact(let trims):
            return Self.compare(Self.trimmed(typed, trims), Self.trimmed(stored?.value ?? Self.nobody, trims), stored)
        }
    }

    /// Stands for the name of somebody unknown.
    private static let nobody = "Nobody-Nemo"

    /// What is empty matches nothing, itself included (PITFALLS row 14).
    private static func compare(_ typed: String, _ kept: String, _ stored: StoredProof?) -> PasswordVerdict {
        let isSame = isEqualInConstantTime(Array(typed.utf8), Array(kept.utf8))
        return isSame && !typed.isEmpty && stored != nil ? .right(betterHash: nil) : .wrong
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
