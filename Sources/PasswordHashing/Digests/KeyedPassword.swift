import Crypto
import Foundation
import Primitives

/// A password stored as an HMAC-SHA256 under a secret pepper and a salt of its own: `$gfk1$salt$digest`, both in
/// URL-safe Base64.
///
/// The format exists because a million plain passwords cannot be hashed slowly within an hour. It is safe only as
/// long as the pepper is secret: an attacker with both the table and the pepper can test passwords fast. The first
/// successful sign-in replaces it by a slow hash.
struct KeyedPassword: Sendable, CustomStringConvertible {
    static let saltSize = 16
    private let salt: [UInt8]
    private let digest: [UInt8]

    /// - Parameter salt: Exactly ``saltSize`` random bytes, so that the boundary between salt and password is
    ///   unambiguous.
    init(_ password: [UInt8], pepper: Secret, salt: [UInt8]) {
        self.salt = salt
        digest = Self.digest(password, pepper: pepper, salt: salt)
    }

    /// Parses the stored format. Returns nil for any other text.
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
