import Accounts
import Commerce
import Foundation
import GRDB
import Gatefold
import State
import TestSupport
import Testing

@Suite("Pitfall 31: unreadable row", .serialized) struct UnreadableRowTests {
    /// A store with its clock and a second connection to its file.
    private struct Fixture {
        let store: SQLStateStore
        let clock = ManualClock(noon)
        private let queue: DatabaseQueue

        init(_ path: String) throws {
            store = try SQLStateStore(path: path, clock: clock.wall)
            queue = try DatabaseQueue(path: path)
        }

        func change(_ sql: String) async throws { try await queue.write { try $0.execute(sql: sql) } }
    }

    private func with(_ test: (Fixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in try await test(try Fixture(folder + "/state.sqlite")) }
    }

    @Test(
        "An unreadable delivery does not block others, even at the head of the queue",
        arguments: [
            "quantity = -1", "environment = 'moon'", "attempts = -1", "store = ''",
        ])
    func deliveries(damage: String) async throws {
        try await with { fixture async throws in
            for number in 1...4 {
                let transaction = StoreTransaction.sample("\(number)")
                try await fixture.store.claim(
                    transaction, by: buyer(1), receipt: "\(number)",
                    delivering: [Delivery(transaction, to: Credit(account: "\(number)"), in: daily)],
                    at: noon + Double(number))
            }
            try await fixture.change("UPDATE delivery SET \(damage) WHERE transaction_id IN ('1', '2')")
            for limit in [1, 2, 9] {
                let due = try await fixture.store.deliveriesDue(in: daily, at: noon + 9, limit: limit)
                #expect(due.map(\.delivery.id.transaction) == Array(["3", "4"].prefix(limit)))
            }
            let pending = try await fixture.store.deliveries(in: daily, pendingOnly: true, limit: 9)
            #expect(pending.map(\.delivery.id.transaction) == ["4", "3"])
        }
    }

    @Test(
        "An unreadable receipt does not block the verification of others",
        arguments: ["parts = x'ffffffff'", "owner = x'00'", "attempts = -1", "store = ''"])
    func receipts(damage: String) async throws {
        try await with { fixture async throws in
            let harness = PurchaseServiceHarness(fixture.store, clock: fixture.clock)
            harness.verifier.startOutage()
            for number: UInt8 in 1...3 { _ = try await harness.confirm("\(number)", by: buyer(number)) }
            try await fixture.change("UPDATE receipt SET \(damage) WHERE id = 1")
            fixture.clock.advance(by: 99)
            harness.verifier.verifyPassword(.sample())
            #expect(try await harness.purchaseService.followUp(limit: 1) == 1)
            #expect(try await harness.purchaseService.followUp(limit: 1) == 1)
            #expect(try await harness.purchaseService.followUp() == 0)
            #expect(try await harness.counts?.verified == 2)
        }
    }

    @Test("An unreadable e-mail does not block others", arguments: ["attempts = -1"])
    func mails(damage: String) async throws {
        try await with { fixture async throws in
            for number: UInt8 in 1...3 {
                let mail = QueuedMail(id: [number], content: [7], owner: nil, expiresAt: noon + 3600)
                #expect(try await fixture.store.enqueue(mail, limit: 9, at: noon + Double(number)))
            }
            try await fixture.change("UPDATE mail SET \(damage) WHERE id = x'01'")
            let claims = try await fixture.store.claimMail(2, lease: [1], at: noon + 9, until: noon + 90)
            #expect(claims.map(\.id) == [[2], [3]])
        }
    }

    @Test("An unreadable transaction does not block the settlement of other receipts")
    func settlement() async throws {
        try await with { fixture async throws in
            let harness = PurchaseServiceHarness(fixture.store, clock: fixture.clock)
            harness.verifier.verifyPassword(.sample("1"))
            _ = try await harness.confirm("known")
            harness.verifier.startOutage()
            for name in ["1", "2", "3"] { _ = try await harness.confirm(name, by: buyer(UInt8(name)! + 1)) }
            try await fixture.change("UPDATE store_transaction SET quantity = -1 WHERE id = '1'")
            fixture.clock.advance(by: 99)
            harness.verifier.verifyBy { receipt in .genuine([.sample(receipt[.receipt] ?? "")]) }
            await #expect(throws: Unavailable.self) { try await harness.purchaseService.followUp() }
            #expect(try await harness.counts == ReceiptCounts.Count(pending: 1, verified: 3, rejected: 0))
            #expect(try await harness.holdings(buyer(3)) == Holdings(editions: [november]))
        }
    }

    @Test("Damaged purchases do not block others", arguments: ["quantity = -1", "environment = 'moon'"])
    func reverifications(damage: String) async throws {
        try await with { fixture async throws in
            let harness = PurchaseServiceHarness(fixture.store, clock: fixture.clock)
            for name in ["1", "2", "3"] {
                harness.verifier.verifyPassword(
                    .sample(name, product: "com.example.month", expires: noon + 30 * 86_400))
                _ = try await harness.confirm(name, by: buyer(UInt8(name)!))
            }
            try await fixture.change("UPDATE store_transaction SET \(damage) WHERE id = '1'")
            fixture.clock.advance(by: 86_401)
            harness.verifier.currentBy { [clock = fixture.clock] transaction in
                [
                    .sample(
                        transaction.id, product: "com.example.month", expires: noon + 30 * 86_400,
                        reported: clock.now)
                ]
            }
            #expect(try await harness.purchaseService.followUp() == 2)
            #expect(try await harness.purchaseService.followUp() == 0)
        }
    }

    @Test("Damaged campaigns do not block others", arguments: ["sent = -1", "environment = ''", "edition = '../x'"])
    func campaigns(damage: String) async throws {
        try await with { fixture async throws in
            for name in ["1", "2"] {
                _ = try await fixture.store.begin(
                    PushCampaign(
                        name: name, publication: daily, app: "com.example.daily", environment: .production,
                        edition: november, begun: noon))
            }
            try await fixture.change("UPDATE push_campaign SET \(damage) WHERE name = '1'")
            let open = try await fixture.store.campaigns(in: daily, unfinished: true, limit: 1)
            #expect(open.map(\.name) == ["2"])
        }
    }

    @Test("An unreadable account does not block other accounts of the purchase")
    func owners() async throws {
        try await with { fixture async throws in
            for number: UInt8 in 1...2 { _ = try await fixture.store.open(buyer(number)) }
            try await fixture.change("UPDATE account SET metadata = '[' WHERE number = 1")
            let accounts = try await fixture.store.accounts(of: [buyer(1), buyer(2)], in: daily)
            #expect(accounts.map(\.number) == [2])
        }
    }

    @Test("Unreadable rows are reported while they exist, and again when the set changes")
    func reported() async throws {
        try await with { fixture async throws in
            let reports = Locked<[[String: Set<String>]]>([])
            fixture.store.unreadable.onChange { rows in reports.withLock { $0.append(rows) } }
            for text in ["1", "2"] { _ = try await fixture.store.persist(.sample(text), at: noon) }
            func reverify() async throws -> Int {
                try await fixture.store.receiptsDue(in: daily, at: noon + 99, limit: 9).count
            }
            #expect(try await reverify() == 2)
            try await fixture.change("UPDATE receipt SET attempts = -1 WHERE id = 1")
            for _ in 0..<3 { #expect(try await reverify() == 1) }
            try await fixture.change("UPDATE receipt SET attempts = -1 WHERE id = 2")
            #expect(try await reverify() == 0)
            #expect(fixture.store.unreadable.byTable == ["receipt": ["1", "2"]])
            try await fixture.change("DELETE FROM receipt WHERE id = 1; UPDATE receipt SET attempts = 0")
            #expect(try await reverify() == 1)
            #expect(
                reports.withLock(\.self) == [["receipt": ["1"]], ["receipt": ["1", "2"]], [:]])
        }
    }
}
