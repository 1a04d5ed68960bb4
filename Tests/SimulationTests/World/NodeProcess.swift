import Commerce
import Foundation
import Gatefold
import Logging
import Primitives
import Resilience
import SQLAccess
import TestSupport

@testable import Deliveries
@testable import Server
@testable import State

/// One process of a node, composed like the server of the parts that share the state. Everything here is the product's
/// code, except for what the process stands on: disk, network, database server, clock and randomness.
final class NodeProcess: Sendable {
    let life: NodeLife
    let authorization: AuthorizationService
    let store: SQLStateStore
    private let signal: DeliverySignal
    private let worker: DeliveryWorker
    private let journal: RevocationJournal
    private let lists: RevocationLists
    private let follower: RevocationFollower
    private let facts: SharedFactFollower
    private let membership: NodeMembership
    /// Whether the process has entered the state, and serves requests.
    nonisolated(unsafe) private(set) var isServing = false

    static let publication = PublicationID("daily")!
    static let maxWrongPasswords = 5
    static let window: TimeInterval = 100_000
    static let deviceLimit = DeviceLimit(maxDevices: Plan.devicesPerReader - 1, onLimit: .reject)
    /// Shorter than the error of the nodes' clocks.
    private static let lifetimes = Lifetimes(
        token: 240, renewalWindow: 60, editionCredentials: 60, failOpenCredentials: 60, downloadToken: 60,
        resumeWindow: 60)
    private static let pseudonymKey = PseudonymKey(Secret("Ms9yP4xT0vAz6oBr-pseudonyms"))
    private static let tokenSecrets = SecretRing(current: Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
    private static let editionSecrets = SecretRing(current: Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
    private static let schema = PostgreSQLSchemaName("gatefold")!

    /// - Parameters:
    ///   - life: The new process.
    ///   - skew: The seconds by which the machine's clock is ahead.
    init(
        _ life: NodeLife, skew: TimeInterval, network: DatabaseNetwork, disk: SimulatedDisk, system: PublisherSystem,
        checks: Checks, fault: PlantedFault?
    ) throws {
        let simulation = life.simulation
        let random = RandomSource { count in simulation.random.bytes(count) }
        let sleep: Sleep = { try await simulation.sleep($0, in: life) }
        let pause: @Sendable (Duration) async throws -> Void = {
            try await simulation.sleep($0 / .seconds(1), in: life)
        }
        let machine = WallClock(
            { Simulation.start.addingTimeInterval(simulation.now + skew) }, elapsed: { simulation.now })
        let databaseClock = DatabaseClock(machine: machine)
        let clock = databaseClock.wall
        let database = PostgreSQLStateDatabase(
            network, schema: Self.schema, statementTimeout: .seconds(3), responseTimeout: .seconds(4),
            clock: databaseClock, preparation: PostgreSQLPreparation(schema: Self.schema, migrates: true),
            sleep: sleep, random: random)
        let store = SQLStateStore(
            database, didFindOlderState: false, knownDeviceLifetime: 400 * 86_400, newPushTokensPerHour: 100,
            clock: clock, sharedClock: clock)
        let lists = RevocationLists()
        let freshness = RevocationFreshness(clock: clock)
        let journal = try RevocationJournal(
            path: "revocations.journal",
            identity: FileOrigin.identity(of: "state", schema: "gatefold", key: Self.pseudonymKey),
            disk: SimulatedDisk.Mounted(disk: disk, life: life),
            observe: { event in
                switch event {
                case .appended: checks.tally["journaled", default: 0] += 1
                case .cut: checks.tally["torn writes", default: 0] += 1
                case .replayed(let count, _): checks.tally["replayed", default: 0] += count
                case .rejected: simulation.violate("a journal was rejected")
                case .damaged(let count): simulation.violate("\(count) entries of a journal are damaged")
                default: break
                }
            })
        let sessionStore = JournaledSessionStore(store, journal: journal, now: { clock.now })
        let writer = SharedFactWriter(store: store, origin: random.bytes(16))
        let denials = DenialCache(clock: clock, record: { writer.add($0) })
        let cachedSignIns = CachedSignInSessions(invalidates: CredentialFacts.invalidates)
        let credentialFacts = CredentialFacts(record: { writer.add($0) })
        let shares = SlotShares(clock: clock)
        var services = ProtectionServices(
            clock: clock, random: random, pseudonymKey: Self.pseudonymKey, credentialFacts: credentialFacts)
        services.slotShares = shares
        var protections = ProtectionSettings()
        protections.concurrency.maxConcurrent = PublisherSystem.maxConcurrent
        let backend = ProtectedBackend(
            SimulatedBackend(system: system, life: life, checks: checks), varyingFields: [], decidesEditions: false,
            settings: protections, services: services, sleep: sleep)
        var limits = LoginThrottleLimits()
        limits.perIdentifier = Self.maxWrongPasswords
        limits.window = Self.window
        authorization = AuthorizationService(
            publication: Publication(
                id: Self.publication,
                credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .issueBased, catalogue: CurrentCatalogue(Catalogue())),
                lifetimes: Self.lifetimes, deviceField: "device", deviceLimit: Self.deviceLimit),
            backend: backend,
            tokens: SealedTokenCodec(publication: Self.publication, secrets: Self.tokenSecrets, random: random),
            editionSecrets: Self.editionSecrets, state: sessionStore, revocations: lists.list(for: Self.publication),
            loginThrottle: SharedLoginThrottle(
                "sign-in", limits: limits, store: fault == .checkThenAct ? CheckThenActCounters(store: store) : store,
                pseudonymKey: Self.pseudonymKey, sleep: pause),
            pseudonymKey: Self.pseudonymKey, denials: denials, cachedSignIns: cachedSignIns, clock: clock,
            random: random)
        follower = RevocationFollower(
            store: FollowedRevocations(store: store, fault: fault, machine: machine), lists: lists,
            readFloor: {
                let history = try await store.history()
                journal.assume(history, at: clock.now)
                return history.floor
            }, freshness: freshness, sleep: { try await sleep(1) })
        membership = NodeMembership(
            NodeIdentity(
                id: Array(repeating: UInt8(life.node), count: 16), name: "node\(life.node)", version: "1",
                started: machine.now),
            store: store, shares: shares, clock: clock,
            logger: Logger(label: "simulation", factory: { _ in SwiftLogNoOpLogHandler() }),
            behind: { [follower] in follower.behind }, sleep: sleep, usages: { [NodeMembership.Usage(backend)] },
            didSetShares: { backend.didIncreaseSlots() })
        facts = SharedFactFollower(
            store: store, writer: writer, clock: clock, sleep: pause,
            apply: { fact, isNew in
                if fault == .unsharedCache { return }
                checks.tally["facts applied", default: 0] += 1
                // Like the server.
                if isNew { backend.follow(fact) }
                credentialFacts.follow(fact)
                denials.follow(fact)
                let revocations = cachedSignIns.follow(fact, at: clock.now).map { session in
                    Revocation(
                        publication: session.publication, subscriber: session.subscriber, session: session.session,
                        at: max(clock.now, session.issuedAt))
                }
                if revocations.isEmpty { return }
                for revocation in revocations { lists.list(for: revocation.publication).add(revocation) }
                try await sessionStore.record(revocations)
            })
        signal = DeliverySignal(sleep: sleep)
        var policy = DeliveryRetryPolicy()
        policy.minRetryDelay = 1
        policy.maxRetryDelay = 2
        policy.lease = 6
        let plan = DeliveryPlan(
            publication: Self.publication, transport: SimulatedCreditService(life: life, checks: checks),
            retryPolicy: policy)
        worker = DeliveryWorker(
            outbox: ObservedOutbox(store: store, checks: checks, life: life, fault: fault), plans: { [plan] },
            signal: signal, clock: clock, random: random)
        self.life = life
        self.store = store
        self.journal = journal
        self.lists = lists
    }

    /// Enters the state, and then follows it until the process ends.
    func run(didEnter: @escaping @Sendable () -> Void) async {
        let simulation = life.simulation
        while true {
            do {
                try await enter()
                break
            } catch {
                do { try await simulation.sleep(0.25, in: life) } catch { return }
            }
        }
        try? await membership.join()
        isServing = true
        didEnter()
        let (journal, store, life) = (journal, store, life)
        let journalService = JournalService(
            needsReplay: { journal.needsReplay },
            replay: {
                try await journal.confirm(try await store.history(), at: store.now)
                try await journal.replay(into: store)
            }, sleep: { try await simulation.sleep($0, in: life) }, didFail: { _ in })
        await withTaskGroup { group in
            group.addTask { [follower] in await follower.run() }
            group.addTask { [facts] in await facts.run() }
            group.addTask { [worker] in await worker.run() }
            group.addTask { [membership] in try? await membership.run() }
            group.addTask { try? await journalService.run() }
        }
    }

    private func enter() async throws {
        try await store.checkIsComplete()
        try await store.record(TokenBounds(Self.lifetimes), of: Self.publication)
        try await journal.confirm(try await store.history(), at: store.now)
        for case .revocation(let revocation) in journal.entries {
            lists.list(for: revocation.publication).add(revocation)
        }
        try await facts.catchUp()
        try await follower.catchUp()
    }

    /// Stores an order, as a verified receipt does.
    func order(_ delivery: Delivery) async throws {
        let now = store.now
        try await store.database.write { db in try DeliveryRow.insert(db, delivery, orderedBy: nil, at: now) }
        signal.signal()
    }
}
