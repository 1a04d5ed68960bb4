import Foundation
import Primitives

/// A hash format that contains another one, after a prefix or after a first digest of the password.
struct WrappedPassword: StoredPassword {
    let scheme: PasswordScheme
    private let inner: any StoredPassword
    private let preHash: PreHash

    /// The transformation of the password before the inner format checks it.
    private enum PreHash { case none, hexMD5, hexSHA256, wordPress }

    /// Parses Django's `bcrypt_sha256$$2b$…`, `bcrypt$$2b$…` and `argon2$argon2id$…`.
    init?(django text: String) {
        if text.hasPrefix("bcrypt_sha256$"), let inner = Self.bcrypt(text.dropFirst(14)) {
            self.init(.djangoBcrypt, inner, .hexSHA256)
        } else if text.hasPrefix("bcrypt$"), let inner = Self.bcrypt(text.dropFirst(7)) {
            self.init(.djangoBcrypt, inner, .none)
        } else if text.hasPrefix("argon2$"), let inner = Argon2Password(String(text.dropFirst(6))) {
            self.init(.djangoArgon2, inner, .none)
        } else {
            return nil
        }
    }

    /// Parses WordPress 6.8's `$wp$2y$…`: bcrypt of a keyed SHA-384 in Base64, because bcrypt uses only 72 bytes.
    init?(wordPress text: String) {
        guard text.hasPrefix("$wp$"), let inner = Self.bcrypt(text.dropFirst(3)) else { return nil }
        self.init(.wordPress, inner, .wordPress)
    }

    /// Parses Drupal's `U$S$…`: a plain MD5 from before Drupal 7 that was hashed again.
    init?(drupalUpgrade text: String) {
        if text.hasPrefix("U$S$"), let inner = DrupalPassword(String(text.dropFirst(1))) {
            self.init(.drupal, inner, .hexMD5)
        } else if text.hasPrefix("U$P$") || text.hasPrefix("U$H$"),
            let inner = PHPassPassword(String(text.dropFirst(1)))
        {
            self.init(.drupal, inner, .hexMD5)
        } else {
            return nil
        }
    }

    /// Parses `{CRYPT}` with any crypt(3) hash, OpenLDAP's `{ARGON2}`, and Dovecot's names for the same formats.
    init?(ldap text: String) {
        guard let (name, rest) = LDAPPassword.parts(text) else { return nil }
        let inner: (any StoredPassword)? =
            switch name {
            case "CRYPT": CryptPassword(rest) ?? DESPassword(rest)
            case "BLF-CRYPT", "SHA256-CRYPT", "SHA512-CRYPT", "MD5-CRYPT": CryptPassword(rest)
            case "DES-CRYPT": DESPassword(rest)
            case "ARGON2", "ARGON2I", "ARGON2ID": Argon2Password(rest)
            default: nil
            }
        guard let inner else { return nil }
        self.init(.ldapCrypt, inner, .none)
    }

    private init(_ scheme: PasswordScheme, _ inner: any StoredPassword, _ preHash: PreHash) {
        self.scheme = scheme
        self.inner = inner
        self.preHash = preHash
    }

    var isAffordable: Bool { inner.isAffordable }

    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        let prepared =
            switch preHash {
            case .none: password
            case .hexMD5: Hexadecimal.digits(DigestFunction.md5.digest(password))
            case .hexSHA256: Hexadecimal.digits(DigestFunction.sha256.digest(password))
            case .wordPress:
                Array(
                    Data(
                        DigestFunction.sha384.authenticationCode(
                            Self.trimmed(password), key: Array("wp-sha384".utf8))
                    ).base64EncodedString().utf8)
            }
        return try inner.matches(prepared)
    }

    var dummyHash: WrappedPassword { WrappedPassword(scheme, inner.dummyHash, preHash) }

    private static func bcrypt(_ text: Substring) -> CryptPassword? {
        CryptPassword(String(text)).flatMap {
            [.bcrypt2a, .bcrypt2b, .bcrypt2y, .bcrypt2x].contains($0.scheme) ? $0 : nil
        }
    }

    /// Trims bytes like PHP's `trim`, which WordPress calls before it hashes.
    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0B, 0x0D, 0x00].contains($0) }
        return Array(bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
