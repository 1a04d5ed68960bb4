import Foundation
import FrontDoors
import Gatefold
import Hummingbird
import HummingbirdTesting
import NIOCore
import State
import TestSupport
import Testing

/// A publication that sells in three stores, in front of nobody who recognises anybody.
struct ReceiptDoor: Sendable {
    static let now = ManualClock().now
    static let monthly = SubscriptionProduct(pattern: "daily.sub.*")
    let apple: ScriptedStore
    let google: ScriptedStore
    let amazon: ScriptedStore

    /// Every store says that `daily.2026-10` was bought, unless told otherwise.
    static func open(
        environments: Set<StoreEnvironment> = [.production], hasDebugComments: Bool = false,
        _ body: (TestDoor, ReceiptDoor) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let state = try SQLiteStateStore(path: folder.appending(path: "state.db").path)
            let shop = try ReceiptDoor()
            try await body(try shop.door(state, environments, hasDebugComments), shop)
        }
    }

    private init() throws {
        apple = try Self.store("app-store", .apple)
        google = try Self.store("play", .google)
        amazon = try Self.store("amazon", .amazon)
    }

    private func door(
        _ state: SQLiteStateStore, _ environments: Set<StoreEnvironment>, _ hasDebugComments: Bool
    ) throws -> TestDoor {
        let editions = try ["2026-09", "2026-10", "2026-11"].enumerated().map { index, month in
            Edition(
                id: try #require(EditionID("daily.\(month)")), title: month,
                published: Self.now.addingTimeInterval(Double(index - 2) * 30 * 86_400))
        }
        var publication = Publication(
            id: .title, credentialFields: CredentialFields(identifier: "username", proofs: ["password"]),
            rule: EntitlementRule(policy: .issueBased, catalogue: Catalogue(editions)))
        publication.hasDebugComments = hasDebugComments
        let desk = { (clock: ManualClock) in
            PurchaseDesk(
                publication: .title, products: ProductRules(subscriptions: [Self.monthly]),
                environments: environments, verifiers: [apple, google, amazon], ledger: state,
                clock: clock.wall)
        }
        let served = publication
        return TestDoor { clock in
            PublicationProxy(
                publication: served, backend: ScriptedBackend(),
                tokens: SealedTokenCodec(
                    publication: .title, secrets: SecretRing(current: Secret(TestDoor.secret)),
                    random: .seeded(3)),
                editionSecrets: SecretRing(current: Secret(TestDoor.secret)), state: state,
                revocations: RevocationList(publication: .title), guesses: UnlimitedGuesses(),
                references: ReferenceKey(Secret("a secret of the references")), clock: clock.wall,
                random: .seeded(5), purchases: desk(clock))
        }
    }

    private static func store(_ name: String, _ kind: StoreKind) throws -> ScriptedStore {
        let store = try #require(StoreName(name))
        return ScriptedStore(store, kind: kind) { _ in
            .genuine([Self.bought("daily.2026-10", in: store)])
        }
    }

    static func bought(
        _ product: String, in store: StoreName, expires: Date? = nil,
        environment: StoreEnvironment = .production
    ) -> StoreTransaction {
        StoreTransaction(
            store: store, id: "t-\(product)", original: "t-\(product)", product: product,
            purchased: now.addingTimeInterval(-40 * 86_400), expires: expires, environment: environment,
            told: now)
    }

    /// Asks and reads the credentials document.
    static func ask(
        _ client: any TestClientProtocol, _ target: String, body: [UInt8]? = nil, type: String? = nil
    ) async throws -> Answer {
        try Answer(try await send(client, target, body: body, type: type), .credentials)
    }

    static func send(
        _ client: any TestClientProtocol, _ target: String, body: [UInt8]? = nil, type: String? = nil
    ) async throws -> TestResponse {
        guard let body else { return try await client.execute(uri: target, method: .get) }
        return try await client.execute(
            uri: target, method: .post, headers: type.map { [.contentType: $0] } ?? [:],
            body: ByteBuffer(bytes: body))
    }
}
