import AdminAPI
import Backends
import Catalogues
import Console
import ContentGate
import Deliveries
import FrontDoors
import Gatefold
import Hummingbird
import HummingbirdCore
public import Logging
import Mail
import NIOCore
import NIOSSL
import PasswordHashing
public import Primitives
import Push
import Resilience
import ServiceLifecycle
import Settings
import State
import UnixSignals

/// The proxy, the gate and the admin listener in one process.
public struct GatefoldServer: Sendable {
    private let configuration: GatefoldConfiguration
    private let publications: ReloadableSnapshot
    private let backends: BackendAdministration
    private let parts: ServerServices
    private let follower: RevocationFollower
    private let facts: SharedFactFollower
    /// The membership of this server in the nodes of the state; nil if the state belongs to one machine.
    private let membership: NodeMembership?
    private let stateHealth: StateHealth
    private let node: NodeState?
    private let entrance: StateEntrance
    private let push: PushService
    private let mail: QueueingMailer?
    private let notifications: MQTTNotificationPublisher?
    private let tls: ReloadableTLS?
    private let adminTLS: ReloadableTLS?
    private let reread: @Sendable () throws -> GatefoldConfiguration
    private let metrics: PrometheusRegistry
    private let logger: Logger

    /// Opens everything that the configuration names. The server listens when ``run(onListening:)`` is called.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - reread: Reads the configuration again, on SIGHUP.
    ///   - metrics: The registry of the metrics.
    ///   - logger: The logger of the server.
    ///   - clock: The source of the current time.
    ///   - random: The source of randomness.
    /// - Throws: `SettingsError`, ``BootstrapError`` or ``TLSFileError``.
    public init(
        _ configuration: GatefoldConfiguration, reread: @escaping @Sendable () throws -> GatefoldConfiguration,
        metrics: PrometheusRegistry, logger: Logger, clock: WallClock = .system, random: RandomSource = .system
    ) async throws {
        MemoryTrimmer.prepare()
        self.configuration = configuration
        self.reread = reread
        self.metrics = metrics
        self.logger = logger
        let state = try Bootstrap.stateStore(configuration, opensLater: true)
        let clock = state.sharedClock ?? clock
        if state.didFindOlderState {
            logger.warning(
                "State replaced by an older copy, or generation file lost: all sessions are ended",
                metadata: ["path": "\(configuration.state.location.name)"])
        }
        let events = EventReporter(logger: logger)
        let unreadable = UnreadableRowReporter(events)
        state.unreadable.onChange { unreadable.report($0) }
        stateHealth = StateHealth(
            didChange: { readiness in
                switch readiness {
                case .ready: logger.notice("State is writable again")
                case .degraded, .draining: break
                case .notReady(let cause): logger.error("State cannot be written", metadata: ["cause": "\(cause)"])
                }
            },
            probe: { try await state.health() })
        let revocations = RevocationLists()
        let node = try NodeState(configuration, state: state, lists: revocations, events: events, logger: logger)
        self.node = node
        let writer = SharedFactWriter(store: state, origin: random.bytes(16))
        var services = BackendServices(
            clock: clock, random: random,
            passwords: PasswordVerifier(
                hasher: try configuration.passwords.hasher(), concurrency: configuration.passwords.workers),
            pseudonymKey: configuration.state.pseudonymKey, observe: events.report)
        services.credentialFacts = CredentialFacts(record: { writer.add($0) })
        let shares = state.sharedClock.map { _ in SlotShares(clock: clock) }
        services.slotShares = shares
        services.documents = state.sharedClock.map { _ in
            SharedDocuments(state, clock: clock, random: random, observe: events.report)
        }
        state.retainTimeline(TimelineRetention(time: configuration.timeline.retention))
        // A disabled recorder still erases the events of an earlier configuration.
        let timeline = TimelineRecorder(
            store: state, pseudonymKey: configuration.state.pseudonymKey, isEnabled: configuration.timeline.isEnabled,
            limits: TimelineRecorder.Limits(entriesPerCategory: max(1, configuration.timeline.eventsPerReader / 4)),
            clock: clock,
            random: random, observe: events.report)
        let eventRelay = PublishedEventRelay()
        mail = try configuration.mail.map { settings in
            try QueueingMailer(
                settings, outbox: state, pseudonymKey: configuration.state.pseudonymKey, clock: clock, random: random,
                observe: events.report)
        }
        notifications = configuration.notifications.map {
            MQTTNotificationPublisher($0, random: random, observe: events.report)
        }
        parts = ServerServices(
            state: state, nodeSessionStore: node?.sessionStore,
            revocationFreshness: node?.freshness, pseudonymKey: configuration.state.pseudonymKey,
            revocations: revocations,
            loginThrottle: Self.throttle(SignInThrottle.purpose, configuration, state),
            registrationThrottle: Self.throttle("registration", configuration, state),
            sessions: SessionLimiter(
                perHour: configuration.state.sessionsPerHour, capacity: configuration.loginThrottle.capacity,
                store: state, pseudonymKey: configuration.state.pseudonymKey),
            denials: DenialCache(clock: clock, record: { writer.add($0) }),
            cachedSignIns: CachedSignInSessions(invalidates: CredentialFacts.invalidates), services: services,
            catalogueFolder: configuration.catalogueFolder,
            catalogueServices: CatalogueServices(
                clock: clock, random: random, observe: events.report,
                didPublish: { await eventRelay.notify($0, $1) }, shared: services.documents),
            mailer: mail, notificationPublisher: notifications, timeline: timeline)
        publications = ReloadableSnapshot(try parts.assemble(configuration))
        backends = BackendAdministration(publications)
        Self.report(configuration.warnings, to: logger)
        tls = try configuration.tls.map { try ReloadableTLS($0) }
        adminTLS = try configuration.adminTLS.map { try ReloadableTLS($0) }
        push = PushService(
            eventRelay: eventRelay, store: state, publications: publications, clock: clock, random: random,
            observe: events.report)
        follower = RevocationFollower(
            store: state, lists: revocations, readFloor: node.map { $0.readFloor }, freshness: node?.freshness,
            didFail: { error in
                // Cancellation is the normal end of the follower.
                if error is CancellationError { return }
                logger.error("Revocations not read", metadata: ["cause": "\(StateHealth.cause(error))"])
            }, didFindUnreadable: { events.report(UnreadableStateEvent.revocations($0)) })
        let receiver = SharedFactReceiver(parts: parts, publications: publications)
        facts = SharedFactFollower(
            store: state, writer: writer, clock: clock,
            report: { SharedFactReceiver.report($0, to: logger) },
            apply: { try await receiver.receive($0, isNew: $1) })
        membership =
            if let shares {
                NodeMembership(
                    try NodeIdentity(configuration, started: clock.now, random: random), store: state, shares: shares,
                    clock: clock, logger: logger, behind: { [follower] in follower.behind },
                    usages: { [backends] in backends.protected.map { NodeMembership.Usage($0) } },
                    didSetShares: { [backends] in for backend in backends.protected { backend.didIncreaseSlots() } },
                    didHear: { node?.peers.update($0) })
            } else {
                nil
            }
        entrance = StateEntrance { [facts, follower] in
            try await state.checkIsComplete()
            try await Self.record(configuration, in: state)
            try await node?.begin()
            try await facts.catchUp()
            try await follower.catchUp()
        }
        do {
            try await entrance.enter()
        } catch {
            do {
                guard let node else { throw error }
                try node.begin(after: error)
                facts.beginWithoutStore()
            } catch {
                throw Bootstrap.stateFailure(error, configuration)
            }
        }
        // Otherwise a later heartbeat takes the shares.
        if entrance.isDone { try? await membership?.join() }
        await CatalogueFollower.begin(publications.value.catalogues) { try await Task.sleep(for: $0) }
    }

    /// Serves until SIGINT or SIGTERM, then finishes the requests in flight.
    ///
    /// - Parameter onListening: Receives the port when the listener is open.
    public func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        reportCertificates()
        // The last service stops first, so that mail and notifications of the other services are still sent.
        var services: [any Service] = []
        if let mail { services.append(MailService(mailer: mail)) }
        if let notifications { services.append(notifications) }
        if let node { services += [node.snapshotService, node.peers] }
        if let timeline = parts.timeline { services.append(TimelineService(recorder: timeline)) }
        services +=
            [
                stateService,
                DeviceUseService(store: parts.state),
                CatalogueFollower(publications: publications),
                PurchaseEventRelayService(
                    eventRelay: parts.purchaseEventRelay,
                    frontDoors: { [publications] in publications.value.frontDoors }, logger: logger),
                PurchaseFollower(
                    purchaseServices: { [publications] in publications.value.purchaseServices }, logger: logger),
                DeliveryService(worker: deliveryWorker),
                MemoryTrimmer(),
                ReloadService(reload: reload, logger: logger),
                push,
            ] as [any Service]
        if let address = configuration.adminListen {
            services.append(Listener(address: address.description, application: try adminListener(address)))
        }
        services.append(
            Listener(address: configuration.listen.description, application: try mainListener(onListening)))
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(configuration.shutdownGrace)
        // A state file without its write-ahead log is complete: an operator may copy it, and an older copy is noticed.
        defer { try? parts.state.close() }
        try await ServiceGroup(configuration: group).run()
    }

    /// Returns a login throttle that counts with those of the other nodes, if there may be any.
    private static func throttle(
        _ purpose: String, _ configuration: GatefoldConfiguration, _ state: any StateStore
    ) -> any LoginThrottling {
        if state.sharedClock == nil { return LoginThrottle(limits: configuration.loginThrottle) }
        return SharedLoginThrottle(
            purpose, limits: configuration.loginThrottle, store: state, pseudonymKey: configuration.state.pseudonymKey)
    }

    /// The followers of the state.
    private var stateService: StateService {
        let didFail = { @Sendable [logger] (error: any Error) in
            logger.error("State not entered", metadata: ["cause": "\(StateHealth.cause(error))"])
        }
        let journalDidFail = { @Sendable [logger] (error: any Error) in
            logger.error("Journal of revocations not written", metadata: ["cause": "\(StateHealth.cause(error))"])
        }
        return StateService(
            entrance: entrance, didFail: didFail,
            didEnter: { EventReporter(logger: logger).report(SnapshotEvent.entered) },
            services: [FollowService(follower: follower), SharedFactService(follower: facts)]
                + (node.map { [$0.journalService(journalDidFail)] } ?? []) + (membership.map { [$0] } ?? []))
    }

    /// The worker that delivers purchases.
    private var deliveryWorker: DeliveryWorker {
        DeliveryWorker(
            outbox: parts.state, plans: { [publications] in publications.value.deliveries },
            signal: parts.deliverySignal,
            clock: parts.services.clock, random: parts.services.random,
            observe: EventReporter(logger: logger).report)
    }

    /// Records the token lifetimes of the publications, because revocations must be retained for as long. Called
    /// before any token with these lifetimes is sealed.
    private static func record(_ configuration: GatefoldConfiguration, in state: any StateRetention) async throws {
        for publication in configuration.publications.map(\.publication) {
            try await state.record(TokenBounds(publication.lifetimes), of: publication.id)
        }
    }

    @Sendable private func reload() async throws {
        let next = try reread()
        let set = try parts.assemble(next, reusing: publications.value)
        try await Self.record(next, in: parts.state)
        // An unusable pair of one listener leaves the other one as it is too.
        let reloads = [
            try next.tls.flatMap { try tls?.prepareReload($0) },
            try next.adminTLS.flatMap { try adminTLS?.prepareReload($0) },
        ]
        for reload in reloads { reload?() }
        reportCertificates()
        publications.replace(with: set)
        push.notifier.didReload()
        Self.report(next.warnings, to: logger)
        let keys = next.keysForNextStart(after: configuration)
        if !keys.isEmpty {
            logger.warning("Changed settings take effect at the next start", metadata: ["keys": "\(keys)"])
        }
    }

    /// Reports the validity of the certificates in use.
    private func reportCertificates() {
        for (listener, tls) in [(Self.mainName, tls), (Self.adminName, adminTLS)] {
            guard let tls else { continue }
            tls.measure(listener)
            guard let problem = tls.problem(at: parts.services.clock.now) else { continue }
            logger.warning(
                "TLS certificate invalid or about to expire",
                metadata: ["listener": "\(listener)", "cause": "\(problem)"])
        }
    }

    private static func report(_ warnings: [SettingsWarning], to logger: Logger) {
        for warning in warnings {
            logger.warning("Configuration warning", metadata: ["setting": "\(warning)"])
        }
    }

    @Sendable private func readiness() async -> Readiness {
        if membership?.isDraining == true { return .draining }
        return await stateHealth.readiness()
            .withEntrance(entrance.isDone)
            .withUnreadable(revocations: follower.unreadable, rows: parts.state.unreadable.byTable)
            .withCause { node?.describe($0, publications.value.directory.byID) ?? $0 }
    }

    private func mainListener(_ onListening: @escaping @Sendable (Int) async -> Void) throws -> some ApplicationProtocol
    {
        let responder = MainRouter(
            publications: publications, clock: parts.services.clock, readiness: readiness,
            unlistedProxies: UnlistedProxyWarning(logger: logger), limits: configuration.limits,
            timeline: parts.timeline
        ).buildResponder()
        return Application(
            responder: responder,
            server: try serverBuilder(
                requestResponder(responder), tls,
                slots: connectionSlots(configuration.limits.connectionsPerAddress ?? OpenFileLimit.connections / 4)),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: nil,
                backlog: Self.backlog,
                availableConnectionsDelegate: ConnectionBudget(
                    OpenFileLimit.connections, of: Self.mainName, logger: logger)),
            onServerRunning: { channel in
                await AcceptFailureHandler.watch(channel, of: Self.mainName, logger: logger)
                logger.notice("Listening", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
                if configuration.trustedProxies.isEmpty, Loopback.contains(host: configuration.listen.host) {
                    // Only requests show whether there is a proxy.
                    logger.notice(
                        "Listener is local to this machine, but server.trusted_proxies lists no local proxy")
                }
                await onListening(channel.localAddress?.port ?? 0)
            },
            logger: logger)
    }

    private func adminListener(_ address: AdminListenAddress) throws -> some ApplicationProtocol {
        let services = AdminServices(parts, publications: publications, backends: backends, logger: logger)
        let environment = services.environment(random: parts.services.random)
        let api = AdminAPI(AdminOperations.all, services, environment)
        let endpoint = AdminAPIEndpoint(
            api: api, transport: Self.transport(address, isEncrypted: adminTLS != nil))
        let responder = AdminRouter(
            metrics: metrics, readiness: readiness, backends: backends,
            catalogues: CatalogueAdministration(publications: publications, clock: parts.services.clock),
            push: PushAdministration(publications: publications, store: parts.state), node: node,
            api: endpoint,
            console: ConsoleEndpoint(
                console: try Console(
                    api, api.consoleSessions, random: parts.services.random,
                    didRespond: ConsoleLog(logger: logger).record), api: endpoint,
                problem: environment.problem)
        ).buildResponder()
        let bindAddress: BindAddress
        switch address {
        case .tcp(let address): bindAddress = .hostname(address.host, port: address.port)
        case .unix(let path):
            UnixSocketFile.removeStale(path)
            bindAddress = .unixDomainSocket(path: path)
        }
        return Application(
            responder: responder,
            server: try serverBuilder(
                requestResponder(responder), adminTLS,
                slots: connectionSlots(OpenFileLimit.adminConnections / 4)),
            configuration: ApplicationConfiguration(
                address: bindAddress,
                availableConnectionsDelegate: ConnectionBudget(
                    OpenFileLimit.adminConnections, of: Self.adminName, logger: logger)),
            onServerRunning: { [logger] in
                if case .unix(let path) = address { UnixSocketFile.restrict(path) }
                await AcceptFailureHandler.watch($0, of: Self.adminName, logger: logger)
            },
            logger: logger)
    }

    private static func transport(
        _ address: AdminListenAddress, isEncrypted: Bool
    ) -> AdminAPIEndpoint.Transport {
        switch address {
        case .unix: .unixSocket(isEncrypted: isEncrypted)
        case .tcp(let address): isEncrypted ? .encrypted : .plain(host: address.host)
        }
    }

    private func requestResponder(_ responder: any HTTPResponder<GatefoldRequestContext>) -> RequestResponder {
        RequestResponder(responder, logger: logger) { [publications] in publications.snapshot.set.clients.trusts($0) }
    }

    private func serverBuilder(
        _ responder: RequestResponder, _ tls: ReloadableTLS?, slots: ConnectionSlots?
    ) throws -> HTTPServerBuilder {
        guard let tls else { return HTTPServerBuilder { _ in Self.plain(responder, slots: slots) } }
        let configuration = try tls.configuration()
        return HTTPServerBuilder { _ in try Self.secure(responder, configuration, slots: slots) }
    }

    private func connectionSlots(_ limit: Int) -> ConnectionSlots {
        ConnectionSlots(
            limit: max(16, limit), logger: logger,
            isExempt: { [publications] in publications.value.clients.isShared($0) })
    }

    /// Returns a connection with TLS.
    static func secure(
        _ responder: RequestResponder, _ configuration: TLSConfiguration,
        stallTimeout: TimeAmount = stallTimeout, slots: ConnectionSlots? = nil
    ) throws -> some ServerChildChannel {
        TimeoutGuardedChannel(
            wrapped: try SecureChannel(
                configuration, responder: responder, idleTimeout: idleTimeout, stallTimeout: stallTimeout),
            stallTimeout: stallTimeout, slots: slots)
    }

    /// Returns a connection without TLS.
    ///
    /// - Parameter stallTimeout: The maximum time without progress on the connection.
    static func plain(
        _ responder: RequestResponder, stallTimeout: TimeAmount = stallTimeout, slots: ConnectionSlots? = nil
    ) -> some ServerChildChannel {
        TimeoutGuardedChannel(
            wrapped: HTTP1ServerChannel(responder: responder, configuration: http1(), sendsFiles: true),
            stallTimeout: stallTimeout, slots: slots)
    }

    /// The names of the listeners in the log.
    private static let mainName = "main", adminName = "admin"

    /// The number of connections that wait in the kernel until they are accepted. It is large because a push
    /// notification wakes all apps at once.
    private static let backlog = 4_096

    /// The maximum time without progress on a connection: 90 s. The slowest response, for test users, takes a
    /// minute.
    static let stallTimeout = TimeAmount.seconds(90)

    /// The maximum idle time of a connection between requests: 60 s.
    private static let idleTimeout = TimeAmount.seconds(60)

    /// Returns the HTTP/1 configuration: limits on the input of a connection, and no-cache headers on every
    /// response without caching headers, including Hummingbird's own response to an unreadable request.
    static func http1(idleTimeout: TimeAmount = idleTimeout) -> HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionCloseInstaller()] + requestHandlers(), idleTimeout: idleTimeout,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100))
    }

    /// Returns the handlers that the requests of every HTTP/1 connection pass through.
    private static func requestHandlers() -> [any RemovableChannelHandler] {
        [FlushBeforeCloseHandler(), NoCacheHandler(), RequestDeadlineHandler(deadline: .seconds(30))]
    }
}

/// A service that follows the state store's revocations until the server stops.
private struct FollowService: Service {
    let follower: RevocationFollower

    func run() async throws {
        await cancelWhenGracefulShutdown { await follower.run() }
    }
}
