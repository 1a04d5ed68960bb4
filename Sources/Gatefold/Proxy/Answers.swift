/// The answer to a sign-in or a renewal.
public enum SignInAnswer: Sendable, Equatable {
    /// - Parameter feedPassword: the `global_auth_password`, where the publication issues it.
    case signedIn(token: String, feedPassword: String?, comments: [String])
    case refused(SignInRefusal)
}

/// Why somebody was not signed in, as the app is told.
public struct SignInRefusal: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// Unknown and wrong are one.
        case notRecognised
        /// Too many wrong attempts; the time to wait is in whole seconds.
        case throttled(retryAfter: Int)
        case tooManyDevices
        /// The app named no device where the publication requires one.
        case deviceRequired
    }

    public let reason: Reason
    public let message: String?

    public init(reason: Reason, message: String?) {
        self.reason = reason
        self.message = message
    }
}

/// The answer to a verification: the subscription under the publication's policy.
public struct VerificationAnswer: Sendable, Equatable {
    public let subscription: Subscription
    public let comments: [String]

    public init(subscription: Subscription, comments: [String]) {
        self.subscription = subscription
        self.comments = comments
    }
}

/// The answer to a request for edition credentials.
public enum CredentialsAnswer: Sendable, Equatable {
    case granted(EditionCredentials, headers: [EdgeHeader], comments: [String])
    case refused(CredentialsRefusal, comments: [String])
}

/// Why no edition credentials were given, as the app is told.
public struct CredentialsRefusal: Sendable, Equatable {
    /// The `status` values of PROTOCOLS 1.2.
    public enum Reason: String, Sendable, CaseIterable {
        case notRecognised = "notrecognised"
        case notEntitled = "notentitled"
        case expired
    }

    /// Nil only from the test backend, whose `credserror` user has an error without a status.
    public let reason: Reason?
    public let message: String?
    /// Whole seconds after which asking again may help; set when the backend could not be asked.
    public let retryAfter: Int?

    public init(reason: Reason?, message: String?, retryAfter: Int? = nil) {
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
    }
}

/// The question could not be put to those who know the answer. Never a refusal: the app keeps its last known good state.
public struct Unavailable: Error, Sendable, Equatable, CustomStringConvertible {
    /// Whole seconds after which asking again may help.
    public let retryAfter: Int
    /// What failed, for the log; holds no secret and nothing a reader typed.
    public let cause: String

    public init(retryAfter: Int, cause: String) {
        self.retryAfter = retryAfter
        self.cause = cause
    }

    public var description: String { "could not be asked: \(cause)" }
}

/// An answer to be given byte for byte, thrown by the test backend to show an app what a broken server looks like.
public struct VerbatimAnswer: Error, Sendable, Equatable {
    /// The HTTP status.
    public let status: Int
    public let body: String

    public init(status: Int, body: String) {
        self.status = status
        self.body = body
    }
}
