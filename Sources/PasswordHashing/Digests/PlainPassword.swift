import Crypto
import Primitives

/// A password stored as plain text. Used only if the configuration has `plain: true`.
///
/// Both sides are digested before the comparison, so that the comparison does not reveal the length.
struct PlainPassword: StoredPassword {
    let scheme = PasswordScheme.plain
    let isAffordable = true
    let isQuick = true
    /// The stored password; nil for a dummy.
    private let text: [UInt8]?

    /// - Parameter bytes: The stored password, which must not be empty.
    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        text = bytes
    }

    private init() { text = nil }

    func matches(_ password: [UInt8]) -> Bool {
        let isSame = isEqualInConstantTime(Array(SHA256.hash(data: password)), Array(SHA256.hash(data: text ?? [])))
        return isSame && text != nil && !password.isEmpty
    }

    var dummyHash: PlainPassword { PlainPassword() }
}
