import ContentGate
import Foundation
import Gatefold
import Synchronization
import TestSupport

@testable import Backends

/// The program's own decision core in a ``Setting``: two publications behind one gate, in front of one protected house, in one
/// process or two on one state store, at a time that the history decides.
final class World {
    let setting: Setting
    var titles: [Setting.Title]
    let clock = ManualClock()
    /// So far the machine's clock is ahead.
    private(set) var clockError: TimeInterval = 0
    let house: House
    let purchases = Purchases()
    private let state: StateFile
    private let references = ReferenceKey(Secret("Ms9yP4xT0vAz6oBr-references"))
    /// Goes on when the configuration is read again: no two sessions are the same.
    private let random = RandomSource.seeded(20)
    private(set) var processes: [Node] = []
    /// Which of them is asked.
    private(set) var present = 0
    private var starts: UInt8 = 0

    private var process: Node { processes[present] }
    var proxies: [PublicationProxy] { process.proxies }
    var gate: Gate { process.gate }
    var isStoreBroken: Bool {
        get { state.trouble.isBroken }
        set { state.trouble.isBroken = newValue }
    }

    /// What readers bought, and whether that can be looked up.
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

        func told(_ owner: PurchaseOwner) throws -> [StoreTransaction] {
            let (sold, isBroken) = state.withLock { ($0.sold[owner] ?? [], $0.isBroken) }
            if isBroken { throw OutOfOrder() }
            return sold.sorted().map {
                StoreTransaction(
                    store: World.shop.store, id: $0.rawValue, original: $0.rawValue, product: $0.rawValue,
                    purchased: Setting.after(days: -1_000), environment: .production,
                    told: Setting.after(days: -1_000))
            }
        }
    }

    static let shop = ScriptedVerifier()
    private static let passwords: PasswordVerifier = {
        // Never used: the house checks passwords by itself.
        guard let hasher = try? PasswordHasher(cost: 1) else { fatalError("no hasher") }
        return PasswordVerifier(hasher: hasher, concurrency: 1)
    }()
    private static let rings = [
        (
            SecretRing(current: Secret("kW8xVq2mTz5nRb7LcY3hJd9s")),
            SecretRing(current: Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
        ),
        (
            SecretRing(current: Secret("aB3xVq2mTz5nRb7LcY3hJd9s")),
            SecretRing(current: Secret("Cd5gQe6vXu1wNa8KfM5tHy2r"))
        ),
    ]

    init(_ setting: Setting) async throws {
        self.setting = setting
        titles = setting.titles
        house = House(
            Dictionary(uniqueKeysWithValues: Setting.readers.map { ($0, House.Reader()) }),
            opensSessions: setting.opensSessions, foldsNames: setting.foldsNames)
        state = try StateFile(isOnDisk: setting.isOnDisk, clock: clock.wall)
        for _ in 0..<setting.processes { processes.append(try await start()) }
    }

    private func start() async throws -> Node {
        let catalogues = titles.map {
            CurrentCatalogue(
                $0.shelf == .full ? Catalogue(Setting.editions) : $0.shelf == .none ? Catalogue() : .awaited)
        }
        starts += 1
        let process = try Node(
            try state.open(), name: [starts], clock: clock.wall, catalogues: catalogues,
            protect: { [house, setting, clock, references] in
                Self.protect(house, setting, clock, references, $0)
            })
        try await note(process)
        try await process.start()
        try assemble(process)
        return process
    }

    /// Nothing of it is left to chance: what is remembered holds exactly as long as it may. There is room for all that the
    /// readers of a history ask, and not for all that one of them can make up.
    private static func protect(
        _ house: House, _ setting: Setting, _ clock: ManualClock, _ references: ReferenceKey,
        _ credentialFacts: CredentialFacts
    ) -> ProtectedBackend {
        var settings = ProtectionSettings()
        settings.cache?.revalidateAfter = 60
        settings.cache?.memory = 400_000
        var services = BackendServices(
            clock: clock.wall, random: RandomSource { [UInt8](repeating: 0, count: $0) },
            passwords: Self.passwords, references: references)
        services.credentialFacts = credentialFacts
        return ProtectedBackend(
            house, decidingFields: [], decidesEditions: setting.decidesEditions, settings: settings,
            services: services, sleep: house.sleep)
    }

    /// Before a token of these lifetimes is sealed.
    private func note(_ process: Node) async throws {
        for title in titles { try await process.store.note(TokenBounds(title.lifetimes), of: title.id) }
    }

    private func assemble(_ process: Node) throws {
        process.proxies = titles.indices.map { index in
            let title = titles[index]
            return PublicationProxy(
                publication: Publication(
                    id: title.id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                    rule: EntitlementRule(
                        policy: title.policy, grace: title.grace, catalogue: process.catalogues[index]),
                    lifetimes: title.lifetimes, saltForm: title.saltForm, deviceField: "device",
                    deviceLimit: title.deviceLimit, failsOpen: title.failsOpen),
                backend: process.protected,
                tokens: SealedTokenCodec(publication: title.id, secrets: Self.rings[index].0, random: random),
                editionSecrets: Self.rings[index].1, state: process.store, revocations: process.revocations(title.id),
                guesses: UnlimitedGuesses(), references: references, denials: process.denials,
                recalled: process.recalled, clock: clock.wall, random: random,
                purchases: title.hasStore ? desk(title.id) : nil)
        }
        process.gate = try Gate(
            try titles.indices.map { index in
                GatePublication(
                    id: titles[index].id, layout: try ContentLayout(prefix: "/content/\(titles[index].id)/"),
                    verifier: EditionCredentialsVerifier(
                        publication: titles[index].id, secrets: Self.rings[index].1,
                        acceptsPlainSalts: titles[index].saltForm == .plain,
                        resumeWindow: titles[index].lifetimes.resumeWindow),
                    revocations: process.revocations(titles[index].id), catalogue: process.catalogues[index])
            }, clock: clock.wall)
    }

    private func desk(_ publication: PublicationID) -> PurchaseDesk {
        PurchaseDesk(
            publication: publication, products: ProductRules(), verifiers: [Self.shop],
            ledger: BrokenLedger(telling: purchases.told), clock: clock.wall)
    }

    // MARK: - What an operator does

    /// What follows goes to another process, where there is one.
    func turn(to process: Int) { present = process % processes.count }

    /// The machine's clock is set to what it should say and so much more; no time passes.
    func setClock(ahead error: TimeInterval) {
        clock.step(by: error - clockError)
        clockError = error
    }

    /// The configuration is read again by all; the backend's settings are the same.
    func reload(_ change: (inout [Setting.Title]) -> Void) async throws {
        change(&titles)
        for process in processes {
            try await note(process)
            try assemble(process)
        }
    }

    /// The configuration is read again by all, with other settings of the backend.
    func replaceBackend() throws {
        for process in processes {
            process.replaceBackend()
            try assemble(process)
        }
    }

    /// The process ends and begins again: what is not in the store is gone.
    func restart() async throws {
        await process.tell()
        let wasBroken = isStoreBroken
        // It waits until the store can be asked.
        isStoreBroken = false
        processes[present] = try await start()
        isStoreBroken = wasBroken
    }

    /// Everything that a process learnt comes to the others, and all forget what is old.
    func follow() async {
        for process in processes { await process.tell() }
        for process in processes { await process.follow() }
    }

    func catalogueComes() throws {
        for index in titles.indices where titles[index].shelf == .awaited {
            titles[index].shelf = .full
            for process in processes { process.catalogues[index].replace(with: Catalogue(Setting.editions)) }
        }
    }

    func flush(_ target: FlushTarget) { process.protected.flush(target) }

    /// Two within a second end what was opened between them.
    func revoke(_ reader: String, in title: Int) async throws {
        let list = process.revocations(titles[title].id)
        let revocation = list.ending(reference(reader), at: clock.now)
        try await process.store.record(revocation)
        list.add(revocation)
    }

    /// When edition credentials end, as their salt says; nil where it says nothing.
    func expiry(of credentials: EditionCredentials, for edition: EditionID, in title: Int) -> Date? {
        SaltSealer(publication: titles[title].id, secrets: Self.rings[title].1, random: random)
            .open(credentials.userid, for: edition)?.expiresAt
    }

    func sell(_ editions: Set<EditionID>, to reader: String) {
        purchases.set(editions, of: references.owner(subscriber(reader)))
    }

    func devices(of reader: String, in title: Int) async throws -> Set<DeviceReference> {
        Set(try await process.store.kept.devices(of: reference(reader), in: titles[title].id).map(\.reference))
    }

    func reference(toDevice device: String) -> DeviceReference { references.reference(toDevice: device) }

    private func reference(_ reader: String) -> SubscriberReference { references.reference(to: subscriber(reader)) }

    private func subscriber(_ reader: String) -> Subscriber { Subscriber(backend: house.name, key: reader) }
}
