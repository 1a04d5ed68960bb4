import Primitives

/// A hash of Apache's variant of md5-crypt, `$apr1$salt$digest`, as written by htpasswd.
struct APRPassword: StoredPassword {
    let scheme = PasswordScheme.apr1
    let isAffordable = true
    private let salt: [UInt8]
    private let digest: [UInt8]

    init?(_ text: String) {
        let parts = HashEncoding.parts(text)
        guard parts.count == 4, parts[0].isEmpty, parts[1] == "apr1", parts[2].utf8.count <= 8, !parts[2].isEmpty,
            parts[3].utf8.count == 22, Crypt64.isAll(parts[3].utf8)
        else { return nil }
        salt = Array(parts[2].utf8)
        digest = Array(parts[3].utf8)
    }

    private init(salt: [UInt8], digest: [UInt8]) {
        self.salt = salt
        self.digest = digest
    }

    func matches(_ password: [UInt8]) -> Bool {
        isEqualInConstantTime(Self.encode(Self.hash(password, salt: salt)), digest)
    }

    var dummyHash: APRPassword { APRPassword(salt: salt, digest: Array(repeating: UInt8(ascii: "."), count: 22)) }

    private static func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
        let md5 = DigestFunction.md5
        let inner = md5.digest(password + salt + password)
        var text = password + Array("$apr1$".utf8) + salt
        for index in password.indices { text.append(inner[index % inner.count]) }
        var length = password.count
        while length > 0 {
            text.append(length & 1 != 0 ? 0 : password[0])
            length >>= 1
        }
        var digest = md5.digest(text)
        for round in 0..<1000 {
            var text = round & 1 != 0 ? password : digest
            if round % 3 != 0 { text += salt }
            if round % 7 != 0 { text += password }
            text += round & 1 != 0 ? digest : password
            digest = md5.digest(text)
        }
        return digest
    }

    private static func encode(_ digest: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for (high, middle, low) in [(0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5)] {
            let bits = Int(digest[high]) << 16 | Int(digest[middle]) << 8 | Int(digest[low])
            text += Crypt64.encode(bits, letters: 4)
        }
        return text + Crypt64.encode(Int(digest[11]), letters: 2)
    }
}
