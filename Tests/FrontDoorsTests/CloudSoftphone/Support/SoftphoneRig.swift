import Foundation
import FrontDoors
import Gatefold
import Hummingbird
import HummingbirdTesting
import State
import TestSupport

/// The in-app-purchase web service of a publication, on a real port, over a state store on disk.
struct SoftphoneRig: Sendable {
    let store: SellingStore
    let state: SQLiteStateStore
    let desk: PurchaseDesk
    let clock: ManualClock
    let port: Int

    /// - Parameter broken: whether the ledger can not be written.
    static func run(
        _ change: (inout CloudSoftphone) -> Void = { _ in }, messages: Messages = Messages(),
        limits: ReceiptLimits = ReceiptLimits(), broken: Bool = false,
        _ body: @Sendable @escaping (SoftphoneRig) async throws -> Void
    ) async throws {
        var settings = CloudSoftphone(path: "/title/iap", store: .apple)
        change(&settings)
        let chosen = settings
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let store = SellingStore(store: StoreName("app-store")!, kind: chosen.store)
            let path = folder.appending(path: "state.sqlite").path
            let state = try SQLiteStateStore(path: path)
            let desk = PurchaseDesk(
                publication: .title, products: ProductRules(), limits: limits, verifiers: [store], ledger: state,
                clock: clock.wall)
            var publication = Publication(
                id: .title, credentialFields: CredentialFields(identifier: "username", proofs: ["password"]),
                rule: EntitlementRule(policy: .backendDecides))
            publication.messages = messages
            let proxy = PublicationProxy(
                publication: publication, backend: ScriptedBackend(),
                tokens: SealedTokenCodec(
                    publication: .title, secrets: SecretRing(current: Secret(TestDoor.secret)), random: .seeded(3)),
                editionSecrets: SecretRing(current: Secret(TestDoor.secret)), state: state,
                revocations: RevocationList(publication: .title), guesses: UnlimitedGuesses(),
                references: ReferenceKey(Secret("a secret of the references")), clock: clock.wall,
                random: .seeded(5), purchases: desk)
            let service = SoftphoneService(chosen, proxy: proxy)
            let router = Router()
            router.add(middleware: HeadMiddleware())
            router.add(middleware: NoCacheMiddleware())
            router.add(middleware: CloudSoftphoneFrontDoor(services: { [service.settings.path: service] }))
            if broken { try await breakDatabase(at: path) }
            try await Application(router: router, server: .kept).test(.live) { client in
                try await body(
                    SoftphoneRig(store: store, state: state, desk: desk, clock: clock, port: client.port ?? 0))
            }
        }
    }

    /// What is to be delivered.
    func ordered() async throws -> [Delivery] {
        try await state.deliveriesDue(in: .title, at: clock.now, limit: 1000).map(\.delivery)
    }

    /// Takes the tables away, as a disk that went bad does.
    private static func breakDatabase(at path: String) async throws {
        let run = try await CommandRun.of(
            "/usr/bin/sqlite3", [path], input: "DROP TABLE receipt;", in: FileManager.default.temporaryDirectory)
        guard run.status == 0 else { throw CocoaError(.fileWriteUnknown, userInfo: ["errors": run.errors]) }
    }
}
