/// Which passwords readers may choose.
public struct PasswordRule: Sendable, Equatable {
    /// In characters, at least one.
    public var shortest: Int
    /// In bytes: a credentials' field has no more.
    public static let longest = CredentialFields.longestField

    public init(shortest: Int = 8) {
        self.shortest = max(1, shortest)
    }

    /// Length is all that is asked for (NIST SP 800-63B section 3.1.1.2), and that it can be typed again: no control characters,
    /// not white space alone, no longer than a credentials' field.
    public func accepts(_ password: String) -> Bool {
        password.utf8.count <= Self.longest && password.count >= shortest
            && !password.allSatisfy(\.isWhitespace)
            && !password.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
