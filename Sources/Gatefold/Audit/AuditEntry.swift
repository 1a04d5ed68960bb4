package import Foundation

/// An entry of the audit log, as it is stored.
///
/// Its texts are not interpreted, because a verification reads entries of other releases and changed ones.
package struct AuditEntry: Sendable, Hashable {
    /// The number of the entry, from 1 without gaps.
    package var sequence: Int64
    /// The identifier of the record.
    package var id: [UInt8]
    /// The time by the store's clock, in milliseconds since 1970.
    package var milliseconds: Int64
    package var actorKind: String
    package var actor: String
    package var publication: String?
    package var action: String
    package var subject: String?
    package var reason: String?
    /// See ``AuditDetails/text``.
    package var details: String
    /// The hash of the entry before; ``AuditChain/start`` for the first entry.
    package var previous: [UInt8]
    package var hash: [UInt8]
    /// A Boolean value that indicates whether the stored bytes of a text are not UTF-8. The text of this entry then differs
    /// from the stored one, so that its hash shows nothing.
    package var hasInvalidText: Bool

    package init(
        sequence: Int64, id: [UInt8], milliseconds: Int64, actorKind: String, actor: String, publication: String?,
        action: String, subject: String?, reason: String?, details: String, previous: [UInt8], hash: [UInt8],
        hasInvalidText: Bool = false
    ) {
        self.sequence = sequence
        self.id = id
        self.milliseconds = milliseconds
        self.actorKind = actorKind
        self.actor = actor
        self.publication = publication
        self.action = action
        self.subject = subject
        self.reason = reason
        self.details = details
        self.previous = previous
        self.hash = hash
        self.hasInvalidText = hasInvalidText
    }

    package var time: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
    package var head: AuditHead { AuditHead(sequence: sequence, hash: hash) }
}
