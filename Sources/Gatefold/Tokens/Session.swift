public import Foundation

/// What a token stands for.
public struct Session: Sendable, Equatable {
    public let publication: PublicationID
    public let subscriber: Subscriber
    /// The device the app named at sign-in, where it named one.
    public let device: DeviceReference?
    public let reference: SessionReference
    /// When the reader signed in, in whole seconds; renewals keep it. Also the session's generation: a revocation ends the
    /// sessions issued before it.
    public let issuedAt: Date
    /// Whole seconds; the token is good until this moment, not at it.
    public let expiresAt: Date

    public init(
        publication: PublicationID, subscriber: Subscriber, device: DeviceReference?, reference: SessionReference,
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
