public import Foundation

/// The subscriber and session that a salt is issued for.
public struct SaltSubject: Sendable, Equatable {
    public let subscriber: SubscriberPseudonym
    public let session: SessionPseudonym
    /// The issue time of the session.
    public let issuedAt: Date

    public init(subscriber: SubscriberPseudonym, session: SessionPseudonym, issuedAt: Date) {
        self.subscriber = subscriber
        self.session = session
        self.issuedAt = issuedAt
    }
}
