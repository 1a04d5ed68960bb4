/// A gate at work: every decision by the gate of the moment, and every decision told to the observer.
///
/// What carries the gate into a server (``GateMiddleware``, ``AuthRequestEndpoint``, ``ContentResponder``) holds one of these.
public struct GateKeeper: Sendable {
    private let current: @Sendable () -> Gate
    private let observer: @Sendable (GateEvent) -> Void

    /// - Parameter observer: told every decision, on the request's own task; must not block.
    public init(_ gate: Gate, observer: @escaping @Sendable (GateEvent) -> Void = { _ in }) {
        self.init(observer: observer, current: { gate })
    }

    /// - Parameters:
    ///   - observer: told every decision, on the request's own task; must not block.
    ///   - current: asked for each request, so that publications can change while the server runs.
    public init(
        observer: @escaping @Sendable (GateEvent) -> Void = { _ in }, current: @escaping @Sendable () -> Gate
    ) {
        self.observer = observer
        self.current = current
    }

    /// The gate of the moment.
    public var gate: Gate { current() }

    /// Decides, and tells the observer.
    public func decide(_ request: GateRequest, for carrier: GateEvent.Carrier) -> GateDecision {
        let decision = current().decide(request)
        report(GateEvent(decision: decision, carrier: carrier))
        return decision
    }

    /// Tells the observer.
    package func report(_ event: GateEvent) {
        observer(event)
    }

    func report(_ refusal: GateRefusal, by carrier: GateEvent.Carrier) {
        report(GateEvent(decision: .refused(refusal), carrier: carrier))
    }
}

/// One decision, for logs and metrics. Holds no credentials and no address.
public struct GateEvent: Sendable, Equatable {
    public enum Carrier: String, Sendable {
        case middleware
        case authRequest = "auth_request"
        case fileServer = "file_server"
    }

    public let decision: GateDecision
    public let carrier: Carrier
}
