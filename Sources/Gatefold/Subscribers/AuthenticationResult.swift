/// A backend's result for credentials.
public enum AuthenticationResult: Sendable, Equatable {
    case authenticated(Subscriber)
    /// The user is unknown or the proof is wrong. Both have the same result, so that it does not reveal which users
    /// exist.
    ///
    /// - Parameters:
    ///   - message: The message shown instead of the publication's own. It must not depend on whether the user
    ///     exists.
    ///   - found: The subscribers for whom the proofs were wrong, for the login throttle.
    case rejected(message: String?, found: FoundSubscribers = FoundSubscribers())
}

/// The subscribers that a backend found for rejected credentials.
///
/// They are not part of the result, so any two values are equal: a rejection is the same whether or not a
/// subscriber was found. The description is redacted for the same reason.
public struct FoundSubscribers: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    public let all: [Subscriber]

    public init(_ all: [Subscriber] = []) {
        self.all = all
    }

    public static func == (one: FoundSubscribers, other: FoundSubscribers) -> Bool { true }

    public var description: String { "FoundSubscribers(redacted)" }
    public var debugDescription: String { description }
}
