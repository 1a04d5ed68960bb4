import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import Primitives

/// The responder of the main listener: content first, then the routes of the configuration in force, which are health,
/// the auth-request endpoint and the calls of the front doors.
///
/// A reload replaces all routes at once.
struct MainRouter: HTTPResponder, HTTPResponderBuilder {
    /// The routes of one configuration, and what decides about a request before them.
    private final class Table: Sendable {
        let routes: RouteTable
        let gate: Gate
        let clients: ClientAddressResolver

        init(_ routes: RouteTable, _ gate: Gate, _ clients: ClientAddressResolver) {
            self.routes = routes
            self.gate = gate
            self.clients = clients
        }
    }

    private let table: DerivedSnapshot<Table>
    private let content: ContentResponder<GatefoldRequestContext>
    private let load: ListenerLoad
    private let log = AccessLog()
    private let refusals = EventReporter()

    /// The routes in force.
    var routes: [Routes.Route] { table.value.routes.routes }

    init(
        publications: ReloadableSnapshot, clock: WallClock, readiness: @escaping @Sendable () async -> Readiness,
        unlistedProxies: UnlistedProxyWarning? = nil, limits: ListenerLimits = ListenerLimits(),
        timeline: TimelineRecorder? = nil
    ) {
        let evaluator = GateEvaluator(
            observer: Self.observer(timeline), current: { publications.snapshot.set.gate })
        let health = HealthEndpoint(readiness: readiness)
        table = publications.derive { state in
            var routes = Routes(clients: Self.clients(of: state.clients, unlistedProxies))
            routes.add(health)
            Self.addAuthRequests(to: &routes, evaluator)
            for frontDoor in state.frontDoors { frontDoor.addRoutes(to: &routes) }
            return Table(RouteTable(routes), state.gate, state.clients)
        }
        content = ContentResponder(
            evaluator, files: FileServer(clock: clock, maxOpenFiles: OpenFileLimit.downloads), sender: { $0.sender })
        load = ListenerLoad(limits)
    }

    func respond(to request: Request, context: GatefoldRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        let table = table.value
        let path = request.uri.path
        let response = try await ResponseRules.response(to: request, in: context) { request, context in
            // The liveness of the process does not depend on its load.
            if path == "/healthz" { return try await respond(to: request, context, by: table) }
            return try await load.admitting(
                request, context, path: path,
                client: table.clients.unsharedClient(peer: context.peer, headers: request.headers)
            ) { request, context in
                try await respond(to: request, context, by: table)
            }
        }
        // A client that disconnects cancels the call, which is no error of the server.
        if let refusal = context.refusal ?? Refusal(status: response.status, path: path),
            !(Task.isCancelled && refusal.reason == .internalError)
        {
            let client = table.clients.client(peer: context.peer, headers: request.headers)
            let isShared = client.map { table.clients.isShared($0) } ?? false
            refusals.report(
                RefusalReport(refusal: refusal, client: isShared ? nil : client, proxy: isShared ? client : nil))
        }
        // Rejections are recorded as the responses that they become.
        log.record(
            AccessLog.Entry(
                route: context.route ?? LoggedPath.noRoute, method: request.method.rawValue, path: path,
                status: response.status, elapsed: ContinuousClock.now - start),
            logger: context.logger,
            client: { table.clients.client(peer: context.peer, headers: request.headers) })
        return response
    }

    func buildResponder() -> MainRouter { self }

    private func respond(
        to request: Request, _ context: GatefoldRequestContext, by table: Table
    ) async throws -> Response {
        // Content comes before any route reads the target.
        table.gate.claims(target: request.head.path ?? "")
            ? try await content.respond(to: request, context: context)
            : try await table.routes.respond(to: request, context: context)
    }

    /// Returns the receiver of the gate's decisions.
    private static func observer(_ timeline: TimelineRecorder?) -> @Sendable (GateEvent) -> Void {
        let reporter = EventReporter()
        return { event in
            reporter.report(event)
            if case .denied(let denial) = event.decision {
                let refusal = denial.refusal
                // The subscriber and the edition are from credentials that Gatefold issued.
                if let timeline, let subscriber = refusal.subscriber {
                    timeline.record(TimelineEvent(refusal), of: .subscriber(subscriber))
                }
                CurrentRequest.refuse(refusal)
            }
        }
    }

    private static func clients(
        of resolver: ClientAddressResolver, _ unlistedProxies: UnlistedProxyWarning?
    ) -> RequestClients {
        RequestClients(
            address: { request, context in
                if let peer = context.peer, resolver.isUnlistedProxy(peer, request.headers) {
                    unlistedProxies?.record(peer)
                }
                return resolver.client(peer: context.peer, headers: request.headers)
            },
            unsharedAddress: { resolver.unsharedClient(peer: $1.peer, headers: $0.headers) },
            mayNameTarget: { resolver.mayNameTarget($0.peer) })
    }

    /// Adds one path for each convention by which front servers name the original request.
    private static func addAuthRequests(to routes: inout Routes, _ evaluator: GateEvaluator) {
        let conventions: [(path: RoutePattern, ForwardedTarget)] = [
            ("/auth-request/original-uri", .original),
            ("/auth-request/forwarded-uri", .forwarded),
            ("/auth-request/path/**", .pathPrefix("/auth-request/path")),
        ]
        let clients = routes.clients
        for (path, convention) in conventions {
            let endpoint = AuthRequestEndpoint<GatefoldRequestContext>(
                evaluator, convention: convention, trusts: { clients.mayNameTarget($1) })
            routes.on(path, methods: .only([.get, .head])) { try await endpoint.respond(to: $0, context: $1) }
        }
    }
}

extension ClientAddressResolver {
    /// Returns a Boolean value that indicates whether many clients share an address. Such addresses are those of
    /// proxies and of this machine, where an undeclared proxy may run.
    func isShared(_ address: ClientAddress) -> Bool {
        Loopback.contains(address) || address.isUnlistedProxy || trusts(address)
    }

    /// Returns the client, or nil if many clients share its address.
    func unsharedClient(peer: ClientAddress?, headers: HTTPFields) -> ClientAddress? {
        client(peer: peer, headers: headers).flatMap { isShared($0) ? nil : $0 }
    }

    /// Returns a Boolean value that indicates whether this peer may name the request that an auth request is about.
    /// Only this machine and trusted proxies may. Source: Pitfall 11, “Header spoofing”.
    func mayNameTarget(_ peer: ClientAddress?) -> Bool {
        guard let peer else { return false }
        return Loopback.contains(peer) || trusts(peer)
    }
}

/// The addresses of this machine, 127.0.0.0/8 and ::1.
package enum Loopback {
    /// - Parameter authority: A host with an optional port (RFC 3986 section 3.2).
    package static func contains(authority: String) -> Bool { contains(host: AdminAPIEndpoint.host(of: authority)) }

    static func contains(host: String) -> Bool {
        ClientAddress(host).map { contains($0) } ?? (host == "localhost")
    }

    static func contains(_ address: ClientAddress) -> Bool {
        address.isIPv6
            ? address.bytes.dropLast().allSatisfy { $0 == 0 } && address.bytes.last == 1 : address.bytes.first == 127
    }
}
