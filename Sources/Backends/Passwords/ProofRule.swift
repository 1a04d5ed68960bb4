import Foundation
import Gatefold
import Settings

/// What a subscriber system has stored for a reader's proof: a hash, a plain text or a name, with its salt where that is
/// kept apart.
struct StoredProof: Sendable, Equatable {
    var value: String
    var salt: String?

    init(value: String, salt: String? = nil) {
        self.value = value
        self.salt = salt
    }
}

/// How a stored proof is compared with what the reader typed, by a backend's `proof` settings.
struct ProofRule: Sendable {
    private enum Comparison: String, CaseIterable {
        case password
    }

    /// The credentials' field, such as `password` or `surname`.
    let field: String

    /// Reads `field` (`password` unless said) and `compare`.
    init(_ section: SettingsSection) throws(SettingsError) {
        field = try section.string("field", default: "password")
        let _: Comparison = try section.choice("compare", default: .password)
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
        return try await verifier.check(typed, against: stored?.value)
    }
}
