/// A new account.
public struct AccountRegistration: Sendable {
    public var fullName: String
    public var email: String
    public var password: String
    /// The values of the merchant's registration fields, by field name.
    public var metadata: [String: String]

    public init(fullName: String, email: String, password: String, metadata: [String: String] = [:]) {
        self.fullName = fullName
        self.email = email
        self.password = password
        self.metadata = metadata
    }
}

/// A change to an account.
public struct AccountUpdate: Sendable {
    public var fullName: String
    /// The fields to change, by name. Other fields stay unchanged.
    public var metadata: [String: String]
    /// The date of birth as `YYYY-MM-DD`.
    public var dateOfBirth: String?

    public init(fullName: String, metadata: [String: String] = [:], dateOfBirth: String? = nil) {
        self.fullName = fullName
        self.metadata = metadata
        self.dateOfBirth = dateOfBirth
    }
}
