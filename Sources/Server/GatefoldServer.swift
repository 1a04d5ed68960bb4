import Backends
import Catalogues
import ContentGate
import Deliveries
import FrontDoors
public import Gatefold
import Hummingbird
import HummingbirdCore
public import Logging
import Mail
import NIOCore
import NIOSSL
import Push
import ServiceLifecycle
import Settings
import State
import UnixSignals

/// The proxy, the gate and the admin listener in one process.
public struct GatefoldServer: Sendable {
    private let configuration: GatefoldConfiguration
    private let publications: CurrentPublications
    private let backends: BackendAdministration
    private let parts: LastingParts
    private let follower: RevocationFollower
    private let facts: SharedFactFollower
    private let stateHealth: StateHealth
    private let push: PushService
    private let mail: MailOffice?
    private let notices: NoticePublisher?
    private let tls: ReloadableTLS?
    private let reread: @Sendable () throws -> GatefoldConfiguration
    private let metrics: PrometheusRegistry
    private let logger: Logger

    /// Opens everything that the configuration names; listens when ``run(onListening:)`` is called.
    ///
    /// - Parameter reread: reads the configuration again, on SIGHUP.
    /// - Throws: ``SettingsError``, ``AssemblyError`` or ``TLSFileError``.
    public init(
        _ configuration: GatefoldConfiguration, reread: @escaping @Sendable () throws -> GatefoldConfiguration,
        metrics: PrometheusRegistry, logger: Logger, clock: WallClock = .system, random: RandomSource = .system
    ) async throws {
        MemoryTrimmer.prepare()
        self.configuration = configuration
        self.reread = reread
        self.metrics = metrics
        self.logger = logger
        let state = try Assembly.stateStore(configuration)
        if state.didFindOlderState {
            logger.warning(
                "state was replaced by an older copy or its generation file is lost, so all readers sign in again",
                metadata: ["path": "\(configuration.state.path)"])
        }
        let unreadable = UnreadableRowReporter(logger: logger)
        state.unreadable.whenChanged { unreadable.report($0) }
        stateHealth = StateHealth(
            didChange: { readiness in
                switch readiness {
                case .ready: logger.notice("state can be written again")
                case .degraded: break
                case .notReady(let cause): logger.error("state can not be written", metadata: ["cause": "\(cause)"])
                }
            },
            ask: { try await state.health() })
        let revocations = RevocationLists()
        let writer = SharedFactWriter(store: state, origin: random.bytes(16))
        var services = BackendServices(
            clock: clock, random: random,
            passwords: PasswordVerifier(
                hasher: try configuration.passwords.hasher(), concurrency: configuration.passwords.workers),
            references: configuration.state.references, observe: { BackendEventReporter.report($0, to: logger) })
        services.credentialFacts = CredentialFacts(record: { writer.add($0) })
        let news = PublishedNews()
        mail = try configuration.mail.map { settings in
            try MailOffice(
                settings, clock: clock, random: random, observe: { MailEventReporter.report($0, to: logger) })
        }
        notices = configuration.notices.map { NoticePublisher($0, random: random, logger: logger) }
        var inPlayer = InPlayerTools()
        inPlayer.codes = PINCodes(store: state, references: configuration.state.references, random: random)
        parts = LastingParts(
            state: state, references: configuration.state.references, revocations: revocations,
            guesses: GuessLimiter(limits: configuration.guessing),
            errands: GuessLimiter(limits: configuration.guessing),
            sessions: SessionLimiter(
                perHour: configuration.state.sessionsPerHour, capacity: configuration.guessing.capacity),
            denials: DenialCache(clock: clock, record: { writer.add($0) }),
            recalled: RecalledSessions(undoes: CredentialFacts.undoes), services: services,
            catalogueFolder: configuration.catalogueFolder,
            catalogueServices: CatalogueServices(
                clock: clock, random: random, observe: { CatalogueEventReporter.report($0, to: logger) },
                didPublish: { await news.tell($0, $1) }),
            mailer: mail, noticeboard: notices, inPlayer: inPlayer)
        publications = CurrentPublications(try parts.assemble(configuration))
        backends = BackendAdministration(publications)
        Self.report(configuration.warnings, to: logger)
        tls = try configuration.tls.map { try ReloadableTLS($0) }
        push = PushService(
            news: news, store: state, statePath: configuration.state.path, publications: publications, clock: clock,
            random: random, logger: logger)
        follower = RevocationFollower(
            store: state, lists: revocations,
            didFail: { error in
                // To be interrupted is how following ends.
                if error is CancellationError { return }
                logger.error("revocations not followed", metadata: ["cause": "\(StateHealth.cause(error))"])
            }, didFindUnreadable: { RevocationEventReporter.report(unreadable: $0, to: logger) })
        let receiver = SharedFactReceiver(parts: parts, publications: publications)
        facts = SharedFactFollower(
            store: state, writer: writer, clock: clock,
            report: { SharedFactReceiver.report($0, to: logger) },
            apply: { try await receiver.receive($0, isNews: $1) })
        do {
            try await Self.note(configuration, in: state)
            try await facts.catchUp()
            try await follower.catchUp()
        } catch {
            throw AssemblyError.state(path: configuration.state.path, cause: "\(error)")
        }
        await CatalogueFollower.begin(publications.value.catalogues) { try await Task.sleep(for: $0) }
    }

    /// Serves until SIGINT or SIGTERM, then finishes the requests in flight.
    ///
    /// - Parameter onListening: told the port once the listener is open.
    public func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        reportCertificate()
        // The last is the first to stop: what the others still have to tell goes out.
        var services: [any Service] = []
        if let mail { services.append(MailService(office: mail)) }
        if let notices { services.append(notices) }
        services +=
            [
                FollowService(follower: follower),
                SharedFactService(follower: facts),
                CatalogueFollower(publications: publications),
                PurchaseNewsService(
                    news: parts.purchaseNews, directory: { [publications] in publications.value.inPlayer },
                    logger: logger),
                PurchaseFollower(desks: { [publications] in publications.value.desks }, logger: logger),
                DeliveryService(worker: deliveryWorker),
                MemoryTrimmer(),
                ReloadService(reload: reload, logger: logger),
                push,
            ] as [any Service]
        if let address = configuration.adminListen {
            services.append(Listener(address: address, application: adminListener(address)))
        }
        services.append(Listener(address: configuration.listen, application: try mainListener(onListening)))
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(configuration.shutdownGrace)
        try await ServiceGroup(configuration: group).run()
    }

    /// Hands out what was bought.
    private var deliveryWorker: DeliveryWorker {
        DeliveryWorker(
            outbox: parts.state, plans: { [publications] in publications.value.deliveries }, bell: parts.deliveryBell,
            clock: parts.services.clock, random: parts.services.random,
            observe: { [logger] in DeliveryEventReporter.report($0, to: logger) })
    }

    /// Before any token of these lifetimes is sealed: revocations are kept for as long.
    private static func note(_ configuration: GatefoldConfiguration, in state: SQLiteStateStore) async throws {
        for publication in configuration.publications.map(\.publication) {
            try await state.note(TokenBounds(publication.lifetimes), of: publication.id)
        }
    }

    @Sendable private func reload() async throws {
        let next = try reread()
        let set = try parts.assemble(next, keeping: publications.value)
        try await Self.note(next, in: parts.state)
        if let files = next.tls { try tls?.reload(files) }
        reportCertificate()
        publications.replace(with: set)
        push.notifier.didReload()
        Self.report(next.warnings, to: logger)
        let keys = next.keysForNextStart(after: configuration)
        if !keys.isEmpty {
            logger.warning("changed settings wait for the next start", metadata: ["keys": "\(keys)"])
        }
    }

    /// Reports the time of the certificate that is in use.
    private func reportCertificate() {
        tls?.measure()
        guard let problem = tls?.problem(at: parts.services.clock.now) else { return }
        logger.warning("the TLS certificate needs attention", metadata: ["cause": "\(problem)"])
    }

    private static func report(_ warnings: [SettingsWarning], to logger: Logger) {
        for warning in warnings {
            logger.warning("a setting to think about", metadata: ["setting": "\(warning)"])
        }
    }

    @Sendable private func readiness() async -> Readiness {
        await stateHealth.readiness()
            .lacking(revocations: follower.unreadable, rows: parts.state.unreadable.byTable)
    }

    private func mainListener(_ onListening: @escaping @Sendable (Int) async -> Void) throws -> some ApplicationProtocol
    {
        let router = MainRouter.make(
            publications: publications, clock: parts.services.clock, readiness: readiness,
            unlistedProxies: UnlistedProxyWarning(logger: logger), limits: configuration.limits)
        return Application(
            responder: router.buildResponder(),
            server: try serverBuilder(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: nil,
                backlog: Self.backlog,
                availableConnectionsDelegate: ConnectionBudget(
                    OpenFileLimit.connections, of: Self.mainName, logger: logger)),
            onServerRunning: { channel in
                await AcceptFailureHandler.watch(channel, of: Self.mainName, logger: logger)
                logger.notice("listening", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
                if configuration.trustedProxies.isEmpty, Loopback.contains(host: configuration.listen.host) {
                    // Whether there is one, only requests show.
                    logger.notice(
                        "Only this machine reaches the listener, and server.trusted_proxies lists no proxy on it")
                }
                await onListening(channel.localAddress?.port ?? 0)
            },
            logger: logger)
    }

    private func adminListener(_ address: ListenAddress) -> some ApplicationProtocol {
        Application(
            router: AdminRouter.make(
                metrics: metrics, readiness: readiness, backends: backends,
                catalogues: CatalogueAdministration(publications: publications, clock: parts.services.clock),
                push: PushAdministration(publications: publications, store: parts.state)),
            server: HTTPServerBuilder { responder in
                GuardedChannel(
                    wrapped: HTTP1Channel(responder: responder, configuration: Self.http1()), patience: Self.patience)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: ConnectionBudget(
                    OpenFileLimit.adminConnections, of: Self.adminName, logger: logger)),
            onServerRunning: { [logger] in
                await AcceptFailureHandler.watch($0, of: Self.adminName, logger: logger)
            },
            logger: logger)
    }

    private func serverBuilder() throws -> HTTPServerBuilder {
        guard let tls else {
            let (answers, places) = (laneAnswers, connectionPlaces)
            return HTTPServerBuilder { Self.plain($0, answers, places: places) }
        }
        let (configuration, places) = (try tls.configuration(), connectionPlaces)
        return HTTPServerBuilder { try Self.secure($0, configuration, places: places) }
    }

    private var connectionPlaces: ConnectionPlaces {
        ConnectionPlaces(
            most: configuration.limits.connectionsPerAddress ?? max(16, OpenFileLimit.connections / 4), logger: logger,
            isExempt: { [publications] in publications.value.clients.isShared($0) })
    }

    /// A connection with TLS.
    static func secure(
        _ responder: @escaping HTTPChannelHandler.Responder, _ configuration: TLSConfiguration,
        patience: TimeAmount = patience, places: ConnectionPlaces? = nil
    ) throws -> some ServerChildChannel {
        GuardedChannel(
            wrapped: try SecureChannel(
                configuration, responder: responder, idleTimeout: idleTimeout, patience: patience),
            patience: patience, places: places)
    }

    /// A connection without TLS.
    ///
    /// - Parameter patience: for so long it may stand still.
    static func plain(
        _ responder: @escaping HTTPChannelHandler.Responder, _ answers: LaneAnswers, patience: TimeAmount = patience,
        places: ConnectionPlaces? = nil
    ) -> some ServerChildChannel {
        GuardedChannel(
            wrapped: FastLaneChannel(
                wrapped: LeanHTTP1Channel(
                    responder: responder, configuration: http1(hasFastLane: true),
                    // The file server has threads for what waits.
                    isLight: { answers.keeper.gate.claims(target: $0.path ?? "") }),
                answers: answers),
            patience: patience, places: places)
    }

    /// What the log calls the listeners.
    private static let mainName = "main", adminName = "admin"

    /// A push notification wakes every app at once: so many connections wait in the kernel until they are taken.
    private static let backlog = 4_096

    /// How long a connection may make no progress. Longer than the slowest response, which test users get after a minute.
    static let patience = TimeAmount.seconds(90)

    /// How long a connection may be idle between requests.
    private static let idleTimeout = TimeAmount.seconds(60)

    /// The HTTP/1 configuration: limits on what a connection may send, and no-cache headers on every response without caching
    /// headers, including Hummingbird's own response to an unreadable request.
    ///
    /// - Parameters:
    ///   - hasFastLane: what passes by in the lane is not seen further in, so that the lane itself closes idle connections.
    ///   - closesIdle: whether the handlers close idle connections, where neither the lane nor Hummingbird's own kind of connection does.
    static func http1(
        hasFastLane: Bool = false, closesIdle: Bool = false, idleTimeout idle: TimeAmount = idleTimeout
    ) -> HTTP1Channel.Configuration {
        let closing: @Sendable () -> [any RemovableChannelHandler] = {
            if hasFastLane { return [LaneSignal(idleTimeout: idle)] }
            return closesIdle
                ? [HTTPConnectionStateHandler(idleTimeout: Duration(idle), logger: Logger(label: "connection"))] : []
        }
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [LastRequestInstaller()] + requestHandlers() + closing(),
            idleTimeout: hasFastLane ? nil : idle,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100))
    }

    /// What the requests of every connection and every stream pass.
    static func requestHandlers(ofStream isStream: Bool = false) -> [any RemovableChannelHandler] {
        [
            FlushBeforeCloseHandler(ofStream: isStream), NoCacheHandler(),
            RequestDeadlineHandler(deadline: .seconds(30)),
        ]
    }

    /// What is decided is answered before it is even parsed in full.
    private var laneAnswers: LaneAnswers {
        LaneAnswers(
            publications: publications,
            keeper: GateKeeper(
                observer: { GateEventReporter.report($0) },
                current: { [publications] in publications.snapshot.set.gate }),
            log: AccessLog(), clock: parts.services.clock, logger: logger)
    }
}

/// Follows the state store's revocations until the server stops.
private struct FollowService: Service {
    let follower: RevocationFollower

    func run() async throws {
        await cancelWhenGracefulShutdown { await follower.run() }
    }
}
