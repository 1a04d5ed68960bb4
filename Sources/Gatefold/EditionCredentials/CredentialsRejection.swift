/// The reason why edition credentials were denied, as reported to the app.
public struct CredentialsRejection: Sendable, Equatable {
    /// The `status` values of a denial.
    ///
    /// Source: Pugpig protocol, “Status values of refused credentials”.
    public enum Reason: String, Sendable, CaseIterable {
        case rejected = "notrecognised"
        case notEntitled = "notentitled"
        case expired
    }

    /// The reason. It is nil only for the test backend, whose user `credserror` gets an error without a status.
    public let reason: Reason?
    public let message: String?
    /// The number of whole seconds after which a retry may succeed. It is set if the backend was unavailable.
    public let retryAfter: Int?

    public init(reason: Reason?, message: String?, retryAfter: Int? = nil) {
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
    }
}
