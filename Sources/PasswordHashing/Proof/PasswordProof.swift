import Foundation
import Primitives
import Settings

/// The check of a stored password, configured by the settings of a ``ProofRule``.
struct PasswordProof: Sendable {
    /// The character set in which an old system hashed the typed password.
    enum Encoding: String, CaseIterable, Sendable {
        case utf8 = "utf-8"
        case latin1
    }

    private let forms: PasswordFormats
    private let encoding: Encoding
    private let trims: Bool
    /// The dummy for an unknown reader until the first known reader signs in; nil to use a new hash in Gatefold's
    /// own format.
    private let initialDummy: (any StoredPassword)?
    private let dummyHashCache = DummyHashCache()

    /// Reads `scheme`, `template`, `stored`, `secret`, `plain`, `encoding`, `trim` and `example`.
    init(_ section: SettingsSection) throws(SettingsError) {
        let encoding = try section.choice("encoding", default: Encoding.utf8)
        let scheme = try section.choice("scheme", default: SchemeName.auto)
        let template = try Self.template(section)
        let plain = try section.boolean("plain", default: false)
        var others: [PasswordFormat] = []
        if let template { others.append { template.read($0) } }
        if plain {
            others.append { stored in
                // A hash of any format is never a plain password, even if `scheme` names other formats.
                guard !Self.isLocked(stored.value), PasswordScheme(of: stored.value) == nil else { return nil }
                return PlainPassword(Self.plain(stored.value, encoding))
            }
            section.warn(
                "plain", "passwords are compared as plain text: anyone who reads the table can sign in as any reader")
        }
        forms = scheme.forms.followed(by: others)
        self.encoding = encoding
        trims = try section.boolean("trim", default: false)
        if let example = try section.string("example") {
            let read = forms.read(StoredProof(value: example, salt: "saltsalt"))
            guard let read else {
                throw section.error("example", expected: "expected a stored value in a known format")
            }
            guard read.isAffordable else {
                throw section.error("example", expected: PasswordError.tooCostly.description)
            }
            initialDummy = read.dummyHash
        } else if let typical = scheme.typical {
            initialDummy = scheme.forms.read(StoredProof(value: typical, salt: "salt"))?.dummyHash
        } else {
            initialDummy = template?.typical ?? (plain ? PlainPassword([0x2D])?.dummyHash : nil)
        }
    }

    /// - Parameter stored: The stored proof; nil for an unknown reader, whose check costs the same as that of a
    ///   known one.
    func check(
        _ typed: String, of identifier: String, against stored: StoredProof?, with verifier: PasswordVerifier
    ) async throws -> PasswordVerdict {
        let known = try stored.flatMap { (stored) throws(PasswordError) in try read(stored) }
        let chosen = dummyHashCache.choose(for: identifier, known: known) ?? initialDummy ?? verifier.dummyHash
        let isCorrect = try await verifier.matches(bytes(typed), chosen)
        return isCorrect && known != nil ? .right(upgradedHash: nil) : .wrong
    }

    /// Parses a stored proof. Returns nil for a reader without a password or with a locked one: the sign-in fails,
    /// and it takes as long.
    private func read(_ stored: StoredProof) throws(PasswordError) -> (any StoredPassword)? {
        if stored.value.isEmpty { return nil }
        if let form = forms.read(stored) { return form }
        if Self.isLocked(stored.value) { return nil }
        throw .unreadableHash
    }

    /// Returns whether a stored value is locked. passwd, slapd and Django lock an account in this way. A value with
    /// such a prefix is not a plain password either.
    private static func isLocked(_ stored: String) -> Bool { stored.hasPrefix("!") || stored.hasPrefix("*") }

    /// Returns the typed password in the encoding of the old system; nil if no password can have this value.
    private func bytes(_ typed: String) -> [UInt8]? {
        let typed = trims ? typed.trimmingCharacters(in: .whitespacesAndNewlines) : typed
        let bytes: [UInt8]
        switch encoding {
        case .utf8: bytes = Array(typed.utf8)
        case .latin1:
            guard let latin1 = Self.latin1(typed) else { return nil }
            bytes = latin1
        }
        guard (1...PasswordHasher.maxPasswordLength).contains(bytes.count), !bytes.contains(0) else { return nil }
        return bytes
    }

    private static func plain(_ stored: String, _ encoding: Encoding) -> [UInt8] {
        switch encoding {
        case .utf8: Array(stored.utf8)
        case .latin1: latin1(stored) ?? []
        }
    }

    private static func latin1(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func template(_ section: SettingsSection) throws(SettingsError) -> PasswordTemplate? {
        let secret = try section.externalSecret("secret")
        let stored = try section.string("stored")
        guard let text = try section.string("template") else {
            for name in ["secret", "stored"] where section.has(name) {
                throw section.error(name, expected: "expected together with `template`")
            }
            return nil
        }
        do throws(TemplateError) {
            return try PasswordTemplate(text, stored: stored ?? "{hash}", secret: secret)
        } catch {
            throw section.error("template", expected: error.description)
        }
    }
}
