import Commerce
import ContentGate
import Foundation
import Gatefold
import PasswordHashing
import Primitives
import Resilience
import Synchronization
import TestSupport

@testable import Backends

/// The decision core in a ``HistorySetting``: two publications behind one gate, with one protected subscriber system,
/// in one or two processes on one state store. The history controls the time.
final class World {
    let setting: HistorySetting
    var titles: [HistorySetting.Title]
    let clock = ManualClock()
    /// The number of seconds by which the machine's clock is ahead.
    private(set) var clockError: TimeInterval = 0
    let subscriberSystem: FakeSubscriberSystem
    let purchases = Purchases()
    private let state: StateFile
    private let pseudonymKey = PseudonymKey(Secret("Ms9yP4xT0vAz6oBr-pseudonyms"))
    /// A source that continues across reloads, so that all sessions differ.
    private let random = RandomSource.seeded(20)
    private(set) var processes: [Node] = []
    /// The index of the process that receives the calls.
    private(set) var present = 0
    private var starts: UInt8 = 0

    private var process: Node { processes[present] }
    var authorizationServices: [AuthorizationService] { process.authorizationServices }
    var gate: Gate { process.gate }
    var isStoreBroken: Bool {
        get { state.outageSwitch.isBroken }
        set { state.outageSwitch.isBroken = newValue }
    }

    /// The purchases of readers and whether the ledger is available.
    final class Purchases: Sendable {
        struct OutOfOrder: Error {}
        private let state = Mutex<(sold: [PurchaseOwner: Set<EditionID>], isBroken: Bool)>(([:], false))

        var isBroken: Bool {
            get { state.withLock { $0.isBroken } }
            set { state.withLock { $0.isBroken = newValue } }
        }

        func set(_ editions: Set<EditionID>, of owner: PurchaseOwner) {
            state.withLock { $0.sold[owner] = editions }
        }

        func reported(_ owner: PurchaseOwner, to reports: PurchaseReports) throws -> [StoreTransaction] {
            let (sold, isBroken) = state.withLock { ($0.sold[owner] ?? [], $0.isBroken) }
            if isBroken { throw OutOfOrder() }
            reports.record(sold, of: owner)
            return sold.sorted().map {
                StoreTransaction(
                    store: World.shop.store, id: $0.rawValue, original: $0.rawValue, product: $0.rawValue,
                    purchased: HistorySetting.after(days: -1_000), environment: .production,
                    reported: HistorySetting.after(days: -1_000))
            }
        }
    }

    static let shop = ScriptedVerifier()
    private static let passwords: PasswordVerifier = {
        // Never used, because the subscriber system checks passwords itself.
        guard let hasher = try? PasswordHasher(cost: 1) else { fatalError("no hasher") }
        return PasswordVerifier(hasher: hasher, concurrency: 1)
    }()
    private static let signalCount = [
        (
            SecretRing(current: Secret("kW8xVq2mTz5nRb7LcY3hJd9s")),
            SecretRing(current: Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
        ),
        (
            SecretRing(current: Secret("aB3xVq2mTz5nRb7LcY3hJd9s")),
            SecretRing(current: Secret("Cd5gQe6vXu1wNa8KfM5tHy2r"))
        ),
    ]

    init(_ setting: HistorySetting) async throws {
        self.setting = setting
        titles = setting.titles
        subscriberSystem = FakeSubscriberSystem(
            Dictionary(uniqueKeysWithValues: HistorySetting.readers.map { ($0, FakeSubscriberSystem.Reader()) }),
            opensSessions: setting.opensSessions, foldsNames: setting.foldsNames)
        state = try StateFile(isOnDisk: setting.isOnDisk, clock: clock.wall)
        for _ in 0..<setting.processes { processes.append(try await start()) }
    }

    private func start() async throws -> Node {
        let catalogues = titles.map {
            CurrentCatalogue(
                $0.catalogueChoice == .full
                    ? Catalogue(HistorySetting.editions) : $0.catalogueChoice == .none ? Catalogue() : .pending)
        }
        starts += 1
        let process = try Node(
            try state.open(), name: [starts], clock: clock.wall, catalogues: catalogues,
            protect: { [subscriberSystem, setting, clock, pseudonymKey] in
                Self.protect(subscriberSystem, setting, clock, pseudonymKey, $0)
            })
        try await record(process)
        try await process.start()
        try assemble(process)
        return process
    }

    /// Protects the subscriber system without random choices: results are cached for exactly their lifetime. The cache
    /// holds all normal queries of a history, but not all queries that one reader can make up.
    private static func protect(
        _ subscriberSystem: FakeSubscriberSystem, _ setting: HistorySetting, _ clock: ManualClock,
        _ pseudonymKey: PseudonymKey,
        _ credentialFacts: CredentialFacts
    ) -> ProtectedBackend {
        var settings = ProtectionSettings()
        settings.cache?.revalidateAfter = 60
        settings.cache?.memory = 400_000
        var services = BackendServices(
            clock: clock.wall, random: RandomSource { [UInt8](repeating: 0, count: $0) },
            passwords: Self.passwords, pseudonymKey: pseudonymKey)
        services.credentialFacts = credentialFacts
        return ProtectedBackend(
            subscriberSystem, varyingFields: [], decidesEditions: setting.decidesEditions, settings: settings,
            services: services, sleep: subscriberSystem.sleep)
    }

    /// Records the token lifetimes before a token is sealed.
    private func record(_ process: Node) async throws {
        for title in titles { try await process.store.record(TokenBounds(title.lifetimes), of: title.id) }
    }

    private func assemble(_ process: Node) throws {
        process.purchaseReports = titles.map { _ in PurchaseReports(clock: clock.wall) }
        process.authorizationServices = titles.indices.map { index in
            let title = titles[index]
            return AuthorizationService(
                publication: Publication(
                    id: title.id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                    rule: EntitlementRule(
                        policy: title.policy, grace: title.grace, catalogue: process.catalogues[index]),
                    lifetimes: title.lifetimes, saltFormat: title.saltFormat, deviceField: "device",
                    deviceLimit: title.deviceLimit, failsOpen: title.failsOpen),
                backend: process.protected,
                tokens: SealedTokenCodec(publication: title.id, secrets: Self.signalCount[index].0, random: random),
                editionSecrets: Self.signalCount[index].1, state: process.store,
                revocations: process.revocations(title.id),
                loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: pseudonymKey, denials: process.denials,
                cachedSignIns: process.cachedSignIns, clock: clock.wall, random: random,
                purchases: title.hasStore ? purchaseService(title.id, process.purchaseReports[index]) : nil)
        }
        process.gate = try Gate(
            try titles.indices.map { index in
                GatePublication(
                    id: titles[index].id, layout: try ContentLayout(prefix: "/content/\(titles[index].id)/"),
                    verifier: EditionCredentialsVerifier(
                        publication: titles[index].id, secrets: Self.signalCount[index].1,
                        acceptsPlainSalts: titles[index].saltFormat == .plain,
                        resumeWindow: titles[index].lifetimes.resumeWindow),
                    revocations: process.revocations(titles[index].id), catalogue: process.catalogues[index])
            }, clock: clock.wall)
    }

    private func purchaseService(_ publication: PublicationID, _ reports: PurchaseReports) -> PurchaseService {
        PurchaseService(
            publication: publication, products: ProductRules(), verifiers: [Self.shop],
            ledger: BrokenLedger(reporting: { [purchases] in try purchases.reported($0, to: reports) }),
            clock: clock.wall)
    }

    /// Returns the purchases that count while the ledger is unavailable: those that it last reported to the process.
    func knownPurchases(of reader: String, in title: Int) -> Set<EditionID>? {
        process.purchaseReports[title].editions(of: pseudonymKey.owner(subscriber(reader)))
    }

    // MARK: - Operator actions

    /// Sends the following calls to another process, if there is one.
    func turn(to process: Int) { present = process % processes.count }

    /// Sets the machine's clock ahead of the true time. No time passes.
    func setClock(ahead error: TimeInterval) {
        clock.step(by: error - clockError)
        clockError = error
    }

    /// Reloads the configuration in all processes without a change of the backend's settings.
    func reload(_ change: (inout [HistorySetting.Title]) -> Void) async throws {
        change(&titles)
        for process in processes {
            try await record(process)
            try assemble(process)
        }
    }

    /// Reloads the configuration in all processes with other backend settings.
    func replaceBackend() throws {
        for process in processes {
            process.replaceBackend()
            try assemble(process)
        }
    }

    /// Restarts the process. State outside the store is lost.
    func restart() async throws {
        await process.notify()
        let wasBroken = isStoreBroken
        // Repairs the store, which the process waits for.
        isStoreBroken = false
        processes[present] = try await start()
        isStoreBroken = wasBroken
    }

    /// Shares all facts between the processes, which also discard old data.
    func follow() async {
        for process in processes { await process.notify() }
        for process in processes { await process.follow() }
    }

    func catalogueLoads() throws {
        for index in titles.indices where titles[index].catalogueChoice == .pending {
            titles[index].catalogueChoice = .full
            for process in processes { process.catalogues[index].replace(with: Catalogue(HistorySetting.editions)) }
        }
    }

    func flush(_ target: FlushTarget) { process.protected.flush(target) }

    /// Revokes a reader's sessions. Two calls within a second end the sessions opened between them.
    func revoke(_ reader: String, in title: Int) async throws {
        let list = process.revocations(titles[title].id)
        let revocation = list.makeRevocation(reference(reader), at: clock.now)
        try await process.store.record(revocation)
        list.add(revocation)
    }

    /// Returns the expiry in the salt of edition credentials, or nil if it has none.
    func expiry(of credentials: EditionCredentials, for edition: EditionID, in title: Int) -> Date? {
        SaltSealer(publication: titles[title].id, secrets: Self.signalCount[title].1, random: random)
            .open(credentials.userid, for: edition)?.expiresAt
    }

    func sell(_ editions: Set<EditionID>, to reader: String) {
        purchases.set(editions, of: pseudonymKey.owner(subscriber(reader)))
    }

    func devices(of reader: String, in title: Int) async throws -> Set<DevicePseudonym> {
        Set(try await process.store.base.devices(of: reference(reader), in: titles[title].id).map(\.reference))
    }

    func reference(toDevice device: String) -> DevicePseudonym { pseudonymKey.reference(toDevice: device) }

    private func reference(_ reader: String) -> SubscriberPseudonym { pseudonymKey.reference(to: subscriber(reader)) }

    private func subscriber(_ reader: String) -> Subscriber { Subscriber(backend: subscriberSystem.name, key: reader) }
}
