import Primitives

/// A crypt(3) hash with a prefix (crypt(5)).
///
/// The DES format of 13 letters without a prefix is excluded, see ``DESPassword``.
struct CryptPassword: StoredPassword {
    let scheme: PasswordScheme
    /// The setting, followed by the digest.
    private let text: String

    private static let prefixes: [(String, PasswordScheme)] = [
        ("$y$", .yescrypt), ("$gy$", .gostYescrypt), ("$7$", .scrypt), ("$2b$", .bcrypt2b), ("$2a$", .bcrypt2a),
        ("$2y$", .bcrypt2y), ("$2x$", .bcrypt2x), ("$6$", .sha512), ("$5$", .sha256), ("$sha1$", .sha1),
        ("$md5", .sunMD5), ("$1$", .md5),
    ]

    /// Parses a whole hash. Returns nil for an unknown prefix, a letter that no hash contains, or a length other
    /// than the scheme's.
    init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= 383, bytes.allSatisfy(Self.isLetter),
            let scheme = Self.prefixes.first(where: { bytes.starts(with: $0.0.utf8) })?.1,
            let letters = bytes.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).last?.count
        else { return nil }
        let isComplete =
            switch scheme {
            case .bcrypt2a, .bcrypt2b, .bcrypt2y, .bcrypt2x: bytes.count == 60 && letters == 53
            default: letters == Self.digestSize(scheme)
            }
        guard isComplete else { return nil }
        self.scheme = scheme
        self.text = text
    }

    private init(scheme: PasswordScheme, text: String) {
        self.scheme = scheme
        self.text = text
    }

    var isAffordable: Bool { CryptCost.isAffordable(scheme, text) }

    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        isEqualInConstantTime(try CryptFunction.hash(password, setting: text).utf8, text.utf8)
    }

    var dummyHash: CryptPassword {
        let size = Self.digestSize(scheme)
        return CryptPassword(scheme: scheme, text: text.dropLast(size) + String(repeating: ".", count: size))
    }

    /// Returns the length of the digest in letters.
    private static func digestSize(_ scheme: PasswordScheme) -> Int {
        switch scheme {
        case .bcrypt2a, .bcrypt2b, .bcrypt2y, .bcrypt2x: 31
        case .sha512: 86
        case .sha1: 28
        case .sunMD5, .md5: 22
        default: 43
        }
    }

    /// Returns whether a letter is printable ASCII that crypt(5) permits in hashes.
    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "\\"): false
        default: (0x21...0x7E).contains(byte)
        }
    }
}
