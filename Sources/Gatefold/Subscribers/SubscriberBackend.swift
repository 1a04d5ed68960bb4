/// An outside system that recognises people.
///
/// Answers are values. A thrown error always means "could not be asked", and is never taken for a refusal.
public protocol SubscriberBackend: Sendable {
    /// The name this backend has in the configuration; it is part of every subscriber and every token.
    var name: String { get }

    /// Whether subscribers of the backend with this name are asked about here: its own, and those of the backends it asks.
    func answersFor(_ backend: String) -> Bool

    /// Whether it is asked about credentials of this form: what a reader typed unless it says otherwise.
    ///
    /// A system that does not read receipts is never shown one, and a store never what a reader typed.
    func reads(_ form: Credentials.Form) -> Bool

    /// Says whose credentials these are.
    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition

    /// Tells the subscriber's present subscription. Someone it no longer knows has the state `unknown`.
    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription

    /// Says whether a reader whose token is to be renewed is still known, and as whom.
    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition

    /// Decides on one edition by itself; nil leaves the decision to the subscription and the publication's policy.
    ///
    /// Only a publication with the policy ``EntitlementPolicy/backendDecides`` asks for it. What it grants, and what
    /// ``subscription(of:inquiry:)`` lists, must be the same editions.
    ///
    /// - Parameter edition: nil when the app named none.
    func verdict(on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry) async throws -> EditionVerdict?

    /// The subscription where it is known without asking anybody, and as good as asked: nil where it is not.
    func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>?

    /// The same of ``verdict(on:for:inquiry:)``.
    func rememberedVerdict(
        on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
    ) -> Remembered<RememberedVerdict>?

    /// The fields of a request that its answers depend on, beside what they are about.
    var decidingFields: Set<String> { get }

    /// Whether sign-in hands this subscriber the password of the feed, in a publication that issues it.
    func grantsFeed(to subscriber: Subscriber) -> Bool

    /// Ends whatever the backend opened at sign-in.
    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws

    /// Where readers register and change their passwords by themselves; nil where that is done elsewhere.
    var registry: (any SubscriberRegistry)? { get }

    /// Throws when the backend can not be asked at present.
    func health() async throws
}

extension SubscriberBackend {
    public func answersFor(_ backend: String) -> Bool { backend == name }

    public func reads(_ form: Credentials.Form) -> Bool { form == .typed }

    public func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        let subscription = try await subscription(of: subscriber, inquiry: inquiry)
        return subscription.state == .unknown ? .notRecognised(message: subscription.message) : .recognised(subscriber)
    }

    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? { nil }

    public func rememberedSubscription(
        of subscriber: Subscriber, inquiry: Inquiry
    ) -> Remembered<Subscription>? { nil }

    public func rememberedVerdict(
        on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
    ) -> Remembered<RememberedVerdict>? { nil }

    public var decidingFields: Set<String> { [] }

    public func grantsFeed(to subscriber: Subscriber) -> Bool { true }

    public func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {}

    public var registry: (any SubscriberRegistry)? { nil }

    public func health() async throws {}
}

/// A backend's answer to credentials.
public enum Recognition: Sendable, Equatable {
    case recognised(Subscriber)
    /// Unknown or wrong: the two are one answer, so that nobody learns which users exist.
    ///
    /// - Parameters:
    ///   - message: shown in place of the publication's own; must not depend on whether the user exists.
    ///   - found: at whom the proofs were wrong, for counting guesses.
    case notRecognised(message: String?, found: FoundSubscribers = FoundSubscribers())
}

/// The subscribers whom a backend found for credentials that it did not accept.
///
/// It is no part of what is answered, so any two are equal: a refusal is the same whether or not somebody was found. It has no
/// description of its own for the same reason.
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
    case refused(CredentialsRefusal.Reason?, message: String?)
    /// These subscriptions alone decide, each under the publication's policy: granted if one of them opens the edition,
    /// else refused like this.
    ///
    /// Of a backend that asks several systems, where some refused and the rest leave it to their subscriptions: what a
    /// system that refused says of its subscription must not open what it refused.
    case leftTo([Subscription], otherwise: CredentialsRefusal.Reason?, message: String?)
}

/// What a backend said about an edition a while ago, as good as if it said it now.
public enum RememberedVerdict: Sendable, Equatable {
    case verdict(EditionVerdict)
    /// It leaves it to the subscription.
    case none
}
