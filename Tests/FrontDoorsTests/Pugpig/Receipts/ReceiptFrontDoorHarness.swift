import Commerce
import Foundation
import FrontDoors
import Gatefold
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import State
import TestSupport
import Testing

/// A publication that sells in three stores, with a backend that authenticates no reader.
struct ReceiptFrontDoorHarness: Sendable {
    static let now = ManualClock().now
    static let monthly = SubscriptionProduct(pattern: "daily.sub.*")
    let apple: ScriptedStore
    let google: ScriptedStore
    let amazon: ScriptedStore

    /// Runs the body with stores that confirm `daily.2026-10` by default.
    static func open(
        environments: Set<StoreEnvironment> = [.production], hasDebugNotes: Bool = false,
        _ body: (FrontDoorHarness, ReceiptFrontDoorHarness) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let state = try SQLStateStore(path: folder.appending(path: "state.db").path)
            let shop = try ReceiptFrontDoorHarness()
            try await body(try shop.door(state, environments, hasDebugNotes), shop)
        }
    }

    private init() throws {
        apple = try Self.store("app-store", .apple)
        google = try Self.store("play", .google)
        amazon = try Self.store("amazon", .amazon)
    }

    private func door(
        _ state: SQLStateStore, _ environments: Set<StoreEnvironment>, _ hasDebugNotes: Bool
    ) throws -> FrontDoorHarness {
        let editions = try ["2026-09", "2026-10", "2026-11"].enumerated().map { index, month in
            Edition(
                id: try #require(EditionID("daily.\(month)")), title: month,
                published: Self.now.addingTimeInterval(Double(index - 2) * 30 * 86_400))
        }
        var publication = Publication(
            id: .title, credentialFields: CredentialFields(identifier: "username", proofs: ["password"]),
            rule: EntitlementRule(policy: .issueBased, catalogue: Catalogue(editions)))
        publication.hasDebugNotes = hasDebugNotes
        let purchaseService = { (clock: ManualClock) in
            PurchaseService(
                publication: .title, products: ProductRules(subscriptions: [Self.monthly]),
                environments: environments, verifiers: [apple, google, amazon], ledger: state,
                clock: clock.wall)
        }
        let served = publication
        return FrontDoorHarness { clock in
            AuthorizationService(
                publication: served, backend: ScriptedBackend(),
                tokens: SealedTokenCodec(
                    publication: .title, secrets: SecretRing(current: Secret(FrontDoorHarness.secret)),
                    random: .seeded(3)),
                editionSecrets: SecretRing(current: Secret(FrontDoorHarness.secret)), state: state,
                revocations: RevocationList(publication: .title), loginThrottle: UnlimitedLoginAttempts(),
                pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")), clock: clock.wall,
                random: .seeded(5), purchases: purchaseService(clock))
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
            reported: now)
    }

    /// Requests and reads the credentials document.
    static func requestCredentials(
        _ client: any TestClientProtocol, _ target: String, body: [UInt8]? = nil, type: String? = nil
    ) async throws -> PugpigDocumentResponse {
        try PugpigDocumentResponse(try await send(client, target, body: body, type: type), .credentials)
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
