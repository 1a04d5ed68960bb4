import Gatefold

/// The rule for passwords that readers may choose.
public struct PasswordRule: Sendable, Equatable {
    /// The minimum length in characters. Default: 8. Minimum: 1.
    public var minLength: Int
    /// The maximum length in bytes, which is the limit of a credential field.
    public static let maxLength = CredentialFields.maxFieldLength

    public init(minLength: Int = 8) {
        self.minLength = max(1, minLength)
    }

    /// Returns whether a password is acceptable. The only requirement on its strength is the length (NIST SP
    /// 800-63B section 3.1.1.2). It must also be possible to type it again: no control characters, not only white
    /// space, and no longer than a credential field.
    public func accepts(_ password: String) -> Bool {
        password.utf8.count <= Self.maxLength && password.count >= minLength
            && !password.allSatisfy(\.isWhitespace)
            && !password.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
