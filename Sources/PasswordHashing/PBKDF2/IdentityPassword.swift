/// An ASP.NET Identity hash in Base64. Version 2 has a zero byte, a salt of 16 bytes and a digest of 32 bytes, with
/// 1000 rounds of SHA-1. Version 3 has a byte 1, then the function, the rounds and the size of the salt in four
/// bytes each, then the salt and a digest of 32 bytes or, with a custom setting, 64 bytes.
struct IdentityPassword: StoredPassword {
    let scheme = PasswordScheme.pbkdf2
    private let hash: PBKDF2Hash

    init?(_ text: String) {
        guard let bytes = HashEncoding.base64(text), let hash = Self.read(bytes) else {
            return nil
        }
        self.hash = hash
    }

    private init(hash: PBKDF2Hash) { self.hash = hash }

    var isAffordable: Bool { hash.isAffordable }
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool { try hash.matches(password) }
    var dummyHash: IdentityPassword { IdentityPassword(hash: hash.dummyHash) }

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
