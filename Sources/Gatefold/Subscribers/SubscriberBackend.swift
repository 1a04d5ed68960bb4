/// An external system that authenticates subscribers.
///
/// Results are values. An error always means that the query failed. It never counts as a rejection.
public protocol SubscriberBackend: Sendable {
    /// The name of this backend in the configuration. It is part of every subscriber and every token.
    var name: String { get }

    /// Returns whether this backend handles subscribers of the named backend: its own, and those of the backends
    /// that it queries.
    func handles(_ backend: String) -> Bool

    /// Returns whether the backend accepts credentials of this type. Default: typed credentials only.
    ///
    /// A system without receipt support never receives receipts, and a store never receives typed credentials.
    func accepts(_ kind: Credentials.Kind) -> Bool

    /// Authenticates credentials and returns their subscriber.
    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> AuthenticationResult

    /// Returns the subscriber's current subscription. A subscriber that no longer exists has the state `unknown`.
    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Subscription

    /// Returns whether a reader whose token is to be renewed is still known, and the reader's current subscriber.
    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult

    /// Decides on a single edition. A nil result defers to the subscription and the publication's policy.
    ///
    /// Only publications with the policy ``EntitlementPolicy/backendDecides`` query it. It must grant the same
    /// editions that ``subscription(of:context:)`` lists.
    ///
    /// - Parameters:
    ///   - edition: The edition, or nil if the app named none.
    ///   - subscriber: The subscriber.
    ///   - context: The context of the call.
    func verdict(on edition: EditionID?, for subscriber: Subscriber, context: CallContext) async throws
        -> EditionVerdict?

    /// The request fields that influence the results of this backend, in addition to the subject.
    var varyingFields: Set<String> { get }

    /// Returns whether sign-in gives this subscriber the password of the feed, in a publication that issues it.
    func grantsFeed(to subscriber: Subscriber) -> Bool

    /// Ends the session that the backend opened at sign-in.
    func signOut(_ subscriber: Subscriber, context: CallContext) async throws

    /// The registry in which readers register and change their passwords, or nil if another system does that.
    var registry: (any SubscriberRegistry)? { get }

    /// Checks the backend and throws if it is unavailable.
    func health() async throws
}

extension SubscriberBackend {
    public func handles(_ backend: String) -> Bool { backend == name }

    public func accepts(_ kind: Credentials.Kind) -> Bool { kind == .typed }

    public func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        let subscription = try await subscription(of: subscriber, context: context)
        return subscription.state == .unknown ? .rejected(message: subscription.message) : .authenticated(subscriber)
    }

    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> EditionVerdict? { nil }

    public var varyingFields: Set<String> { [] }

    public func grantsFeed(to subscriber: Subscriber) -> Bool { true }

    public func signOut(_ subscriber: Subscriber, context: CallContext) async throws {}

    public var registry: (any SubscriberRegistry)? { nil }

    public func health() async throws {}
}

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

/// A backend's own decision on one edition.
public enum EditionVerdict: Sendable, Equatable {
    case granted
    case rejected(CredentialsRejection.Reason?, message: String?)
    /// Only these subscriptions decide, each under the publication's policy. The edition is granted if one of them
    /// opens it, and otherwise refused with this reason and message.
    ///
    /// A backend that queries several systems returns it if some systems refused and the others defer to their
    /// subscriptions. The subscription of a system that refused must not open the edition.
    case deferred([Subscription], otherwise: CredentialsRejection.Reason?, message: String?)
}
