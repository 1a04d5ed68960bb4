package import Gatefold

/// A gate in operation, which uses the current ``Gate`` for each decision and reports each decision to an observer.
///
/// Every entry point of the gate into a server (``GateMiddleware``, ``AuthRequestEndpoint``, ``ContentResponder``)
/// holds a gate keeper.
public struct GateEvaluator: Sendable {
    private let current: @Sendable () -> Gate
    private let observer: @Sendable (GateEvent) -> Void

    /// - Parameters:
    ///   - gate: The gate.
    ///   - observer: Receives every decision on the request's own task. Must not block.
    public init(_ gate: Gate, observer: @escaping @Sendable (GateEvent) -> Void = { _ in }) {
        self.init(observer: observer, current: { gate })
    }

    /// - Parameters:
    ///   - observer: Receives every decision on the request's own task. Must not block.
    ///   - current: Returns the gate for each request, so that publications can change while the server runs.
    public init(
        observer: @escaping @Sendable (GateEvent) -> Void = { _ in }, current: @escaping @Sendable () -> Gate
    ) {
        self.observer = observer
        self.current = current
    }

    /// The current gate.
    public var gate: Gate { current() }

    /// Decides about a request and reports the decision to the observer.
    public func evaluate(_ request: GateRequest, for entryPoint: GateEvent.EntryPoint) -> GateDecision {
        let decision = current().evaluate(request)
        report(GateEvent(decision: decision, entryPoint: entryPoint))
        return decision
    }

    /// Reports an event to the observer.
    package func report(_ event: GateEvent) {
        observer(event)
    }

    func report(_ denial: GateDenial, by entryPoint: GateEvent.EntryPoint) {
        report(GateEvent(decision: .denied(denial), entryPoint: entryPoint))
    }
}

/// One decision, for logs and metrics. Contains no credentials and no address.
public struct GateEvent: Sendable, Equatable {
    public enum EntryPoint: String, Sendable {
        case middleware
        case authRequest = "auth_request"
        case fileServer = "file_server"
    }

    public let decision: GateDecision
    public let entryPoint: EntryPoint
}

extension GateEvent: ReportableEvent {
    package var report: EventReport {
        switch decision {
        case .allowed(let content):
            counter(content.publication, content.reason.label)
                .log(
                    .debug, "Content allowed",
                    [
                        "publication": content.publication, "reason": content.reason.rawValue,
                        "edition": content.edition, "subscriber": content.subscriber,
                    ])
        case .denied(let denial):
            // The refused call is logged; see ``GateDenial/refusal``. A missing file is found after the decision, which is
            // counted already.
            denial.reason == .fileMissing
                ? EventReport.none : counter(denial.publication, denial.reason.description)
        }
    }

    /// Most requests of readers are allowed.
    package var frequentCounter: FrequentCounter? {
        guard case .allowed(let content) = decision else { return nil }
        return FrequentCounter(
            10 * entryPoint.number + content.reason.number, of: content.publication,
            level: .debug)
    }

    private func counter(_ publication: PublicationID?, _ result: String) -> EventReport {
        .counter(
            "gatefold_gate_decisions_total",
            ["entry_point": entryPoint.rawValue, "publication": publication?.rawValue ?? "none", "result": result])
    }
}

extension GateEvent.EntryPoint {
    fileprivate var number: Int {
        switch self {
        case .middleware: 0
        case .authRequest: 1
        case .fileServer: 2
        }
    }
}

extension AllowedContent.Reason {
    fileprivate var number: Int {
        switch self {
        case .open: 0
        case .free: 1
        case .credentials: 2
        case .resumption: 3
        case .feed: 4
        }
    }

    /// The label value of the metric. A constant, because it is needed for each decision.
    fileprivate var label: String {
        switch self {
        case .open: "allowed_open"
        case .free: "allowed_free"
        case .credentials: "allowed_credentials"
        case .resumption: "allowed_resumption"
        case .feed: "allowed_feed"
        }
    }
}
