package import Gatefold

/// An event of e-mail messages, for logs and metrics. It holds no address and no text.
package enum MailEvent: Sendable, Equatable {
    /// The mail server accepted a message.
    case sent
    /// A message was not accepted into the queue.
    case rejected(MailRejected)
    /// A message could not be sent and will be retried.
    case postponed(cause: String)
    /// The former attempt of a message has no recorded outcome.
    case outcomeUnknown
    /// A message expired before it was sent.
    case expired
    /// The queue in the state could not be used. New messages wait in memory meanwhile.
    case outboxFailed(cause: String)
    /// A message will not be sent.
    case failed(cause: String)
    /// The number of messages that wait in the state and in the memory of this process.
    case waiting(Int)
}

extension MailEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .sent: .mail("sent")
        case .rejected(.full): .mail("rejected_full").log(.error, "E-mail not queued: the queue is full")
        case .rejected(let reason): .mail("rejected_\(reason.rawValue)")
        case .postponed(let cause):
            .mail("postponed").log(.warning, "E-mail not sent, will be retried", ["cause": cause])
        case .outcomeUnknown:
            .mail("unknown").log(.warning, "E-mail may have been sent already, is attempted again or given up")
        case .expired: .mail("expired").log(.warning, "E-mail expired before it was sent")
        case .outboxFailed(let cause):
            .mail("outbox_failed").log(.error, "E-mail queue of the state not available", ["cause": cause])
        case .failed(let cause): .mail("failed").log(.error, "E-mail not sent", ["cause": cause])
        case .waiting(let count): .gauge("gatefold_mail_waiting", [:], count)
        }
    }
}

extension EventReport {
    fileprivate static func mail(_ result: String) -> EventReport {
        .counter("gatefold_mail_total", ["result": result])
    }
}
