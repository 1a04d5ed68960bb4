/// The families of stored password hashes that the counters distinguish.
public enum PasswordScheme: String, Sendable, CaseIterable {
    // Computed by crypt(3).
    case yescrypt
    case gostYescrypt = "gost-yescrypt"
    case scrypt
    case bcrypt2b = "bcrypt-2b"
    case bcrypt2a = "bcrypt-2a"
    case bcrypt2y = "bcrypt-2y"
    case bcrypt2x = "bcrypt-2x"
    case sha512 = "sha512-crypt"
    case sha256 = "sha256-crypt"
    case sha1 = "sha1-crypt"
    case sunMD5 = "sun-md5"
    case md5 = "md5-crypt"
    case des
    case extendedDES = "extended-des"
    // Computed by Gatefold itself with swift-crypto and libargon2.
    case apr1
    case argon2
    case scryptKDF = "scrypt-kdf"
    case pbkdf2
    case phpass
    case drupal
    case wordPress = "wordpress"
    case djangoBcrypt = "django-bcrypt"
    case djangoArgon2 = "django-argon2"
    case ldap
    case ldapCrypt = "ldap-crypt"
    case magento
    case mysql
    case mysqlOld = "mysql-old"
    case template
    case plain
    /// Gatefold's own format, see `KeyedPassword`.
    case keyed

    /// Detects the scheme of a complete, self-describing stored hash; nil for any other text. Bare digests, the 13
    /// letters of DES and plain text are not self-describing.
    public init?(of hash: String) {
        if KeyedPassword(hash) != nil {
            self = .keyed
            return
        }
        guard let form = PasswordFormats.selfDescribing.read(StoredProof(value: hash)) else { return nil }
        self = form.scheme
    }
}
