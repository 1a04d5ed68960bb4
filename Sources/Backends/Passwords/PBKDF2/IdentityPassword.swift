/// ASP.NET Identity's hashes in Base64: version 2 (a zero byte, salt of 16, digest of 32; 1000 rounds of SHA-1) and version 3
/// (a one, the function, the rounds and the salt's size in four bytes each, then the salt and a digest of 32 or, if somebody chose so,
/// 64 bytes).
struct IdentityPassword: StoredPassword {
    let scheme = PasswordScheme.pbkdf2
    private let hash: PBKDF2Hash

    init?(_ text: String) {
        guard let bytes = StoredText.base64(text), let hash = Self.read(bytes) else {
            return nil
        }
        self.hash = hash
    }

    private init(hash: PBKDF2Hash) { self.hash = hash }

    var isAffordable: Bool { hash.isAffordable }
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool { try hash.matches(password) }
    var decoy: IdentityPassword { IdentityPassword(hash: hash.decoy) }

    private static func read(_ bytes: [UInt8]) -> PBKDF2Hash? {
        if bytes.count == 49, bytes[0] == 0 {
            return PBKDF2Hash(.sha1, iterations: 1000, salt: Array(bytes[1..<17]), digest: Array(bytes[17...]))
        }
        guard bytes.count > 13, bytes[0] == 1 else { return nil }
        func number(_ start: Int) -> Int { bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) } }
        let functions: [DigestFunction] = [.sha1, .sha256, .sha512]
        let saltEnd = 13 + number(9)
        guard functions.indices.contains(number(1)), (16...256).contains(number(9)),
            [32, 64].contains(bytes.count - saltEnd)
        else {
            return nil
        }
        return PBKDF2Hash(
            functions[number(1)], iterations: number(5), salt: Array(bytes[13..<saltEnd]),
            digest: Array(bytes[saltEnd...]))
    }
}
