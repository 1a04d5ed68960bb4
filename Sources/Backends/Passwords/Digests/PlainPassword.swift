import Crypto
import Gatefold

/// A password stored as it is. Only where the configuration says `plain: true`.
///
/// Both sides are digested before they are compared, so that not even the length shows.
struct PlainPassword: StoredPassword {
    let scheme = PasswordScheme.plain
    let isAffordable = true
    /// Nil for a decoy.
    private let text: [UInt8]?

    /// - Parameter bytes: not empty.
    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        text = bytes
    }

    private init() { text = nil }

    func matches(_ password: [UInt8]) -> Bool {
        let isSame = isEqualInConstantTime(Array(SHA256.hash(data: password)), Array(SHA256.hash(data: text ?? [])))
        return isSame && text != nil && !password.isEmpty
    }

    var decoy: PlainPassword { PlainPassword() }
}
