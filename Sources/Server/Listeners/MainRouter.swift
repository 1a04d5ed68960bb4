import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import Primitives

/// The routes of the main listener: content first, then the auth-request endpoint, health, and the calls of the
/// front doors.
enum MainRouter {
    static func make(
        publications: ReloadableSnapshot, clock: WallClock, readiness: @escaping @Sendable () async -> Readiness,
        unlistedProxies: UnlistedProxyWarning? = nil,
        limits: ListenerLimits = ListenerLimits()
    ) -> Router<GatefoldRequestContext> {
        let logged: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            publications.value.clients.client(peer: context.peer, headers: request.headers)
        }
        // Called once for each request that a front door handles.
        let client: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            let clients = publications.value.clients
            if let peer = context.peer, clients.isUnlistedProxy(peer, request.headers) { unlistedProxies?.record(peer) }
            return clients.client(peer: context.peer, headers: request.headers)
        }
        let counted: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            logged(request, context).flatMap { publications.value.clients.isShared($0) ? nil : $0 }
        }
        let evaluator = GateEvaluator(observer: EventReporter().report, current: { publications.value.gate })

        let router = Router(context: GatefoldRequestContext.self)
        // The outermost middleware, so that it records rejections as the responses that they become.
        router.add(middleware: AccessLogMiddleware(client: logged))
        router.add(middleware: HeadMiddleware())
        router.add(middleware: NoCacheMiddleware())
        router.add(middleware: TargetFormMiddleware())
        router.add(middleware: AdmissionMiddleware(limits, client: counted))
        router.add(
            middleware: ContentResponder(
                evaluator, files: FileServer(clock: clock, maxOpenFiles: OpenFileLimit.downloads), sender: { $0.sender }
            ))
        router.add(
            middleware: BakerFrontDoor(
                storefronts: { publications.value.directory.storefronts }, client: client))
        router.add(middleware: InPlayerFrontDoor(directory: { publications.value.inPlayer }, client: client))
        router.add(middleware: CloudSoftphoneFrontDoor(services: { publications.value.softphones }))
        AdminRouter.addHealth(to: router, readiness: readiness)
        addAuthRequests(to: router, evaluator, publications, clock)
        StoreNotificationsFrontDoor(
            purchaseServices: { publications.value.purchaseServices(offeringProductsIn: $0) }, client: counted
        ).addRoutes(to: router)
        PugpigFrontDoor(publications: { publications.value.directory }, client: client).addRoutes(to: router)
        PugpigFeedDoor(feeds: { publications.value.feeds }, clock: clock).addRoutes(to: router)
        BasispressFrontDoor(
            storefronts: { publications.value.directory.storefronts }, client: client
        ).addRoutes(to: router)
        LinkingFrontDoor(publications: { publications.value.directory }).addRoutes(to: router)
        return router
    }

    /// Adds one path for each convention by which front servers name the original request.
    private static func addAuthRequests(
        to router: Router<GatefoldRequestContext>, _ evaluator: GateEvaluator, _ publications: ReloadableSnapshot,
        _ clock: WallClock
    ) {
        let trusts: @Sendable (Request, GatefoldRequestContext) -> Bool = { _, context in
            publications.value.clients.mayNameTarget(context.peer)
        }
        let conventions: [(path: RouterPath, ForwardedTarget)] = [
            ("auth-request/original-uri", .original),
            ("auth-request/forwarded-uri", .forwarded),
            ("auth-request/path/**", .pathPrefix("/auth-request/path")),
        ]
        for (path, convention) in conventions {
            let endpoint = AuthRequestEndpoint(evaluator, convention: convention, trusts: trusts)
            for method in [HTTPRequest.Method.get, .head] {
                router.on(path, method: method) { try await endpoint.respond(to: $0, context: $1) }
            }
        }
        let notifications = NotificationAuthRequest<GatefoldRequestContext>(
            keys: { Array(publications.value.notificationKeys.values) }, clock: clock, trusts: trusts,
            observe: { [reporter = EventReporter()] in reporter.report(NotificationAuthorizationEvent(isAllowed: $0)) })
        router.get("auth-request/notifications") { try await notifications.respond(to: $0, context: $1) }
    }
}

extension ClientAddressResolver {
    /// Returns a Boolean value that indicates whether many clients share an address. Such addresses are those of
    /// proxies and of this machine, where an undeclared proxy may run.
    func isShared(_ address: ClientAddress) -> Bool {
        Loopback.contains(address) || address.isUnlistedProxy || trusts(address)
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
