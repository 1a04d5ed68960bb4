public import Foundation

/// The session that a token represents.
public struct Session: Sendable, Equatable {
    public let publication: PublicationID
    public let subscriber: Subscriber
    /// The device that the app named at sign-in, if any.
    public let device: DevicePseudonym?
    public let reference: SessionPseudonym
    /// The sign-in time in whole seconds. Renewals do not change it. It is also the session's generation: a
    /// revocation ends the sessions issued before it.
    public let issuedAt: Date
    /// The expiry in whole seconds. The token is valid until this time, exclusive.
    public let expiresAt: Date

    public init(
        publication: PublicationID, subscriber: Subscriber, device: DevicePseudonym?, reference: SessionPseudonym,
        issuedAt: Date, expiresAt: Date
    ) {
        self.publication = publication
        self.subscriber = subscriber
        self.device = device
        self.reference = reference
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
