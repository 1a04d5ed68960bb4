import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird

/// The main listener: content first, then the auth-request endpoint, health, and the front door's calls.
enum MainRouter {
    static func make(
        publications: CurrentPublications, clock: WallClock, readiness: @escaping @Sendable () async -> Readiness,
        unlistedProxies: UnlistedProxyWarning? = nil,
        limits: ListenerLimits = ListenerLimits()
    ) -> Router<GatefoldRequestContext> {
        let logged: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            publications.value.clients.client(peer: context.peer, headers: request.headers)
        }
        // Asked once for each request that a front door answers.
        let client: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            let clients = publications.value.clients
            if let peer = context.peer, clients.isUnlistedProxy(peer, request.headers) { unlistedProxies?.note(peer) }
            return clients.client(peer: context.peer, headers: request.headers)
        }
        let counted: @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { request, context in
            logged(request, context).flatMap { publications.value.clients.isShared($0) ? nil : $0 }
        }
        let keeper = GateKeeper(observer: { GateEventReporter.report($0) }, current: { publications.value.gate })

        let router = Router(context: GatefoldRequestContext.self)
        // Outermost, so that it sees refusals as the answers they become.
        router.add(middleware: AccessLogMiddleware(client: logged))
        router.add(middleware: HeadMiddleware())
        router.add(middleware: NoCacheMiddleware())
        router.add(middleware: TargetFormMiddleware())
        router.add(middleware: AdmissionMiddleware(limits, client: counted))
        router.add(
            middleware: ContentResponder(
                keeper, files: FileServer(clock: clock, mostOpen: OpenFileLimit.downloads), sender: { $0.sender }))
        router.add(
            middleware: BakerFrontDoor(
                storefronts: { publications.value.directory.storefronts }, client: client))
        router.add(middleware: InPlayerFrontDoor(directory: { publications.value.inPlayer }, client: client))
        router.add(middleware: CloudSoftphoneFrontDoor(services: { publications.value.softphones }))
        AdminRouter.addHealth(to: router, readiness: readiness)
        addAuthRequests(to: router, keeper, publications, clock)
        StoreNotificationsFrontDoor(
            desks: { publications.value.desks(sellingIn: $0) }, client: counted
        ).addRoutes(to: router)
        PugpigFrontDoor(publications: { publications.value.directory }, client: client).addRoutes(to: router)
        PugpigFeedDoor(feeds: { publications.value.feeds }, clock: clock).addRoutes(to: router)
        BasispressFrontDoor(
            storefronts: { publications.value.directory.storefronts }, client: client
        ).addRoutes(to: router)
        LinkingFrontDoor(publications: { publications.value.directory }).addRoutes(to: router)
        return router
    }

    /// One path for each way in which front servers name the original request.
    private static func addAuthRequests(
        to router: Router<GatefoldRequestContext>, _ keeper: GateKeeper, _ publications: CurrentPublications,
        _ clock: WallClock
    ) {
        let trusts: @Sendable (Request, GatefoldRequestContext) -> Bool = { _, context in
            publications.value.clients.letsNameTarget(context.peer)
        }
        let conventions: [(path: RouterPath, ForwardedTarget)] = [
            ("auth-request/original-uri", .original),
            ("auth-request/forwarded-uri", .forwarded),
            ("auth-request/path/**", .pathPrefix("/auth-request/path")),
        ]
        for (path, convention) in conventions {
            let endpoint = AuthRequestEndpoint(keeper, convention: convention, trusts: trusts)
            for method in [HTTPRequest.Method.get, .head] {
                router.on(path, method: method) { try await endpoint.respond(to: $0, context: $1) }
            }
        }
        let notices = NoticeAuthRequest<GatefoldRequestContext>(
            keys: { Array(publications.value.noticeKeys.values) }, clock: clock, trusts: trusts,
            observe: { NoticeEventReporter.report(admission: $0) })
        router.get("auth-request/notifications") { try await notices.respond(to: $0, context: $1) }
    }
}

extension ClientAddressResolver {
    /// Whether many clients come by an address: a proxy's, and one of this machine, where a proxy may not be declared.
    func isShared(_ address: ClientAddress) -> Bool {
        Loopback.contains(address) || address.isUnlistedProxy || trusts(address)
    }

    /// Whether this peer may name the request that an auth request is about: only this machine and trusted proxies
    /// (PITFALLS row 11).
    func letsNameTarget(_ peer: ClientAddress?) -> Bool {
        guard let peer else { return false }
        return Loopback.contains(peer) || trusts(peer)
    }
}

/// This machine's own addresses, 127.0.0.0/8 and ::1.
enum Loopback {
    static func contains(host: String) -> Bool {
        ClientAddress(host).map { contains($0) } ?? (host == "localhost")
    }

    static func contains(_ address: ClientAddress) -> Bool {
        address.isIPv6
            ? address.bytes.dropLast().allSatisfy { $0 == 0 } && address.bytes.last == 1 : address.bytes.first == 127
    }
}
