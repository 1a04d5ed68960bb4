import ContentGate
import Gatefold
import Logging
import Metrics

/// Turns what the gate decided into metrics and log lines, these by the logger of the request it was decided for.
enum GateEventReporter {
    private struct Decision: Hashable {
        let carrier: GateEvent.Carrier
        let publication: PublicationID?
        let result: Result
    }

    /// Its words are made once a counter.
    private enum Result: Hashable {
        case allowed(AllowedContent.Reason)
        case refused(GateRefusal.Reason)

        var word: String {
            switch self {
            case .allowed(let reason): "allowed_\(reason.rawValue)"
            case .refused(let reason): "\(reason)"
            }
        }
    }

    private static let counters = CounterShelf<Decision> { decision in
        Counter(
            label: "gatefold_gate_decisions_total",
            dimensions: [
                ("carrier", decision.carrier.rawValue), ("publication", decision.publication?.rawValue ?? "none"),
                ("result", decision.result.word),
            ])
    }

    static func report(_ event: GateEvent) {
        switch event.decision {
        case .allowed(let content):
            count(event, content.publication, .allowed(content.reason))
            let logger = Logger.current
            guard logger.logLevel <= .debug else { return }
            var fields: Logger.Metadata = [
                "publication": "\(content.publication)", "reason": "\(content.reason.rawValue)",
            ]
            if let edition = content.edition { fields["edition"] = "\(edition)" }
            if let subscriber = content.subscriber { fields["subscriber"] = "\(subscriber)" }
            logger.debug("content allowed", metadata: fields)
        case .refused(let refusal):
            count(event, refusal.publication, .refused(refusal.reason))
            var fields: Logger.Metadata = ["reason": "\(refusal.reason)"]
            if let publication = refusal.publication { fields["publication"] = "\(publication)" }
            if let edition = refusal.edition { fields["edition"] = "\(edition)" }
            if let subscriber = refusal.subscriber { fields["subscriber"] = "\(subscriber)" }
            Logger.current.info("content refused", metadata: fields)
        }
    }

    private static func count(_ event: GateEvent, _ publication: PublicationID?, _ result: Result) {
        counters[Decision(carrier: event.carrier, publication: publication, result: result)].increment()
    }
}
