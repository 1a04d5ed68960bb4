import Primitives

/// A hash in Magento 2's format `digest:salt:version`. Version 0 is MD5, 1 is SHA-256, 2 is Argon2id with fixed
/// costs, and `3_size_passes_bytes` is Argon2id with explicit costs. Several versions follow each other if old
/// hashes were hashed again: `digest:salt:0:2`.
struct MagentoPassword: StoredPassword {
    let scheme = PasswordScheme.magento
    private let digest: [UInt8]
    private let salt: [UInt8]
    private let steps: [Step]

    private enum Step {
        case digest(DigestFunction)
        case argon2(Argon2Parameters, size: Int)

        var size: Int {
            switch self {
            case .digest(let function): function.size
            case .argon2(_, let size): size
            }
        }
    }

    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...6).contains(parts.count), let digest = Hexadecimal.decode(parts[0]) else { return nil }
        var steps: [Step] = []
        for version in parts[2...] {
            guard let step = Self.step(version) else { return nil }
            steps.append(step)
        }
        salt = Array(parts[1].utf8)
        guard (1...128).contains(salt.count), let last = steps.last, last.size == digest.count else { return nil }
        self.digest = digest
        self.steps = steps
    }

    private init(dummyHash other: MagentoPassword) {
        digest = Array(repeating: 0, count: other.digest.count)
        salt = other.salt
        steps = other.steps
    }

    var isAffordable: Bool {
        steps.allSatisfy { step in
            if case .argon2(let parameters, _) = step { parameters.isAffordable } else { true }
        }
    }

    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        var text = password
        var computed: [UInt8] = []
        for step in steps {
            switch step {
            case .digest(let function): computed = function.digest(salt + text)
            case .argon2(let parameters, let size):
                let sixteen = (0..<16).map { salt[$0 % salt.count] }
                computed = try Argon2Function.load().hash(text, salt: sixteen, parameters, size: size)
            }
            text = Hexadecimal.digits(computed)
        }
        return isEqualInConstantTime(computed, digest)
    }

    var dummyHash: MagentoPassword { MagentoPassword(dummyHash: self) }

    private static func step(_ version: Substring) -> Step? {
        switch version {
        case "0": return .digest(.md5)
        case "1": return .digest(.sha256)
        // The "interactive" limits of libsodium.
        case "2": return argon2(size: 32, passes: 2, bytes: 64 << 20)
        default:
            let numbers: [Int?] = version.split(separator: "_", omittingEmptySubsequences: false).map { part in
                HashEncoding.number(part)
            }
            guard numbers.count == 4, numbers[0] == 3, let size = numbers[1], let passes = numbers[2],
                let bytes = numbers[3]
            else { return nil }
            return argon2(size: size, passes: passes, bytes: bytes)
        }
    }

    private static func argon2(size: Int, passes: Int, bytes: Int) -> Step? {
        let parameters = Argon2Parameters(
            variant: .argon2id, version: 19, memory: bytes / 1024, passes: passes, lanes: 1)
        guard parameters.isValid, (16...128).contains(size) else { return nil }
        return .argon2(parameters, size: size)
    }
}
