import Commerce
import Foundation
import FrontDoors
import Gatefold
import Hummingbird
import HummingbirdTesting
import Primitives
import State
import TestSupport

/// The in-app purchase service of a publication, on a real port, with a state store on disk.
struct SoftphoneHarness: Sendable {
    let store: FakeSellingStore
    let state: SQLStateStore
    let purchaseService: PurchaseService
    let clock: ManualClock
    let port: Int

    /// - Parameter broken: A Boolean value that indicates whether the ledger cannot be written.
    static func run(
        _ change: (inout CloudSoftphone) -> Void = { _ in }, messages: Messages = Messages(),
        limits: ReceiptLimits = ReceiptLimits(), broken: Bool = false,
        _ body: @Sendable @escaping (SoftphoneHarness) async throws -> Void
    ) async throws {
        var settings = CloudSoftphone(path: "/title/iap", store: .apple)
        change(&settings)
        let chosen = settings
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let store = FakeSellingStore(store: StoreName("app-store")!, kind: chosen.store)
            let path = folder.appending(path: "state.sqlite").path
            let state = try SQLStateStore(path: path)
            let purchaseService = PurchaseService(
                publication: .title, products: ProductRules(), limits: limits, verifiers: [store], ledger: state,
                clock: clock.wall)
            var publication = Publication(
                id: .title, credentialFields: CredentialFields(identifier: "username", proofs: ["password"]),
                rule: EntitlementRule(policy: .backendDecides))
            publication.messages = messages
            let authorizationService = AuthorizationService(
                publication: publication, backend: ScriptedBackend(),
                tokens: SealedTokenCodec(
                    publication: .title, secrets: SecretRing(current: Secret(FrontDoorHarness.secret)),
                    random: .seeded(3)),
                editionSecrets: SecretRing(current: Secret(FrontDoorHarness.secret)), state: state,
                revocations: RevocationList(publication: .title), loginThrottle: UnlimitedLoginAttempts(),
                pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")), clock: clock.wall,
                random: .seeded(5), purchases: purchaseService)
            let service = SoftphoneService(chosen, authorizationService: authorizationService)
            let responder = RuledResponder(table: RouteTable([CloudSoftphoneSnapshot([service])]))
            if broken { try await breakDatabase(at: path) }
            try await Application(responder: responder, server: .channelRetaining).test(.live) { client in
                try await body(
                    SoftphoneHarness(
                        store: store, state: state, purchaseService: purchaseService, clock: clock,
                        port: client.port ?? 0))
            }
        }
    }

    /// Returns the deliveries that are due.
    func ordered() async throws -> [Delivery] {
        try await state.deliveriesDue(in: .title, at: clock.now, limit: 1000).map(\.delivery)
    }

    /// Drops a table, to simulate a damaged disk.
    private static func breakDatabase(at path: String) async throws {
        let run = try await CommandRun.of(
            "/usr/bin/sqlite3", [path], input: "DROP TABLE receipt;", in: FileManager.default.temporaryDirectory)
        guard run.status == 0 else { throw CocoaError(.fileWriteUnknown, userInfo: ["errors": run.errors]) }
    }
}
