import Crypto
public import Primitives

/// The historic password formula: the lower-case hexadecimal SHA-1 of `edition:salt:secret`. Source: Edition
/// credentials and the content gate, “Password formula”.
///
/// Gatefold uses it because every existing verifier computes it. The weakness of SHA-1 is acceptable because only
/// Gatefold chooses the salts.
public enum EditionPassword {
    /// The length of a password, in bytes.
    public static let length = 40

    /// Returns the password of an edition.
    public static func make(edition: EditionID, salt: String, secret: Secret) -> String {
        digest(edition.rawValue, salt, secret)
    }

    /// Returns the password of the feed: the same formula with an empty edition and the token as the salt.
    public static func makeForFeed(token: String, secret: Secret) -> String {
        digest("", token, secret)
    }

    private static func digest(_ edition: String, _ salt: String, _ secret: Secret) -> String {
        var hash = Insecure.SHA1()
        var front: [UInt8] = []
        front.reserveCapacity(edition.utf8.count + salt.utf8.count + 2)
        front += edition.utf8
        front.append(UInt8(ascii: ":"))
        front += salt.utf8
        front.append(UInt8(ascii: ":"))
        front.withUnsafeBytes { hash.update(bufferPointer: $0) }
        secret.bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return Hexadecimal.encode(hash.finalize())
    }

    /// Returns whether the text has the format of a password: 40 lower-case hexadecimal digits.
    public static func isWellFormed(_ password: String) -> Bool {
        password.utf8.count == length
            && password.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
