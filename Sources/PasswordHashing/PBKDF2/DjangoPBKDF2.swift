/// A hash in Django's format `pbkdf2_sha256$1000000$salt$digest`, or the same with `pbkdf2_sha1`.
struct DjangoPBKDF2: StoredPassword {
    let scheme = PasswordScheme.pbkdf2
    private let hash: PBKDF2Hash

    init?(_ text: String) {
        let parts = HashEncoding.parts(text)
        guard parts.count == 4 else { return nil }
        let function: DigestFunction
        switch parts[0] {
        case "pbkdf2_sha256": function = .sha256
        case "pbkdf2_sha1": function = .sha1
        default: return nil
        }
        guard let digest = HashEncoding.base64(parts[3]), digest.count == function.size,
            let hash = PBKDF2Hash(
                function, iterations: HashEncoding.number(parts[1]), salt: Array(parts[2].utf8), digest: digest)
        else { return nil }
        self.hash = hash
    }

    private init(hash: PBKDF2Hash) { self.hash = hash }

    var isAffordable: Bool { hash.isAffordable }
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool { try hash.matches(password) }
    var dummyHash: DjangoPBKDF2 { DjangoPBKDF2(hash: hash.dummyHash) }
}
