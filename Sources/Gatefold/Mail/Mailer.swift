/// A queue that accepts e-mail messages and sends them later.
public protocol Mailer: Sendable {
    /// Enqueues a message and returns when it is stored, or at once if no store is available.
    ///
    /// The mailer sends the message later, with a few retries, and drops it if all attempts fail. Handlers must
    /// send a reader the same response, in the same time, whether a message was accepted or not. Otherwise the
    /// response reveals to strangers who is a reader.
    ///
    /// - Throws: ``MailRejected`` if the message will not be sent.
    func send(_ emailMessage: EmailMessage) async throws(MailRejected)
}

/// The reason that a message was not accepted.
public enum MailRejected: String, Error, Sendable, Equatable, CaseIterable, CustomStringConvertible {
    /// The queue is full.
    case full
    /// The recipient is not a valid address.
    case address
    case tooLong = "too_long"
    /// The server is stopping.
    case stopped

    public var description: String {
        switch self {
        case .full: "the e-mail queue is full"
        case .address: "expected an address such as ada@example.com"
        case .tooLong: "expected a shorter e-mail message"
        case .stopped: "the mail queue is shut down"
        }
    }
}
