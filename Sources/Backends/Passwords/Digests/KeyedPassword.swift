import Crypto
import Foundation
import Gatefold

/// A password as an HMAC-SHA256 under a secret pepper and a salt of its own: `$gfk1$salt$digest`, both in URL-safe Base64.
///
/// It exists because a million plain passwords can not be hashed slowly in an hour. It is safe only while the pepper is
/// secret: who has both the table and the pepper can guess fast. The first successful sign-in replaces it by a slow hash.
struct KeyedPassword: Sendable, CustomStringConvertible {
    static let saltSize = 16
    private let salt: [UInt8]
    private let digest: [UInt8]

    /// - Parameter salt: exactly ``saltSize`` random bytes, so that salt and password can not run into each other.
    init(_ password: [UInt8], pepper: Secret, salt: [UInt8]) {
        self.salt = salt
        digest = Self.digest(password, pepper: pepper, salt: salt)
    }

    /// Reads the stored form; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[1] == "gfk1",
            let salt = Base64URL.decode(parts[2]), salt.count == Self.saltSize,
            let digest = Base64URL.decode(parts[3]), digest.count == SHA256.byteCount
        else { return nil }
        self.salt = salt
        self.digest = digest
    }

    func matches(_ password: [UInt8], pepper: Secret) -> Bool {
        isEqualInConstantTime(Self.digest(password, pepper: pepper, salt: salt), digest)
    }

    var description: String { "$gfk1$\(Base64URL.encode(salt))$\(Base64URL.encode(digest))" }

    private static func digest(_ password: [UInt8], pepper: Secret, salt: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: salt + password, using: SymmetricKey(data: pepper.bytes)))
    }
}
