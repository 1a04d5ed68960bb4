/// A new account.
public struct AccountRegistration: Sendable {
    public var fullName: String
    public var email: String
    public var password: String
    /// What the merchant's registration fields hold, by their names.
    public var metadata: [String: String]

    public init(fullName: String, email: String, password: String, metadata: [String: String] = [:]) {
        self.fullName = fullName
        self.email = email
        self.password = password
        self.metadata = metadata
    }
}

/// What of an account is to change.
public struct AccountUpdate: Sendable {
    public var fullName: String
    /// Those that are named here; others stay.
    public var metadata: [String: String]
    /// As `YYYY-MM-DD`.
    public var dateOfBirth: String?

    public init(fullName: String, metadata: [String: String] = [:], dateOfBirth: String? = nil) {
        self.fullName = fullName
        self.metadata = metadata
        self.dateOfBirth = dateOfBirth
    }
}
