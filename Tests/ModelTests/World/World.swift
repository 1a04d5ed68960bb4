import ContentGate
import Foundation
import Gatefold
import Synchronization
import TestSupport

@testable import Backends

/// The program's own decision core in a ``Setting``: two publications behind one gate, in front of one protected house, at a
/// time that the history decides.
final class World {
    static let lifetimes = Lifetimes(
        token: 7_200, renewalWindow: 7_200, editionCredentials: 3_600, failOpenCredentials: 600, resumeWindow: 1_800)

    let setting: Setting
    var titles: [Setting.Title]
    let clock = ManualClock()
    let house: House
    let store = FallibleStore()
    let purchases = Purchases()
    private let references = ReferenceKey(Secret("Ms9yP4xT0vAz6oBr-references"))
    /// Goes on when the configuration is read again: no two sessions are the same.
    private let random = RandomSource.seeded(20)
    private var denials = DenialCache()
    private var protected: ProtectedBackend
    private var revocations: [RevocationList]
    private var catalogues: [CurrentCatalogue]
    private(set) var proxies: [PublicationProxy] = []
    private(set) var gate: Gate

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
                    purchased: Setting.start, environment: .production, told: Setting.start)
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

    init(_ setting: Setting) throws {
        self.setting = setting
        titles = setting.titles
        house = House(
            Dictionary(uniqueKeysWithValues: Setting.readers.map { ($0, House.Reader()) }),
            opensSessions: setting.opensSessions)
        revocations = setting.titles.map { RevocationList(publication: $0.id) }
        catalogues = setting.titles.map {
            CurrentCatalogue(
                $0.shelf == .full ? Catalogue(Setting.editions) : $0.shelf == .none ? Catalogue() : .awaited)
        }
        protected = Self.protect(house, setting, clock, references)
        gate = try Gate([], clock: clock.wall)
        try assemble()
    }

    /// Nothing of it is left to chance: what is remembered holds exactly as long as it may.
    private static func protect(
        _ house: House, _ setting: Setting, _ clock: ManualClock, _ references: ReferenceKey
    ) -> ProtectedBackend {
        var settings = ProtectionSettings()
        settings.cache?.revalidateAfter = 60
        return ProtectedBackend(
            house, decidingFields: [], decidesEditions: setting.decidesEditions, settings: settings,
            services: BackendServices(
                clock: clock.wall, random: RandomSource { [UInt8](repeating: 0, count: $0) },
                passwords: Self.passwords, references: references), sleep: house.sleep)
    }

    private func assemble() throws {
        proxies = titles.indices.map { index in
            let title = titles[index]
            return PublicationProxy(
                publication: Publication(
                    id: title.id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                    rule: EntitlementRule(policy: title.policy, grace: title.grace, catalogue: catalogues[index]),
                    lifetimes: Self.lifetimes, saltForm: title.saltForm, deviceField: "device",
                    deviceLimit: title.deviceLimit, failsOpen: title.failsOpen),
                backend: protected,
                tokens: SealedTokenCodec(
                    publication: title.id, secrets: Self.rings[index].0, random: random),
                editionSecrets: Self.rings[index].1, state: store, revocations: revocations[index],
                guesses: UnlimitedGuesses(), references: references, denials: denials, clock: clock.wall,
                random: random, purchases: title.hasStore ? desk(title.id) : nil)
        }
        gate = try Gate(
            try titles.indices.map { index in
                GatePublication(
                    id: titles[index].id, layout: try ContentLayout(prefix: "/content/\(titles[index].id)/"),
                    verifier: EditionCredentialsVerifier(
                        publication: titles[index].id, secrets: Self.rings[index].1,
                        acceptsPlainSalts: titles[index].saltForm == .plain,
                        resumeWindow: Self.lifetimes.resumeWindow), revocations: revocations[index],
                    catalogue: catalogues[index])
            }, clock: clock.wall)
    }

    private func desk(_ publication: PublicationID) -> PurchaseDesk {
        PurchaseDesk(
            publication: publication, products: ProductRules(), verifiers: [Self.shop],
            ledger: BrokenLedger(telling: purchases.told), clock: clock.wall)
    }

    // MARK: - What an operator does

    /// The configuration is read again; the backend's settings are the same.
    func reload(_ change: (inout [Setting.Title]) -> Void) throws {
        change(&titles)
        try assemble()
    }

    /// The configuration is read again, with other settings of the backend.
    func replaceBackend() throws {
        protected = Self.protect(house, setting, clock, references)
        try assemble()
    }

    /// The process ends and begins again: what is not in the store is gone.
    func restart() async throws {
        denials = DenialCache()
        revocations = titles.map { RevocationList(publication: $0.id) }
        for record in await store.kept.revocations(after: 0) { revocations.forEach { $0.add(record.revocation) } }
        try replaceBackend()
    }

    func catalogueComes() throws {
        for index in titles.indices where titles[index].shelf == .awaited {
            titles[index].shelf = .full
            catalogues[index].replace(with: Catalogue(Setting.editions))
        }
    }

    func flush(_ target: FlushTarget) { protected.flush(target) }

    /// Two within a second end what was opened between them.
    func revoke(_ reader: String, in title: Int) async throws {
        let revocation = revocations[title].ending(reference(reader), at: clock.now)
        try await store.record(revocation)
        revocations[title].add(revocation)
    }

    /// When edition credentials end, as their salt says; nil where it says nothing.
    func expiry(of credentials: EditionCredentials, for edition: EditionID, in title: Int) -> Date? {
        SaltSealer(publication: titles[title].id, secrets: Self.rings[title].1, random: random)
            .open(credentials.userid, for: edition)?.expiresAt
    }

    func sell(_ editions: Set<EditionID>, to reader: String) {
        purchases.set(editions, of: references.owner(subscriber(reader)))
    }

    func devices(of reader: String, in title: Int) async -> Set<DeviceReference> {
        Set(await store.kept.devices(of: reference(reader), in: titles[title].id).map(\.reference))
    }

    func reference(toDevice device: String) -> DeviceReference { references.reference(toDevice: device) }

    private func reference(_ reader: String) -> SubscriberReference { references.reference(to: subscriber(reader)) }

    private func subscriber(_ reader: String) -> Subscriber { Subscriber(backend: house.name, key: reader) }
}
