/// The values of the setting `scheme`, which selects the hash formats of a subscriber table.
enum SchemeName: String, CaseIterable, Sendable {
    case auto
    case crypt
    case bcrypt
    case argon2
    case scrypt
    case yescrypt
    case sha256Crypt = "sha256-crypt"
    case sha512Crypt = "sha512-crypt"
    case md5Crypt = "md5-crypt"
    case apr1
    case des
    case pbkdf2
    case passlib
    case django
    case aspnet
    case phpass
    case wordpress
    case drupal
    case joomla
    case ldap
    case vbulletin
    case magento
    case mysql
    case mysqlOld = "mysql-old"

    var forms: PasswordFormats {
        PasswordFormats(list)
    }

    private var list: [PasswordFormat] {
        switch self {
        case .auto: [{ PasswordFormats.selfDescribing.read($0) }]
        case .crypt: [{ CryptPassword($0.value) }, { DESPassword($0.value) }]
        case .bcrypt: [Self.crypt([.bcrypt2a, .bcrypt2b, .bcrypt2x, .bcrypt2y])]
        case .argon2: [{ Argon2Password($0.value) }]
        case .scrypt: [Self.crypt([.scrypt]), { PasslibScrypt($0.value) }, { DjangoScrypt($0.value) }]
        case .yescrypt: [Self.crypt([.yescrypt, .gostYescrypt])]
        case .sha256Crypt: [Self.crypt([.sha256])]
        case .sha512Crypt: [Self.crypt([.sha512])]
        case .md5Crypt: [Self.crypt([.md5])]
        case .apr1: [{ APRPassword($0.value) }]
        case .des: [{ DESPassword($0.value) }]
        case .pbkdf2: [{ DjangoPBKDF2($0.value) }, { PasslibPBKDF2($0.value) }]
        case .passlib:
            [
                { CryptPassword($0.value) }, { APRPassword($0.value) }, { Argon2Password($0.value) },
                { PasslibScrypt($0.value) }, { PasslibPBKDF2($0.value) }, { PHPassPassword($0.value) },
                { LDAPPassword($0.value) }, { WrappedPassword(ldap: $0.value) },
            ]
        case .django:
            [
                { DjangoPBKDF2($0.value) }, { WrappedPassword(django: $0.value) }, { DjangoScrypt($0.value) },
                KnownTemplates.djangoMD5, KnownTemplates.djangoSHA1,
            ]
        case .aspnet: [{ IdentityPassword($0.value) }]
        case .phpass: [{ PHPassPassword($0.value) }]
        case .wordpress:
            [
                { WrappedPassword(wordPress: $0.value) }, { PHPassPassword($0.value) },
                Self.crypt([.bcrypt2y, .bcrypt2b, .bcrypt2a]), KnownTemplates.md5,
            ]
        case .drupal: [{ DrupalPassword($0.value) }, { WrappedPassword(drupalUpgrade: $0.value) }, KnownTemplates.md5]
        case .joomla:
            [
                Self.crypt([.bcrypt2y, .bcrypt2b, .bcrypt2a]), { PHPassPassword($0.value) },
                { Argon2Password($0.value) }, KnownTemplates.joomla,
            ]
        case .ldap:
            [
                { LDAPPassword($0.value) }, { WrappedPassword(ldap: $0.value) }, { PasslibPBKDF2($0.value) },
            ]
        case .vbulletin: [KnownTemplates.vBulletin, Self.crypt([.bcrypt2y])]
        case .magento: [{ MagentoPassword($0.value) }, KnownTemplates.magentoMD5, KnownTemplates.magentoSHA256]
        case .mysql: [KnownTemplates.mysql]
        case .mysqlOld: [{ MySQLOldPassword($0.value) }]
        }
    }

    /// A typical stored value of such a table. It determines the work for an unknown reader until the first known
    /// reader signs in. Nil if no format is typical.
    var typical: String? {
        let bcrypt = "$2y$10$" + String(repeating: ".", count: 53)
        let zeros = { (count: Int) in String(repeating: "0", count: count) }
        return switch self {
        case .auto, .passlib, .yescrypt: nil
        case .crypt, .sha512Crypt: "$6$saltsaltsaltsalt$" + String(repeating: ".", count: 86)
        case .bcrypt: bcrypt
        case .argon2: "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$" + String(repeating: "A", count: 43)
        case .scrypt: "$scrypt$ln=16,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$" + String(repeating: "A", count: 43)
        case .sha256Crypt: "$5$saltsaltsaltsalt$" + String(repeating: ".", count: 43)
        case .md5Crypt: "$1$saltsalt$" + String(repeating: ".", count: 22)
        case .apr1: "$apr1$saltsalt$" + String(repeating: ".", count: 22)
        case .des: String(repeating: ".", count: 13)
        case .pbkdf2, .django: "pbkdf2_sha256$1000000$saltsaltsaltsalt$" + String(repeating: "A", count: 43) + "="
        case .aspnet: "AQAAAAEAACcQAAAAE" + String(repeating: "A", count: 65) + "=="
        case .phpass: "$P$Bsaltsalt" + String(repeating: ".", count: 22)
        case .wordpress: "$wp" + bcrypt
        case .drupal: "$S$Dsaltsalt" + String(repeating: ".", count: 43)
        case .joomla: bcrypt
        case .ldap: "{SSHA}" + String(repeating: "A", count: 38) + "=="
        case .vbulletin: zeros(32)
        case .magento: zeros(64) + ":saltsaltsaltsalt:1"
        case .mysql: "*" + zeros(40)
        case .mysqlOld: zeros(16)
        }
    }

    private static func crypt(_ schemes: Set<PasswordScheme>) -> PasswordFormat {
        { proof in CryptPassword(proof.value).flatMap { schemes.contains($0.scheme) ? $0 : nil } }
    }
}
