import ContentGate
import Gatefold
import Logging
import Metrics

/// Turns what the gate decided into metrics and log lines, these by the logger of the request it was decided for.
enum GateEventReporter {
    private struct Decision: Hashable {
        let carrier: GateEvent.Carrier
        let publication: String
        let result: String
    }

    private static let counters = CounterShelf<Decision> { decision in
        Counter(
            label: "gatefold_gate_decisions_total",
            dimensions: [
                ("carrier", decision.carrier.rawValue), ("publication", decision.publication),
                ("result", decision.result),
            ])
    }

    static func report(_ event: GateEvent) {
        switch event.decision {
        case .allowed(let content):
            count(event, content.publication.rawValue, "allowed_\(content.reason.rawValue)")
            let logger = Logger.current
            guard logger.logLevel <= .debug else { return }
            var fields: Logger.Metadata = [
                "publication": "\(content.publication)", "reason": "\(content.reason.rawValue)",
            ]
            if let edition = content.edition { fields["edition"] = "\(edition)" }
            if let subscriber = content.subscriber { fields["subscriber"] = "\(subscriber)" }
            logger.debug("content allowed", metadata: fields)
        case .refused(let refusal):
            count(event, refusal.publication?.rawValue ?? "none", "\(refusal.reason)")
            var fields: Logger.Metadata = ["reason": "\(refusal.reason)"]
            if let publication = refusal.publication { fields["publication"] = "\(publication)" }
            if let edition = refusal.edition { fields["edition"] = "\(edition)" }
            if let subscriber = refusal.subscriber { fields["subscriber"] = "\(subscriber)" }
            Logger.current.info("content refused", metadata: fields)
        }
    }

    private static func count(_ event: GateEvent, _ publication: String, _ result: String) {
        counters[Decision(carrier: event.carrier, publication: publication, result: result)].increment()
    }
}
