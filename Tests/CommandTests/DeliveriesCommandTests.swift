import Commerce
import Foundation
import GRDB
import Gatefold
import State
import TestSupport
import Testing

@Suite("gatefold deliveries", .timeLimit(.minutes(10))) struct DeliveriesCommandTests {
    /// A publication that credits accounts in the provider's own database.
    private struct Fixture: Sendable {
        let folder: URL
        let port: Int
        let adminPort: Int
        let store: SQLStateStore
        let billing: DatabaseQueue
        private let environment = [
            "PSEUDONYMS": "vS3nq0sYb2uT7kDx", "DAILY": "Kq7wN2vR8tYx4mZp", "WEEKLY": "Zr9bN4vR8tYx4mQw",
        ]

        init(_ folder: URL) async throws {
            self.folder = folder
            port = try FreePort.find()
            adminPort = try FreePort.find()
            try Data(
                """
                server: {listen: "127.0.0.1:\(port)", admin_listen: "127.0.0.1:\(adminPort)"}
                state: {path: state.sqlite, pseudonym_secret: {env: PSEUDONYMS}}
                stores:
                  app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}
                backends:
                  house: {kind: sqlite, path: house.sqlite}
                publications:
                  daily:
                    default: true
                    backend: house
                    secrets: {env: DAILY}
                    stores: [app-store]
                    cloud_softphone: {}
                    deliveries:
                      kind: sqlite
                      path: billing.sqlite
                      create_table: true
                      deadline: 5s
                      statements: ["UPDATE account SET credit = credit + 5 * :quantity WHERE name = :account"]
                  weekly: {backend: house, secrets: {env: WEEKLY}}
                """.utf8
            ).write(to: folder.appending(path: "gatefold.yaml"))
            store = try SQLStateStore(path: folder.appending(path: "state.sqlite").path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            configuration.journalMode = .wal
            billing = try DatabaseQueue(
                path: folder.appending(path: "billing.sqlite").path, configuration: configuration)
            try await billing.write {
                try $0.execute(sql: "CREATE TABLE account (name TEXT PRIMARY KEY, credit INTEGER NOT NULL)")
            }
        }

        func deliveries(_ arguments: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(["deliveries"] + arguments, environment: environment, in: folder)
        }

        var launch: ServerProcess.Launch {
            ServerProcess.Launch(
                GatefoldProgram.path, ["serve"], environment: environment, in: folder,
                until: .ports([adminPort, port]))
        }

        /// Records a purchase whose delivery is pending.
        func buy(_ transaction: String, for account: String, in publication: String = "daily") async throws {
            let name = try #require(StoreName("app-store"))
            let id = try #require(PublicationID(publication))
            let record = try await store.persist(
                IncomingReceipt(
                    publication: id, store: name, owner: nil, receipt: StoreReceipt([.receipt: transaction])),
                at: Date())
            let bought = StoreTransaction(
                store: name, id: transaction, original: transaction, product: "credit5", purchased: Date(),
                environment: .production, reported: Date())
            _ = try await store.settle(
                record, proving: [bought], claims: .exclusive,
                delivering: [Delivery(bought, to: Credit(account: account), in: id)], at: Date())
        }

        func addAccounts(_ names: [String]) async throws {
            try await billing.write { db in
                for name in names { try db.execute(sql: "INSERT INTO account VALUES (?, 0)", arguments: [name]) }
            }
        }

        /// The total credit.
        var credit: Int {
            get async throws {
                try await billing.read {
                    try Int.fetchOne($0, sql: "SELECT coalesce(sum(credit), 0) FROM account") ?? 0
                }
            }
        }
    }

    private func with(_ body: (Fixture) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body(try await Fixture($0)) }
    }

    private func id(_ text: String) throws -> Delivery.ID { try #require(Delivery.ID(text)) }

    @Test("`list` prints pending deliveries with the cause, and accounts only on request")
    func list() async throws {
        try await with { fixture in
            let none = try await fixture.deliveries("list")
            #expect(none.status == 0, "\(none.errors)")
            #expect(none.output.isEmpty)
            for number in 1...3 { try await fixture.buy("100\(number)", for: "phone-4711") }
            try await fixture.buy("2001", for: "phone-4712", in: "weekly")
            let next = Date(timeIntervalSince1970: 4_102_444_800)
            #expect(
                try await fixture.store.claim(
                    try id("app-store/1002"), lease: [1], at: Date(), until: Date().addingTimeInterval(35)))
            try await fixture.store.deliveryFailed(
                try id("app-store/1002"), lease: [1], cause: "the service responded with status 503", at: Date(),
                next: next)
            try await fixture.store.delivered(try id("app-store/1003"), at: Date())

            let pending = try await fixture.deliveries("list")
            #expect(pending.status == 0)
            #expect(pending.lines.count == 2)
            let reference = try id("app-store/1002").reference
            #expect(
                pending.lines.contains(
                    "app-store/1002\t\(reference)\t1 × credit5\tpending, 1 attempts, next 2100-01-01T00:00:00Z\t"
                        + "the service responded with status 503"), "\(pending.output)")
            #expect(!pending.output.contains("phone-"))
            #expect(!pending.output.contains("1003") && !pending.output.contains("2001"))

            let all = try await fixture.deliveries("list", "--all", "--reveal-account")
            #expect(all.lines.count == 3)
            #expect(all.lines.allSatisfy { $0.hasSuffix("\tphone-4711") })
            #expect(all.lines.contains { $0.hasPrefix("app-store/1003\t") && $0.contains("\tdelivered 2") })
            #expect(try await fixture.deliveries("list", "--limit", "1").lines.count == 1)
            #expect(try await fixture.deliveries("list", "--limit", "0").status == 64)
            #expect(try await fixture.deliveries("list", "--publication", "weekly").lines.count == 1)
            #expect(try await fixture.deliveries("list", "--publication", "monthly").status == 64)

            try await fixture.buy("1004", for: "phone-4711")
            let refunded = StoreTransaction(
                store: try id("app-store/1004").store, id: "1004", original: "1004", product: "credit5",
                purchased: Date(), revoked: Date(), environment: .production, reported: Date().addingTimeInterval(60))
            try await fixture.store.record([refunded], at: Date())
            #expect(try await fixture.deliveries("list").lines.count == 2)
            let unsettled = try await fixture.deliveries("settle", "app-store/1004")
            #expect(unsettled.status == 1)
            #expect(unsettled.lines == ["0 settled."])
            let taken = try await fixture.deliveries("list", "--all").lines.filter { $0.hasPrefix("app-store/1004\t") }
            #expect(taken.count == 1 && taken.allSatisfy { $0.hasSuffix("\trefunded") })

            let json = try await fixture.deliveries("list", "--json")
            #expect(
                json.output.contains(
                    #""attempts":1,"cause":"the service responded with status 503","id":"app-store/1002","#))
            #expect(!json.output.contains("account"))
        }
    }

    @Test("`settle` and `retry` report deliveries that are not pending and fail with status 1")
    func unknown() async throws {
        try await with { fixture in
            for number in 1...4 { try await fixture.buy("100\(number)", for: "phone-4711") }
            // A letter in place of a digit.
            let settled = try await fixture.deliveries("settle", "app-store/1001", "app-store/1OO2", "app-store/1001")
            #expect(settled.status == 1)
            #expect(settled.lines == ["1 settled."])
            #expect(settled.errors == "gatefold: no such pending delivery: app-store/1OO2\n")
            let again = try await fixture.deliveries("settle", "app-store/1001")
            #expect(again.status == 1)
            #expect(again.lines == ["0 settled."])
            let good = try await fixture.deliveries("settle", "app-store/1002")
            #expect(good.status == 0)
            #expect(good.errors.isEmpty)

            let next = Date(timeIntervalSince1970: 4_102_444_800)
            for transaction in ["1003", "1004"] {
                let delivery = try id("app-store/\(transaction)")
                #expect(
                    try await fixture.store.claim(
                        delivery, lease: [1], at: Date(), until: Date().addingTimeInterval(35)))
                try await fixture.store.deliveryFailed(
                    delivery, lease: [1], cause: "no such account", at: Date(), next: next)
            }
            let retried = try await fixture.deliveries("retry", "app-store/1003", "app-store/1002")
            #expect(retried.status == 1)
            #expect(retried.lines == ["1 scheduled for retry."])
            #expect(retried.errors == "gatefold: no such pending delivery: app-store/1002\n")
            let due = try await fixture.store.deliveriesDue(
                in: try #require(PublicationID("daily")), at: Date(), limit: 9)
            #expect(due.map(\.delivery.id.transaction) == ["1003"])
            guard case .pending(attempts: 1, _, cause: "no such account") = due.first?.status else {
                Issue.record("\(due)")
                return
            }
            let all = try await fixture.deliveries("retry", "--all")
            #expect(all.status == 0)
            #expect(all.lines == ["2 scheduled for retry."])

            for wrong in [["settle"], ["retry"], ["retry", "--all", "app-store/1003"], ["settle", "1003"]] {
                let run = try await GatefoldProgram.run(["deliveries"] + wrong, in: fixture.folder)
                #expect(run.status == 64, "\(wrong): \(run.errors)")
            }
        }
    }

    @Test("A retry delivers a rejected delivery on the running server once its cause is fixed")
    func retried() async throws {
        try await with { fixture in
            try await fixture.buy("1001", for: "phone-4711")
            try await withServer(fixture.launch) { server in
                let admin = RawHTTP(port: fixture.adminPort)
                func series(_ line: String) async throws -> Bool {
                    try await admin.send("GET", "/metrics").text.contains(line)
                }
                // The gauge is updated shortly after the counter.
                let isCounted = try await eventually {
                    let isRejected = try await series(
                        #"gatefold_deliveries_total{publication="daily",result="rejected"} 1"#)
                    let isPending = try await series(#"gatefold_deliveries_pending{publication="daily"} 1"#)
                    return isRejected && isPending
                }
                #expect(isCounted, "\(server.output)")
                #expect(try await fixture.deliveries("list").output.contains("statement 1 changed no row"))
                try await fixture.addAccounts(["phone-4711"])
                #expect(try await fixture.deliveries("retry", "app-store/1001").status == 0)
                #expect(try await eventually { try await fixture.credit == 5 }, "\(server.output)")
                #expect(try await eventually { try await fixture.deliveries("list").output.isEmpty })
                #expect(!server.output.contains("phone-"))
            }
        }
    }

    @Test("A server killed during delivery continues at the next start, and each account is credited once")
    func killed() async throws {
        try await with { fixture in
            let accounts = (0..<300).map { "phone-\($0)" }
            try await fixture.addAccounts(accounts)
            for (number, account) in accounts.enumerated() { try await fixture.buy("\(number)", for: account) }
            for share in [1, 2, 3] {
                try await withServer(fixture.launch) { server in
                    _ = try await eventually { try await fixture.credit > share * 60 }
                    server.send(SIGKILL)
                    #expect(await server.end() == -SIGKILL)
                }
            }
            #expect(try await fixture.credit > 0)
            try await withServer(fixture.launch) { server async throws in
                #expect(
                    try await eventually { try await fixture.deliveries("list").output.isEmpty }, "\(server.output)")
            }
            let wrong = try await fixture.billing.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM account WHERE credit <> 5") ?? -1
            }
            #expect(wrong == 0)
        }
    }

    @Test("Pitfall 31: an unreadable delivery does not block others, and the server is degraded")
    func unreadable() async throws {
        try await with { fixture in
            try await fixture.addAccounts(["phone-4711", "phone-4712"])
            try await fixture.buy("1001", for: "phone-4711")
            try await fixture.buy("1002", for: "phone-4712")
            let state = try DatabaseQueue(path: fixture.folder.appending(path: "state.sqlite").path)
            try await state.write {
                try $0.execute(sql: "UPDATE delivery SET quantity = -1 WHERE transaction_id = '1001'")
            }
            try await withServer(fixture.launch) { server in
                let admin = RawHTTP(port: fixture.adminPort)
                #expect(try await eventually { try await fixture.credit == 5 }, "\(server.output)")
                let ready = try await admin.send("GET", "/readyz")
                #expect(ready.status == 200)
                #expect(
                    ready.text.hasPrefix("degraded\nrows of table delivery that cannot be read: 1\n"), "\(ready.text)")
                let metrics = try await admin.send("GET", "/metrics").text
                #expect(metrics.contains(#"gatefold_state_rows_unreadable{table="delivery"} 1"#))
                #expect(server.output.contains(try id("app-store/1001").reference))
                try await state.write { try $0.execute(sql: "DELETE FROM delivery WHERE transaction_id = '1001'") }
                let isMended = try await eventually {
                    try await !admin.send("GET", "/readyz").text.contains("rows of table")
                }
                #expect(isMended)
            }
        }
    }
}
