package import Gatefold

/// What became of letters, for logs and metrics. Holds no address and no text.
package enum MailEvent: Sendable, Equatable {
    /// The mail server has one.
    case sent
    /// One was not taken in.
    case refused(MailRefused)
    /// One could not be handed over, and will be tried again.
    case postponed(cause: String)
    /// One will not be sent.
    case failed(cause: String)
    /// So many wait.
    case waiting(Int)
}
