@testable import Backends
@testable import PasswordHashing

extension FuzzTarget {
    /// Two lines: a stored password of a subscriber table and its salt. The target does not compute hashes, because
    /// that is slow.
    static let storedPassword = FuzzTarget(
        "stored-password", upTo: 300, of: "SchemeName", "HashEncoding", "PasswordScheme", "PasswordFormats",
        "CryptPassword",
        "CryptCost", "APRPassword", "DESPassword", "Argon2Password", "KeyedPassword", "LDAPPassword", "MagentoPassword",
        "MySQLOldPassword", "PHPassPassword", "PlainPassword", "WrappedPassword", "DjangoPBKDF2", "IdentityPassword",
        "PasslibPBKDF2", "ScryptPassword"
    ) { bytes in
        let lines = lines(bytes, 2)
        let proof = StoredProof(value: lines[0], salt: lines[1].isEmpty ? nil : lines[1])
        for forms in schemes { _ = forms.read(proof)?.isAffordable }
        _ = PasswordScheme(of: lines[0])
    }

    /// Two lines: a publisher's password template and a stored password.
    static let passwordTemplate = FuzzTarget(
        "password-template", upTo: 200, of: "PasswordTemplate", "TemplateParser", "StoredPattern"
    ) { bytes in
        let lines = lines(bytes, 2)
        guard let template = try? PasswordTemplate(lines[0], secret: "k"),
            let proof = template.read(StoredProof(value: lines[1], salt: "zz"))
        else { return }
        _ = try? proof.matches(Array("x".utf8))
    }

    private static let schemes = SchemeName.allCases.map(\.forms)
}
