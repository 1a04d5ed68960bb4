/// The forms of stored password hashes, told apart by their prefix (crypt(5)).
///
/// The plain DES form of 13 letters is not among them: it looks at eight letters of a password and can be searched whole.
public enum PasswordScheme: String, Sendable, CaseIterable {
    case yescrypt = "$y$"
    case gostYescrypt = "$gy$"
    case scrypt = "$7$"
    case bcrypt2b = "$2b$"
    case bcrypt2a = "$2a$"
    case bcrypt2y = "$2y$"
    case sha512 = "$6$"
    case sha256 = "$5$"
    case sha1 = "$sha1$"
    case sunMD5 = "$md5"
    case md5 = "$1$"
    /// Gatefold's own, see ``KeyedPassword``.
    case keyed = "$gfk1$"

    /// Recognises a whole stored hash; nil when it has another prefix, letters no hash has, or not the scheme's length.
    public init?(of hash: String) {
        let text = hash.utf8
        guard text.count <= 383, text.allSatisfy(Self.isLetter),
            let scheme = Self.allCases.first(where: { text.starts(with: $0.rawValue.utf8) })
        else { return nil }
        let digest =
            text.count
            - (text.lastIndex(of: UInt8(ascii: "$")).map {
                text.distance(from: text.startIndex, to: $0) + 1
            } ?? 0)
        let isWhole =
            switch scheme {
            case .yescrypt, .gostYescrypt, .scrypt, .sha256: digest == 43
            case .bcrypt2a, .bcrypt2b, .bcrypt2y: text.count == 60 && digest == 53
            case .sha512: digest == 86
            case .sha1: digest == 28
            case .sunMD5, .md5: digest == 22
            case .keyed: KeyedPassword(hash) != nil
            }
        guard isWhole else { return nil }
        self = scheme
    }

    /// Printable ASCII without the letters that crypt(5) keeps out of hashes.
    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "\\"): false
        default: (0x21...0x7E).contains(byte)
        }
    }
}
