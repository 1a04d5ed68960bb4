import Foundation
import Gatefold
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("The App Store")
struct AppleStoreTests {
    /// Notes what it is asked.
    private struct Signed: AppleSignedData {
        let asksServer: Bool
        let asked = Kept<[String]>([])

        private func note(_ text: String, _ allowed: Set<StoreEnvironment>) {
            asked.withLock { $0.append("\(text) \(allowed.map(\.rawValue).sorted())") }
        }

        func transactions(
            signed: String, allowing allowed: Set<StoreEnvironment>, at moment: Date
        ) async throws -> ReceiptVerdict {
            note("signed", allowed)
            return .refused(.forged)
        }

        func transactions(
            id: String, allowing allowed: Set<StoreEnvironment>, at moment: Date
        ) async throws -> ReceiptVerdict {
            note(id, allowed)
            return .refused(.notFound)
        }

        func current(
            _ transaction: StoreTransaction, allowing allowed: Set<StoreEnvironment>, at moment: Date
        ) async throws -> [StoreTransaction] {
            note("current \(transaction.id)", allowed)
            return [
                StoreTransaction(
                    store: transaction.store, id: "2000", original: transaction.original, product: transaction.product,
                    purchased: moment, environment: transaction.environment, told: moment)
            ]
        }

        func notification(
            _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
        ) async throws -> NotificationVerdict {
            note("notification", allowed)
            return .refused(ReceiptRefusal(.forged))
        }
    }

    private let id = StoreReceipt([.receipt: "2000000123456789"])
    private let jws = StoreReceipt([.receipt: "eyJh.eyJ0.c2ln"])

    @Test("hands over what is of StoreKit 2, with the environments that both it and the publication know")
    func handing() async throws {
        let signed = Signed(asksServer: true)
        let store = AppleStore(
            apps: AppleBench.apps(roots: [[0]], environments: [.production, .sandbox]), signed: signed,
            acceptsIdentifiers: true)
        let allowed: Set<StoreEnvironment> = [.production, .xcode]
        #expect(try await store.verdict(jws, allowing: allowed) == .refused(.forged))
        #expect(try await store.verdict(id, allowing: allowed) == .refused(.notFound))
        // Without verifyReceipt the identifier in it is all that can be asked about.
        #expect(try await store.verdict(TestTransactionReceipt().receipt, allowing: allowed) == .refused(.notFound))
        _ = try await store.notification([], allowing: allowed, at: AppleBench.moment)
        #expect(
            signed.asked.withLock { $0 } == [
                #"signed ["production"]"#, #"2000000123456789 ["production"]"#, #"1000000012345678 ["production"]"#,
                #"notification ["production"]"#,
            ])
    }

    @Test(
        "Pitfall 18: does not take knowing a transaction's identifier, bare or in an unsigned receipt, for having bought"
    )
    func identifiers() async throws {
        let signed = Signed(asksServer: true)
        let store = AppleStore(apps: AppleBench.apps(roots: [[0]]), signed: signed)
        let spaced = StoreReceipt([.receipt: "\t2000000123456789"])
        for receipt in [id, spaced, TestTransactionReceipt().receipt] {
            #expect(try await store.verdict(receipt) == .refused(.noStore))
        }
        #expect(signed.asked.withLock(\.isEmpty))
    }

    @Test("takes no form for which nobody is configured")
    func nobody() async throws {
        let bare = AppleStore(apps: AppleBench.apps(roots: []))
        let unified = try await ReceiptAuthority.shared.value.receipt()
        for receipt in [id, jws, TestTransactionReceipt().receipt, unified] {
            #expect(try await bare.verdict(receipt) == .refused(.noStore))
        }
        #expect(try await bare.verdict(StoreReceipt([.token: "x"])) == .refused(.malformed))
        let offline = AppleStore(apps: AppleBench.apps(roots: []), signed: Signed(asksServer: false))
        #expect(try await offline.verdict(id) == .refused(.noStore))
        #expect(try await offline.verdict(jws) == .refused(.forged))
    }

    @Test("asks the App Store Server API about a subscription that has ended, and adds its renewals")
    func ended() async throws {
        let authority = try await ReceiptAuthority.shared.value
        let signed = Signed(asksServer: true)
        let store = AppleStore(apps: AppleBench.apps(roots: [authority.rootBytes]), signed: signed)
        var payload = TestPayload()
        payload.purchases = [
            .init(transaction: "1", original: "1", expires: "2024-02-01T00:00:00Z"),
            .init(transaction: "2", original: "1", expires: "2024-03-01T00:00:00Z"), .init(transaction: "3"),
        ]
        let verdict = try await store.verdict(authority.receipt(payload))
        #expect(verdict.transactions.map(\.id) == ["1", "2", "3", "2000"])
        #expect(signed.asked.withLock { $0 } == [#"current 2 ["production"]"#])
    }

    @Test("asks about what may have changed since a receipt was made: the latest, and five purchases at most")
    func open() {
        let moment = AppleBench.moment
        let day: TimeInterval = 86_400
        func bought(
            _ id: String, of original: String? = nil, _ days: Double, until end: Double? = nil, revoked: Bool = false
        ) -> StoreTransaction {
            StoreTransaction(
                store: AppleBench.store, id: id, original: original ?? id, product: "p", purchased: moment - days * day,
                expires: end.map { moment + $0 * day }, revoked: revoked ? moment : nil, environment: .production,
                told: moment)
        }
        func asked(_ transactions: StoreTransaction...) -> [String] {
            AppleStore.open(transactions, at: moment).map(\.id)
        }
        #expect(asked(bought("1", 40, until: 20), bought("2", 91), bought("3", 10, revoked: true)) == [])
        #expect(asked(bought("1", of: "1", 60, until: -30), bought("2", of: "1", 30, until: 5, revoked: true)) == ["2"])
        #expect(asked(bought("1", 60, until: -30), bought("2", 60, until: -20), bought("3", 89)) == ["2", "1", "3"])
        let issues = (1...9).map { bought("\($0)", Double($0)) }
        #expect(AppleStore.open(issues.shuffled(), at: moment).map(\.id) == ["1", "2", "3", "4", "5"])
    }

    @Test("sells the apps that are named, letter by letter")
    func apps() {
        let store = AppleStore(apps: AppleBench.apps(roots: []))
        #expect(store.sells(app: "com.example.daily") && !store.sells(app: "com.example.Daily"))
        #expect(store.kind == .apple && store.store.rawValue == "app-store")
    }

    @Test("keeps the later word about a transaction")
    func joined() {
        func transaction(_ id: String, told: Double, product: String = "a") -> StoreTransaction {
            StoreTransaction(
                store: AppleBench.store, id: id, original: id, product: product, purchased: AppleBench.moment,
                environment: .production, told: Date(timeIntervalSince1970: told))
        }
        let known = [transaction("1", told: 5), transaction("2", told: 5)]
        let later = [
            transaction("2", told: 4, product: "b"), transaction("1", told: 6, product: "b"), transaction("3", told: 1),
        ]
        #expect(
            AppleStore.joined(known, later) == [
                transaction("1", told: 6, product: "b"), transaction("2", told: 5), transaction("3", told: 1),
            ])
    }
}
