package import Gatefold

/// An event of e-mail messages, for logs and metrics. It holds no address and no text.
package enum MailEvent: Sendable, Equatable {
    /// The mail server accepted a message.
    case sent
    /// A message was not accepted into the queue.
    case rejected(MailRejected)
    /// A message could not be sent and will be retried.
    case postponed(cause: String)
    /// A message will not be sent.
    case failed(cause: String)
    /// The number of waiting messages changed.
    case waiting(Int)
}
