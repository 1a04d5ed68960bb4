import Primitives

/// A hash in the format of the Argon2 reference implementation, `$argon2id$v=19$m=65536,t=3,p=4$salt$digest`. Also
/// accepts argon2i, argon2d, and hashes of the first version, which have no version field.
struct Argon2Password: StoredPassword {
    let scheme = PasswordScheme.argon2
    private let parameters: Argon2Parameters
    private let salt: [UInt8]
    private let digest: [UInt8]

    init?(_ text: String) {
        var parts = HashEncoding.parts(text)[...]
        guard parts.popFirst() == "", let variant = parts.popFirst().flatMap(Argon2Function.Variant.init) else {
            return nil
        }
        var version = 16
        if parts.count == 4 {
            guard let written = parts.popFirst(), written.hasPrefix("v="),
                let number = HashEncoding.number(written.dropFirst(2))
            else { return nil }
            version = number
        }
        guard parts.count == 3, let costs = parts.popFirst()?.split(separator: ",", omittingEmptySubsequences: false),
            costs.count == 3, let memory = Self.number(costs[0], "m="), let passes = Self.number(costs[1], "t="),
            let lanes = Self.number(costs[2], "p="),
            let salt = parts.popFirst().flatMap({ HashEncoding.unpaddedBase64($0) }), (8...256).contains(salt.count),
            let digest = parts.popFirst().flatMap({ HashEncoding.unpaddedBase64($0) }), (8...256).contains(digest.count)
        else { return nil }
        parameters = Argon2Parameters(variant: variant, version: version, memory: memory, passes: passes, lanes: lanes)
        guard parameters.isValid else { return nil }
        self.salt = salt
        self.digest = digest
    }

    private init(parameters: Argon2Parameters, salt: [UInt8], digest: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.digest = digest
    }

    var isAffordable: Bool { parameters.isAffordable }

    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        let computed = try Argon2Function.load().hash(password, salt: salt, parameters, size: digest.count)
        return isEqualInConstantTime(computed, digest)
    }

    var dummyHash: Argon2Password {
        Argon2Password(parameters: parameters, salt: salt, digest: Array(repeating: 0, count: digest.count))
    }

    private static func number(_ text: Substring, _ prefix: String) -> Int? {
        text.hasPrefix(prefix) ? HashEncoding.number(text.dropFirst(prefix.count)) : nil
    }
}
