import Gatefold
import Logging
import Mail
import Metrics

/// Turns what became of letters into metrics and log lines, which name nobody.
enum MailEventReporter {
    static func report(_ event: MailEvent, to logger: Logger) {
        switch event {
        case .sent: count("sent")
        case .refused(let reason):
            count("refused_\(reason.rawValue)")
            if reason == .full { logger.error("letter not taken: too many wait") }
        case .postponed(let cause):
            count("postponed")
            logger.warning("letter not sent yet", metadata: ["cause": "\(cause)"])
        case .failed(let cause):
            count("failed")
            logger.error("letter not sent", metadata: ["cause": "\(cause)"])
        case .waiting(let waiting): Gauge(label: "gatefold_mail_waiting").record(waiting)
        }
    }

    private static func count(_ result: String) {
        Counter(label: "gatefold_mail_total", dimensions: [("result", result)]).increment()
    }
}
