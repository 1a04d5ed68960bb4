package import Primitives

/// An action to append to the audit log.
package struct AuditRecord: Sendable, Hashable {
    /// The size of ``id`` in bytes.
    package static let idSize = 16

    /// A random identifier. A second append with the same identifier has no effect, so that a call whose outcome is
    /// unknown can be repeated.
    package let id: [UInt8]
    package let actor: AuditActor
    package let action: AuditAction
    package var publication: PublicationID?
    package var subject: AuditSubject?
    package var reason: AuditReason?
    package var details: AuditDetails

    package init(
        _ action: AuditAction, by actor: AuditActor, of subject: AuditSubject? = nil,
        in publication: PublicationID? = nil, reason: AuditReason? = nil, details: AuditDetails = .none,
        random: RandomSource = .system
    ) {
        id = random.bytes(Self.idSize)
        self.actor = actor
        self.action = action
        self.publication = publication
        self.subject = subject
        self.reason = reason
        self.details = details
    }
}
