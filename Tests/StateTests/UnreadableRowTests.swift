import Foundation
import GRDB
import Gatefold
import State
import TestSupport
import Testing

@Suite("Pitfall 31: a row that can not be read", .serialized) struct UnreadableRowTests {
    /// A store, its clock, and a way around it.
    private struct Bench {
        let store: SQLiteStateStore
        let clock = ManualClock(noon)
        private let queue: DatabaseQueue

        init(_ path: String) throws {
            store = try SQLiteStateStore(path: path, clock: clock.wall)
            queue = try DatabaseQueue(path: path)
        }

        func change(_ sql: String) async throws { try await queue.write { try $0.execute(sql: sql) } }
    }

    private func with(_ test: (Bench) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in try await test(try Bench(folder + "/state.sqlite")) }
    }

    @Test(
        "keeps no other delivery back, also where it is first in line",
        arguments: [
            "quantity = -1", "environment = 'moon'", "attempts = -1", "store = ''",
        ])
    func deliveries(damage: String) async throws {
        try await with { bench async throws in
            for number in 1...4 {
                let transaction = StoreTransaction.sample("\(number)")
                try await bench.store.claim(
                    transaction, by: buyer(1), receipt: "\(number)",
                    delivering: [Delivery(transaction, to: Credit(account: "\(number)"), in: daily)],
                    at: noon + Double(number))
            }
            try await bench.change("UPDATE delivery SET \(damage) WHERE transaction_id IN ('1', '2')")
            for limit in [1, 2, 9] {
                let due = try await bench.store.deliveriesDue(in: daily, at: noon + 9, limit: limit)
                #expect(due.map(\.delivery.id.transaction) == Array(["3", "4"].prefix(limit)))
            }
            let waiting = try await bench.store.deliveries(in: daily, waiting: true, limit: 9)
            #expect(waiting.map(\.delivery.id.transaction) == ["4", "3"])
        }
    }

    @Test(
        "keeps no other receipt from being asked about",
        arguments: ["parts = x'ffffffff'", "owner = x'00'", "attempts = -1", "store = ''"])
    func receipts(damage: String) async throws {
        try await with { bench async throws in
            let rig = DeskRig(bench.store, clock: bench.clock)
            rig.verifier.breakDown()
            for number: UInt8 in 1...3 { _ = try await rig.confirm("\(number)", by: buyer(number)) }
            try await bench.change("UPDATE receipt SET \(damage) WHERE id = 1")
            bench.clock.advance(by: 99)
            rig.verifier.prove(.sample())
            #expect(try await rig.desk.followUp(limit: 1) == 1)
            #expect(try await rig.desk.followUp(limit: 1) == 1)
            #expect(try await rig.desk.followUp() == 0)
            #expect(try await rig.counts?.proven == 2)
        }
    }

    @Test("keeps no other receipt from being settled, where it is what a receipt proves")
    func settlement() async throws {
        try await with { bench async throws in
            let rig = DeskRig(bench.store, clock: bench.clock)
            rig.verifier.prove(.sample("1"))
            _ = try await rig.confirm("known")
            rig.verifier.breakDown()
            for name in ["1", "2", "3"] { _ = try await rig.confirm(name, by: buyer(UInt8(name)! + 1)) }
            try await bench.change("UPDATE store_transaction SET quantity = -1 WHERE id = '1'")
            bench.clock.advance(by: 99)
            rig.verifier.verifyBy { receipt in .genuine([.sample(receipt[.receipt] ?? "")]) }
            await #expect(throws: Unavailable.self) { try await rig.desk.followUp() }
            #expect(try await rig.counts == ReceiptCounts.Count(waiting: 1, proven: 3, refused: 0))
            #expect(try await rig.holdings(buyer(3)) == Holdings(editions: [november]))
        }
    }

    @Test("keeps no other purchase from being looked at", arguments: ["quantity = -1", "environment = 'moon'"])
    func rechecks(damage: String) async throws {
        try await with { bench async throws in
            let rig = DeskRig(bench.store, clock: bench.clock)
            for name in ["1", "2", "3"] {
                rig.verifier.prove(.sample(name, product: "com.example.month", expires: noon + 30 * 86_400))
                _ = try await rig.confirm(name, by: buyer(UInt8(name)!))
            }
            try await bench.change("UPDATE store_transaction SET \(damage) WHERE id = '1'")
            bench.clock.advance(by: 86_401)
            rig.verifier.currentBy { [clock = bench.clock] transaction in
                [
                    .sample(
                        transaction.id, product: "com.example.month", expires: noon + 30 * 86_400,
                        told: clock.now)
                ]
            }
            #expect(try await rig.desk.followUp() == 2)
            #expect(try await rig.desk.followUp() == 0)
        }
    }

    @Test("keeps no other campaign from being sent", arguments: ["sent = -1", "environment = ''", "edition = '../x'"])
    func campaigns(damage: String) async throws {
        try await with { bench async throws in
            for name in ["1", "2"] {
                _ = try await bench.store.begin(
                    PushCampaign(
                        name: name, publication: daily, app: "com.example.daily", environment: .production,
                        edition: november, begun: noon))
            }
            try await bench.change("UPDATE push_campaign SET \(damage) WHERE name = '1'")
            let open = try await bench.store.campaigns(in: daily, unfinished: true, limit: 1)
            #expect(open.map(\.name) == ["2"])
        }
    }

    @Test("keeps no other holder of a purchase from being told")
    func holders() async throws {
        try await with { bench async throws in
            for number: UInt8 in 1...2 { _ = try await bench.store.open(buyer(number)) }
            try await bench.change("UPDATE account SET metadata = '[' WHERE number = 1")
            let accounts = try await bench.store.accounts(of: [buyer(1), buyer(2)], in: daily)
            #expect(accounts.map(\.number) == [2])
        }
    }

    @Test("is reported as long as it is there, and again when it is another")
    func reported() async throws {
        try await with { bench async throws in
            let reports = Kept<[[String: Set<String>]]>([])
            bench.store.unreadable.whenChanged { rows in reports.withLock { $0.append(rows) } }
            for text in ["1", "2"] { _ = try await bench.store.keep(.sample(text), at: noon) }
            func look() async throws -> Int {
                try await bench.store.receiptsDue(in: daily, at: noon + 99, limit: 9).count
            }
            #expect(try await look() == 2)
            try await bench.change("UPDATE receipt SET attempts = -1 WHERE id = 1")
            for _ in 0..<3 { #expect(try await look() == 1) }
            try await bench.change("UPDATE receipt SET attempts = -1 WHERE id = 2")
            #expect(try await look() == 0)
            #expect(bench.store.unreadable.byTable == ["receipt": ["1", "2"]])
            try await bench.change("DELETE FROM receipt WHERE id = 1; UPDATE receipt SET attempts = 0")
            #expect(try await look() == 1)
            #expect(
                reports.withLock(\.self) == [["receipt": ["1"]], ["receipt": ["1", "2"]], [:]])
        }
    }
}
