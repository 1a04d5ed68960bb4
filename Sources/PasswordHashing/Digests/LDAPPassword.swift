import Primitives

/// A hash in the `{SSHA}` family of formats (RFC 2307 and later additions of directories): the Base64 of a digest.
/// Names that begin with an S have the salt after the digest.
struct LDAPPassword: StoredPassword {
    let scheme = PasswordScheme.ldap
    let isAffordable = true
    let isQuick = true
    private let function: DigestFunction
    private let digest: [UInt8]
    private let salt: [UInt8]

    private static let names: [String: (DigestFunction, isSalted: Bool)] = [
        "MD5": (.md5, false), "SMD5": (.md5, true), "SHA": (.sha1, false), "SHA1": (.sha1, false),
        "SSHA": (.sha1, true),
        "SHA256": (.sha256, false), "SSHA256": (.sha256, true), "SHA384": (.sha384, false), "SSHA384": (.sha384, true),
        "SHA512": (.sha512, false), "SSHA512": (.sha512, true),
    ]

    init?(_ text: String) {
        guard let (name, rest) = Self.parts(text), let (function, isSalted) = Self.names[name],
            let bytes = HashEncoding.base64(rest)
        else { return nil }
        guard isSalted ? (1...64).contains(bytes.count - function.size) : bytes.count == function.size else {
            return nil
        }
        self.function = function
        digest = Array(bytes.prefix(function.size))
        salt = Array(bytes.dropFirst(function.size))
    }

    private init(dummyHash other: LDAPPassword) {
        function = other.function
        digest = Array(repeating: 0, count: other.digest.count)
        salt = other.salt
    }

    func matches(_ password: [UInt8]) -> Bool {
        isEqualInConstantTime(function.digest(password + salt), digest)
    }

    var dummyHash: LDAPPassword { LDAPPassword(dummyHash: self) }

    /// Splits the text into the name in upper case and the text after the braces.
    static func parts(_ text: String) -> (name: String, rest: String)? {
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: "{"), let end = bytes.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        return (text[bytes.index(after: bytes.startIndex)..<end].uppercased(), String(text[bytes.index(after: end)...]))
    }
}
