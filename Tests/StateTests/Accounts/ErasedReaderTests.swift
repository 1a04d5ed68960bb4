import Accounts
import Commerce
import Foundation
import GRDB
import Gatefold
import Primitives
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Erasure of a reader", .serialized) struct ErasedReaderTests {
    @Test("Erasure leaves no personal data in the embedded store, only the revocation")
    func nothing() async throws {
        try await withTemporaryFolder { folder async throws in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            let clock = ManualClock(noon)
            let pseudonymKey = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
            let readers = InMemorySubscribers()
            let verifier = ScriptedVerifier()
            verifier.verifyPassword(.sample("1"))
            var publication = Publication(
                id: daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .issueBased, catalogue: Catalogue()))
            publication.deviceField = "device"
            publication.deviceLimit = DeviceLimit(maxDevices: 3, onLimit: .evict)
            let secrets = SecretRing(current: Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
            let purchases = PurchaseService(
                publication: daily, products: ProductRules(subscriptions: []), verifiers: [verifier], ledger: store,
                clock: clock.wall)
            let authorizationService = AuthorizationService(
                publication: publication, backend: readers,
                tokens: SealedTokenCodec(publication: daily, secrets: secrets, random: .seeded(60)),
                editionSecrets: secrets, state: store, revocations: RevocationList(publication: daily),
                loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: pseudonymKey, clock: clock.wall,
                random: .seeded(61),
                purchases: purchases)
            let accountService = AccountService(
                authorizationService: authorizationService, accountStore: store, secrets: secrets)
            let context = CallContext(
                fields: ["email": "ada@example.com", "password": "first password", "device": "phone"])
            let token = try await accountService.register(
                AccountDetails(identifier: "ada@example.com", fullName: "Ada Lovelace", metadata: ["city": "London"]),
                password: "first password", context)
            let owner = authorizationService.owner(of: Subscriber(backend: "readers", key: "1"))
            _ = try await purchases.confirm(StoreReceipt([.receipt: "proof"]), from: .apple, owner: owner)
            try await accountService.erase(token: token, password: "first password", CallContext())
            let names = ["ada@example.com", "Lovelace", "London", "proof"]
            for table in [
                "account", "device", "receipt", "claim", "owner_link", "store_transaction", "purchase", "delivery",
            ] {
                let count = try await store.pool.read { db in
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
                }
                #expect(count == 0, "\(table)")
            }
            #expect(try await store.revocations(after: 0).count == 1)
            // Nor do deleted pages of the file hold any after a checkpoint and a vacuum.
            try await store.pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
            }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/state.sqlite"))
            for name in names { #expect(bytes.range(of: Data(name.utf8)) == nil, "\(name)") }
            #expect(readers.identifiers.isEmpty)
        }
    }
}
