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
    private let responder: any HTTPResponder<GatefoldRequestContext>
    private let table: DerivedSnapshot<RouteTable>

    /// The routes in force.
    var routes: [Routes.Route] { table.value.routes }

    func respond(to request: Request, context: GatefoldRequestContext) async throws -> Response {
        try await responder.respond(to: request, context: context)
    }

    func buildResponder() -> MainRouter { self }

    static func make(
        publications: ReloadableSnapshot, clock: WallClock, readiness: @escaping @Sendable () async -> Readiness,
        unlistedProxies: UnlistedProxyWarning? = nil,
        limits: ListenerLimits = ListenerLimits()
    ) -> MainRouter {
        let logged: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            publications.value.clients.client(peer: context.peer, headers: request.headers)
        }
        let counted: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            publications.value.clients.unsharedClient(peer: context.peer, headers: request.headers)
        }
        let evaluator = GateEvaluator(observer: EventReporter().report, current: { publications.value.gate })
        let health = HealthEndpoint(readiness: readiness)
        let table = publications.derive { state in
            var routes = Routes(clients: clients(of: state.clients, unlistedProxies))
            add(health, to: &routes)
            addAuthRequests(to: &routes, evaluator)
            for frontDoor in state.frontDoors { frontDoor.addRoutes(to: &routes) }
            return RouteTable(routes)
        }
        // The access log is outermost, so that it records rejections as the responses that they become.
        let responder = CurrentRoutes(table: table)
            .behind(
                ContentResponder(
                    evaluator, files: FileServer(clock: clock, maxOpenFiles: OpenFileLimit.downloads),
                    sender: { $0.sender })
            )
            .behind(AdmissionMiddleware(limits, client: counted))
            .behind(TargetFormMiddleware())
            .behind(NoCacheMiddleware())
            .behind(HeadMiddleware())
            .behind(AccessLogMiddleware(client: logged))
        return MainRouter(responder: responder, table: table)
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

    private static func add(_ health: HealthEndpoint, to routes: inout Routes) {
        routes.on("/healthz", methods: .only(HealthEndpoint.methods)) { _, _ in health.liveness() }
        routes.on("/readyz", methods: .only(HealthEndpoint.methods)) { _, _ in await health.readiness() }
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

/// A responder by the routes in force.
private struct CurrentRoutes: HTTPResponder {
    let table: DerivedSnapshot<RouteTable>

    func respond(to request: Request, context: GatefoldRequestContext) async throws -> Response {
        try await table.value.respond(to: request, context: context)
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
enum Loopback {
    static func contains(host: String) -> Bool {
        ClientAddress(host).map { contains($0) } ?? (host == "localhost")
    }

    static func contains(_ address: ClientAddress) -> Bool {
        address.isIPv6
            ? address.bytes.dropLast().allSatisfy { $0 == 0 } && address.bytes.last == 1 : address.bytes.first == 127
    }
}
