import Commerce
import Foundation
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("App Store verifier")
struct AppleStoreTests {
    /// Signed-data fake that records its calls.
    private struct Signed: AppleSignedData {
        let queriesServer: Bool
        let requested = Locked<[String]>([])

        private func record(_ text: String, _ allowed: Set<StoreEnvironment>) {
            requested.withLock { $0.append("\(text) \(allowed.map(\.rawValue).sorted())") }
        }

        func transactions(
            signed: String, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
        ) async throws -> ReceiptVerdict {
            record("signed", allowed)
            return .rejected(.forged)
        }

        func transactions(
            id: String, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
        ) async throws -> ReceiptVerdict {
            record(id, allowed)
            return .rejected(.notFound)
        }

        func current(
            _ transaction: StoreTransaction, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
        ) async throws -> [StoreTransaction] {
            record("current \(transaction.id)", allowed)
            return [
                StoreTransaction(
                    store: transaction.store, id: "2000", original: transaction.original, product: transaction.product,
                    purchased: timestamp, environment: transaction.environment, reported: timestamp)
            ]
        }

        func notification(
            _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
        ) async throws -> NotificationVerdict {
            record("notification", allowed)
            return .rejected(ReceiptRejection(.forged))
        }
    }

    private let id = StoreReceipt([.receipt: "2000000123456789"])
    private let jws = StoreReceipt([.receipt: "eyJh.eyJ0.c2ln"])

    @Test("Passes StoreKit 2 receipts on, limited to environments that the store and the publication allow")
    func handing() async throws {
        let signed = Signed(queriesServer: true)
        let store = AppleStore(
            apps: AppleFixture.apps(roots: [[0]], environments: [.production, .sandbox]), signed: signed,
            acceptsIdentifiers: true)
        let allowed: Set<StoreEnvironment> = [.production, .xcode]
        #expect(try await store.verdict(jws, allowing: allowed) == .rejected(.forged))
        #expect(try await store.verdict(id, allowing: allowed) == .rejected(.notFound))
        // Without verifyReceipt, the store can only query the identifier in the receipt.
        #expect(try await store.verdict(TestTransactionReceipt().receipt, allowing: allowed) == .rejected(.notFound))
        _ = try await store.notification([], allowing: allowed, at: AppleFixture.timestamp)
        #expect(
            signed.requested.withLock { $0 } == [
                #"signed ["production"]"#, #"2000000123456789 ["production"]"#, #"1000000012345678 ["production"]"#,
                #"notification ["production"]"#,
            ])
    }

    @Test(
        "Pitfall 18: rejects a bare or unsigned transaction identifier as proof of purchase"
    )
    func identifiers() async throws {
        let signed = Signed(queriesServer: true)
        let store = AppleStore(apps: AppleFixture.apps(roots: [[0]]), signed: signed)
        let spaced = StoreReceipt([.receipt: "\t2000000123456789"])
        for receipt in [id, spaced, TestTransactionReceipt().receipt] {
            #expect(try await store.verdict(receipt) == .rejected(.noStore))
        }
        #expect(signed.requested.withLock(\.isEmpty))
    }

    @Test("Rejects a receipt format for which no verification is configured")
    func nobody() async throws {
        let bare = AppleStore(apps: AppleFixture.apps(roots: []))
        let unified = try await ReceiptAuthority.shared.value.receipt()
        for receipt in [id, jws, TestTransactionReceipt().receipt, unified] {
            #expect(try await bare.verdict(receipt) == .rejected(.noStore))
        }
        #expect(try await bare.verdict(StoreReceipt([.token: "x"])) == .rejected(.malformed))
        let offline = AppleStore(apps: AppleFixture.apps(roots: []), signed: Signed(queriesServer: false))
        #expect(try await offline.verdict(id) == .rejected(.noStore))
        #expect(try await offline.verdict(jws) == .rejected(.forged))
    }

    @Test("Queries the App Store Server API about an ended subscription and adds its renewals")
    func ended() async throws {
        let authority = try await ReceiptAuthority.shared.value
        let signed = Signed(queriesServer: true)
        let store = AppleStore(apps: AppleFixture.apps(roots: [authority.rootBytes]), signed: signed)
        var payload = TestPayload()
        payload.purchases = [
            .init(transaction: "1", original: "1", expires: "2024-02-01T00:00:00Z"),
            .init(transaction: "2", original: "1", expires: "2024-03-01T00:00:00Z"), .init(transaction: "3"),
        ]
        let verdict = try await store.verdict(authority.receipt(payload))
        #expect(verdict.transactions.map(\.id) == ["1", "2", "3", "2000"])
        #expect(signed.requested.withLock { $0 } == [#"current 2 ["production"]"#])
    }

    @Test("Queries at most five purchases that may have changed, latest first")
    func open() {
        let timestamp = AppleFixture.timestamp
        let day: TimeInterval = 86_400
        func bought(
            _ id: String, of original: String? = nil, _ days: Double, until end: Double? = nil, revoked: Bool = false
        ) -> StoreTransaction {
            StoreTransaction(
                store: AppleFixture.store, id: id, original: original ?? id, product: "p",
                purchased: timestamp - days * day,
                expires: end.map { timestamp + $0 * day }, revoked: revoked ? timestamp : nil, environment: .production,
                reported: timestamp)
        }
        func requested(_ transactions: StoreTransaction...) -> [String] {
            AppleStore.open(transactions, at: timestamp).map(\.id)
        }
        #expect(requested(bought("1", 40, until: 20), bought("2", 91), bought("3", 10, revoked: true)) == [])
        #expect(
            requested(bought("1", of: "1", 60, until: -30), bought("2", of: "1", 30, until: 5, revoked: true)) == ["2"])
        #expect(
            requested(bought("1", 60, until: -30), bought("2", 60, until: -20), bought("3", 89)) == ["2", "1", "3"])
        let issues = (1...9).map { bought("\($0)", Double($0)) }
        #expect(AppleStore.open(issues.shuffled(), at: timestamp).map(\.id) == ["1", "2", "3", "4", "5"])
    }

    @Test("Sells only the configured apps and compares bundle identifiers exactly")
    func apps() {
        let store = AppleStore(apps: AppleFixture.apps(roots: []))
        #expect(store.sells(app: "com.example.daily") && !store.sells(app: "com.example.Daily"))
        #expect(store.kind == .apple && store.store.rawValue == "app-store")
    }

    @Test("Keeps the more recent report of a transaction")
    func joined() {
        func transaction(_ id: String, reported: Double, product: String = "a") -> StoreTransaction {
            StoreTransaction(
                store: AppleFixture.store, id: id, original: id, product: product, purchased: AppleFixture.timestamp,
                environment: .production, reported: Date(timeIntervalSince1970: reported))
        }
        let known = [transaction("1", reported: 5), transaction("2", reported: 5)]
        let later = [
            transaction("2", reported: 4, product: "b"), transaction("1", reported: 6, product: "b"),
            transaction("3", reported: 1),
        ]
        #expect(
            AppleStore.joined(known, later) == [
                transaction("1", reported: 6, product: "b"), transaction("2", reported: 5),
                transaction("3", reported: 1),
            ])
    }
}
