import ContentGate
import Gatefold
import Logging
import Metrics

/// The reporter that converts decisions of the gate into metrics and log lines. It uses the logger of the request.
enum GateEventReporter {
    private struct Decision: Hashable {
        let entryPoint: GateEvent.EntryPoint
        let publication: PublicationID?
        let result: Result
    }

    /// The result of a decision. Its label text is made once per counter.
    private enum Result: Hashable {
        case allowed(AllowedContent.Reason)
        case denied(GateDenial.Reason)

        var resultLabel: String {
            switch self {
            case .allowed(let reason): "allowed_\(reason.rawValue)"
            case .denied(let reason): "\(reason)"
            }
        }
    }

    private static let counters = CounterCache<Decision> { decision in
        Counter(
            label: "gatefold_gate_decisions_total",
            dimensions: [
                ("entry_point", decision.entryPoint.rawValue),
                ("publication", decision.publication?.rawValue ?? "none"),
                ("result", decision.result.resultLabel),
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
            logger.debug("Content allowed", metadata: fields)
        case .denied(let denial):
            count(event, denial.publication, .denied(denial.reason))
            var fields: Logger.Metadata = ["reason": "\(denial.reason)"]
            if let publication = denial.publication { fields["publication"] = "\(publication)" }
            if let edition = denial.edition { fields["edition"] = "\(edition)" }
            if let subscriber = denial.subscriber { fields["subscriber"] = "\(subscriber)" }
            Logger.current.info("Content denied", metadata: fields)
        }
    }

    private static func count(_ event: GateEvent, _ publication: PublicationID?, _ result: Result) {
        counters[Decision(entryPoint: event.entryPoint, publication: publication, result: result)].increment()
    }
}
