package import Foundation

/// A store of the e-mail messages that wait for the mail server.
///
/// Several processes may take messages from it. One of them at a time has a message, until its lease ends.
package protocol MailOutbox: Sendable {
    /// Stores a message that is due at once.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of waiting messages.
    ///   - timestamp: The current time.
    /// - Returns: False if as many messages wait already.
    func enqueue(_ mail: QueuedMail, limit: Int, at timestamp: Date) async throws -> Bool

    /// Claims the messages that have been due longest, for one attempt of each. The attempts are recorded before they are
    /// made. A message is due again when its lease ends, even if the process crashed.
    ///
    /// - Parameters:
    ///   - count: The maximum number of messages.
    ///   - lease: The unique identifier of the attempts.
    ///   - timestamp: The current time.
    ///   - end: The time at which the lease ends.
    func claimMail(_ count: Int, lease: [UInt8], at timestamp: Date, until end: Date) async throws -> [MailClaim]

    /// Records that an attempt failed, and that the message is due again at a time. The call changes nothing if another
    /// process has the message now.
    func postponeMail(_ id: QueuedMail.ID, lease: [UInt8], at timestamp: Date, until next: Date) async throws

    /// Deletes a message that was sent or that is not sent any more, also if another process has it now.
    func removeMail(_ id: QueuedMail.ID) async throws

    /// Returns the number of messages that wait or are being sent.
    func waitingMail() async throws -> Int
}

/// An e-mail message as an outbox stores it.
package struct QueuedMail: Sendable, Equatable {
    /// The random bytes in the header `Message-ID`, which is therefore the same with each attempt.
    package typealias ID = [UInt8]

    package let id: ID
    /// The recipient and the message, sealed with the secret of the state.
    package let content: [UInt8]
    /// The reader whose erasure deletes the message, or nil for none.
    package let owner: PurchaseOwner?
    /// The time from which on the message is not sent any more.
    package let expiresAt: Date

    package init(id: ID, content: [UInt8], owner: PurchaseOwner?, expiresAt: Date) {
        self.id = id
        self.content = content
        self.owner = owner
        self.expiresAt = expiresAt
    }
}

/// A message that a process has claimed for an attempt.
package struct MailClaim: Sendable, Equatable {
    package let id: QueuedMail.ID
    package let content: [UInt8]
    package let expiresAt: Date
    package let lease: [UInt8]
    /// The number of attempts, this one included.
    package let attempts: Int
    /// A Boolean value that indicates whether the former attempt has no recorded outcome, because its process crashed or
    /// could not reach the store. The mail server may have accepted the message.
    package let isOutcomeUnknown: Bool

    package init(
        id: QueuedMail.ID, content: [UInt8], expiresAt: Date, lease: [UInt8], attempts: Int, isOutcomeUnknown: Bool
    ) {
        self.id = id
        self.content = content
        self.expiresAt = expiresAt
        self.lease = lease
        self.attempts = attempts
        self.isOutcomeUnknown = isOutcomeUnknown
    }
}
