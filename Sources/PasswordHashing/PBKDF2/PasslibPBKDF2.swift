/// A passlib hash, `$pbkdf2$`, `$pbkdf2-sha256$` or `$pbkdf2-sha512$`, or the same after the prefixes of OpenLDAP's
/// pw-pbkdf2 (`{PBKDF2-SHA256}`): `rounds$salt$digest` in adapted Base64.
struct PasslibPBKDF2: StoredPassword {
    let scheme = PasswordScheme.pbkdf2
    private let hash: PBKDF2Hash

    private static let prefixes: [(String, DigestFunction)] = [
        ("$pbkdf2$", .sha1), ("$pbkdf2-sha256$", .sha256), ("$pbkdf2-sha512$", .sha512),
        ("{PBKDF2}", .sha1), ("{PBKDF2-SHA1}", .sha1), ("{PBKDF2-SHA256}", .sha256), ("{PBKDF2-SHA512}", .sha512),
    ]

    init?(_ text: String) {
        guard let (prefix, function) = Self.prefixes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        let parts = HashEncoding.parts(text.dropFirst(prefix.count))
        guard parts.count == 3, let digest = HashEncoding.adaptedBase64(parts[2]), digest.count == function.size,
            let hash = PBKDF2Hash(
                function, iterations: HashEncoding.number(parts[0]), salt: HashEncoding.adaptedBase64(parts[1]),
                digest: digest)
        else { return nil }
        self.hash = hash
    }

    private init(hash: PBKDF2Hash) { self.hash = hash }

    var isAffordable: Bool { hash.isAffordable }
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool { try hash.matches(password) }
    var dummyHash: PasslibPBKDF2 { PasslibPBKDF2(hash: hash.dummyHash) }
}
