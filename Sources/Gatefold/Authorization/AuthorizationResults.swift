/// The result of a sign-in or a renewal.
public enum SignInResult: Sendable, Equatable {
    /// - Parameters:
    ///   - feedPassword: The `global_auth_password`, if the publication issues it.
    ///   - notes: The debug notes for the app's developer.
    case signedIn(token: String, feedPassword: String?, notes: [String])
    case rejected(SignInRejection)
}

/// The reason why a sign-in was rejected, as reported to the app.
public struct SignInRejection: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// Unknown reader or wrong credentials; the app cannot distinguish the two.
        case rejected
        /// Too many wrong attempts. The wait is in whole seconds.
        case throttled(retryAfter: Int)
        case tooManyDevices
        /// No device in the request, although the publication requires one.
        case deviceRequired
    }

    public let reason: Reason
    public let message: String?

    public init(reason: Reason, message: String?) {
        self.reason = reason
        self.message = message
    }
}

/// The result of a verification: the subscription under the publication's policy.
public struct VerificationResult: Sendable, Equatable {
    public let subscription: Subscription
    /// The debug notes for the app's developer. They contain no secret and no personal data.
    public let notes: [String]

    public init(subscription: Subscription, notes: [String]) {
        self.subscription = subscription
        self.notes = notes
    }
}

/// The result of a request for edition credentials.
public enum CredentialsResult: Sendable, Equatable {
    case granted(EditionCredentials, headers: [EdgeHeader], notes: [String])
    case rejected(CredentialsRejection, notes: [String])
}

/// The error for a query that no backend or store could process. It is never a rejection: the app retains its last
/// known good state.
public struct Unavailable: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, for logs and metrics.
    public let reason: RefusalReason
    /// The number of whole seconds after which a retry may succeed.
    public let retryAfter: Int
    /// The cause of the failure, for the log. It contains no secret and no reader input.
    public let cause: String

    public init(_ reason: RefusalReason, retryAfter: Int, cause: String) {
        self.reason = reason
        self.retryAfter = retryAfter
        self.cause = cause
    }

    public var description: String { "unavailable: \(cause)" }
}
