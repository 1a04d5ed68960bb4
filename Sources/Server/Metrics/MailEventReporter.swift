import Gatefold
import Logging
import Mail
import Metrics

/// The reporter that converts events of e-mail messages into metrics and log lines, which name no person.
enum MailEventReporter {
    static func report(_ event: MailEvent, to logger: Logger) {
        switch event {
        case .sent: count("sent")
        case .rejected(let reason):
            count("rejected_\(reason.rawValue)")
            if reason == .full { logger.error("E-mail not queued: the queue is full") }
        case .postponed(let cause):
            count("postponed")
            logger.warning("E-mail not sent, will be retried", metadata: ["cause": "\(cause)"])
        case .failed(let cause):
            count("failed")
            logger.error("E-mail not sent", metadata: ["cause": "\(cause)"])
        case .waiting(let waiting): Gauge(label: "gatefold_mail_waiting").record(waiting)
        }
    }

    private static func count(_ result: String) {
        Counter(label: "gatefold_mail_total", dimensions: [("result", result)]).increment()
    }
}
