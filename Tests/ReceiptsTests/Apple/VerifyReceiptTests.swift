import Commerce
import Foundation
import JSON
import Primitives
import Resilience
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Receipt verification by verifyReceipt", .timeLimit(.minutes(10)))
struct VerifyReceiptTests {
    private typealias Reply = LoopbackStore.Reply

    /// Runs a server with one response for each environment.
    private func serving(
        production: String, sandbox: String = #"{"status":21008}"#, status: Int = 200,
        _ body: (LoopbackStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await LoopbackStore.serving(
                in: folder, { Reply(status, $0.target == "/production" ? production : sandbox) }, body)
        }
    }

    private static func response(
        _ bundle: String = "com.example.daily", environment: String = "Production", status: Int = 0
    ) -> String {
        """
        {"status": \(status), "environment": "\(environment)", "receipt": {"bundle_id": "\(bundle)",
          "request_date_ms": "1795262400000", "in_app": [{"product_id": "com.example.daily.month",
          "transaction_id": "1000", "purchase_date_ms": "1709251200000", "expires_date_ms": "1803124800000"}]}}
        """
    }

    private let old = TestTransactionReceipt().receipt

    @Test("Sends the receipt as one line of base64 with the app's own secret and all transactions")
    func query() async throws {
        try await serving(production: Self.response()) { server in
            let store = try AppleFixture.connecting(server, secrets: ["com.example.daily": Secret("the daily's")])
            let bytes = TestTransactionReceipt().bytes
            let broken = Data(bytes).base64EncodedString(options: .lineLength64Characters)
            let verdict = try await store.verdict(StoreReceipt([.receipt: broken]))
            #expect(verdict.transactions.map(\.id) == ["1000"])
            #expect(verdict.transactions.map(\.reported) == [Date(timeIntervalSince1970: 1_795_262_400)])
            #expect(server.requests.map(\.target) == ["/production"] && server.requests.map(\.method) == ["POST"])
            let sent = try JSONParser.parse(Array((server.requests.first?.body ?? "").utf8))
            #expect(sent["receipt-data"]?.text == Data(bytes).base64EncodedString())
            #expect(sent["password"]?.text == "the daily's")
            #expect(sent["exclude-old-transactions"]?.boolValue == false)
        }
    }

    @Test("Retries in sandbox after 21007, but only where sandbox is allowed")
    func sandbox() async throws {
        try await serving(
            production: #"{"status":21007}"#, sandbox: Self.response(environment: "Sandbox")
        ) { server in
            let both: Set<StoreEnvironment> = [.production, .sandbox]
            let store = try AppleFixture.connecting(server, environments: both)
            #expect(try await store.verdict(old) == .rejected(.wrongEnvironment))
            #expect(server.requests.map(\.target) == ["/production"])
            #expect(try await store.verdict(old, allowing: both).transactions.map(\.environment) == [.sandbox])
            #expect(server.requests.map(\.target) == ["/production", "/production", "/sandbox"])
            // A receipt that declares sandbox itself is not sent at all.
            let honest = TestTransactionReceipt(environment: "Sandbox").receipt
            #expect(try await store.verdict(honest) == .rejected(.wrongEnvironment))
            #expect(server.requests.count == 3)
            // A sandbox-only store never queries production.
            let alone = try AppleFixture.connecting(server, environments: [.sandbox])
            #expect(try await alone.verdict(old, allowing: [.sandbox]).transactions.count == 1)
            #expect(server.requests.last?.target == "/sandbox" && server.requests.count == 4)
        }
    }

    @Test("Rejects a response whose environment contradicts the queried server")
    func confused() async throws {
        try await serving(production: Self.response(environment: "Sandbox"), sandbox: Self.response()) { server in
            let store = try AppleFixture.connecting(server, environments: [.production, .sandbox])
            #expect(try await store.verdict(old) == .rejected(.wrongEnvironment))
            let testing = try AppleFixture.connecting(server, environments: [.sandbox])
            #expect(try await testing.verdict(old, allowing: [.sandbox]).transactions.map(\.environment) == [.sandbox])
        }
    }

    @Test("Rejects the receipt of another app according to Apple's response")
    func otherApp() async throws {
        try await serving(production: Self.response("com.example.weekly")) { server in
            let store = try AppleFixture.connecting(server)
            #expect(try await store.verdict(old) == .rejected(.wrongApp))
        }
    }

    @Test(
        "Maps a rejecting status to a rejection with that status",
        arguments: [
            (21003, ReceiptRejection.Reason.forged), (21008, .wrongEnvironment), (21010, .notFound),
            (21200, .rejectedByStore),
        ])
    func rejected(_ status: Int, _ reason: ReceiptRejection.Reason) async throws {
        try await serving(production: #"{"status":\#(status)}"#) { server in
            let store = try AppleFixture.connecting(server)
            #expect(try await store.verdict(old) == .rejected(ReceiptRejection(reason, code: status)))
        }
    }

    @Test("Throws an error for a temporary failure at Apple", arguments: [21000, 21001, 21004, 21005, 21009, 21100])
    func troubles(_ status: Int) async throws {
        try await serving(production: #"{"status":\#(status)}"#) { server in
            let store = try AppleFixture.connecting(server)
            await #expect(throws: VerifyReceiptFailure.status(status)) { try await store.verdict(old) }
        }
    }

    @Test(
        "Throws an error for a failed or unreadable response",
        arguments: [(503, "{}"), (200, "<html>"), (429, #"{"status":0}"#)])
    func noResponse(_ status: Int, _ body: String) async throws {
        try await serving(production: body, status: status) { server in
            let store = try AppleFixture.connecting(server)
            let expected: VerifyReceiptFailure = status == 200 ? .unreadable : .httpStatus(status)
            await #expect(throws: expected) { try await store.verdict(old) }
        }
    }

    @Test(
        "Status 21002 is a failure for a well-formed receipt, because it may be temporary"
    )
    func ambiguous() async throws {
        try await serving(production: #"{"status":21002}"#) { server in
            let store = try AppleFixture.connecting(server)
            await #expect(throws: VerifyReceiptFailure.status(21002)) { try await store.verdict(old) }
            #expect(server.requests.count == 1)
            #expect(try await store.verdict(StoreReceipt([.receipt: "rubbish"])) == .rejected(.malformed))
            #expect(server.requests.count == 1)
        }
    }

    @Test("Rejects a receipt as malformed after 21002 if Apple marks it as not retryable")
    func malformed() async throws {
        try await serving(production: #"{"status":21002,"is-retryable":false}"#) { server in
            let store = try AppleFixture.connecting(server)
            #expect(try await store.verdict(old) == .rejected(ReceiptRejection(.malformed, code: 21002)))
            #expect(server.requests.count == 1)
        }
    }

    @Test("Status 21006 still reports the purchases of an expired subscription")
    func over() async throws {
        try await serving(production: Self.response(status: 21006)) { server in
            let store = try AppleFixture.connecting(server)
            #expect(try await store.verdict(old).transactions.map(\.id) == ["1000"])
        }
    }

    @Test("Rejects a receipt without purchases as empty")
    func empty() async throws {
        let body = #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.daily","in_app":[]}}"#
        try await serving(production: body) { server in
            let store = try AppleFixture.connecting(server)
            #expect(try await store.verdict(old) == .rejected(.empty))
        }
    }

    @Test("Opens the circuit breaker after repeated failures at Apple")
    func breaker() async throws {
        try await serving(production: #"{"status":21005}"#) { server in
            let store = try AppleFixture.connecting(server, breaks: true)
            for _ in 0..<5 {
                await #expect(throws: VerifyReceiptFailure.status(21005)) { try await store.verdict(old) }
            }
            await #expect(throws: ProtectionError.breakerOpen) { try await store.verdict(old) }
            #expect(server.requests.count == 5)
        }
    }

    @Test("Queries Apple about a locally verified receipt only if its subscription has ended")
    func renewals() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await serving(production: Self.response()) { server in
            let store = try AppleFixture.connecting(server, roots: [authority.rootBytes])
            var payload = TestPayload()
            payload.purchases[0].expires = "2027-01-01T00:00:00Z"
            #expect(try await store.verdict(authority.receipt(payload)).transactions.count == 1)
            #expect(server.requests.isEmpty)
            payload.purchases[0].expires = "2024-04-01T00:00:00Z"
            let later = try await store.verdict(authority.receipt(payload)).transactions
            #expect(later.map(\.expires) == [Date(timeIntervalSince1970: 1_803_124_800)])
            #expect(server.requests.count == 1)
        }
        try await serving(production: "{}", status: 503) { server in
            let store = try AppleFixture.connecting(server, roots: [authority.rootBytes])
            var payload = TestPayload()
            payload.purchases[0].expires = "2024-04-01T00:00:00Z"
            // The local result remains valid while Apple fails.
            let known = try await store.verdict(authority.receipt(payload)).transactions
            #expect(known.map(\.expires) == [AppleFixture.date("2024-04-01T00:00:00Z")])
        }
    }

    @Test("Queries Apple about recent purchases of a locally verified receipt, which may be refunded")
    func refundable() async throws {
        let authority = try await ReceiptAuthority.shared.value
        let refunded = """
            {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.daily",
            "in_app":[{"product_id":"daily.month","transaction_id":"1000","original_transaction_id":"1000",
            "purchase_date_ms":"1788220800000","cancellation_date_ms":"1788307200000"}]}}
            """
        try await serving(production: refunded) { server in
            let store = try AppleFixture.connecting(server, roots: [authority.rootBytes])
            func reported(bought: String) async throws -> [StoreTransaction] {
                var payload = TestPayload(created: "2026-11-01T00:00:00Z", purchases: [])
                payload.purchases = [.init(transaction: "1000", original: "1000", purchased: bought)]
                return try await store.verdict(authority.receipt(payload)).transactions
            }
            #expect(try await reported(bought: "2026-08-22T00:00:00Z").map(\.revoked) == [nil])
            #expect(server.requests.isEmpty, "too old for a refund")
            let lately = try await reported(bought: "2026-09-01T00:00:00Z")
            #expect(lately.map(\.revoked) == [Date(timeIntervalSince1970: 1_788_307_200)])
            #expect(server.requests.count == 1)
        }
    }

    @Test("Accepts a locally verified receipt if Apple exceeds the deadline")
    func deadline() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await withTemporaryFolder { folder in
            try await LoopbackStore.serving(in: folder) { _ in
                // Sleeps until the client times out.
                try await Task.sleep(for: .seconds(3600))
                return LoopbackStore.Reply(503)
            } _: { server in
                let store = try AppleFixture.connecting(server, roots: [authority.rootBytes], deadline: 0.01)
                var payload = TestPayload()
                payload.purchases[0].expires = "2024-04-01T00:00:00Z"
                #expect(try await store.verdict(authority.receipt(payload)).transactions.count == 1)
            }
        }
    }

    @Test("Rejects old receipts of purchases without an expiry while Apple fails, and accepts recent ones")
    func oldWithoutResponse() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await serving(production: "{}", status: 503) { server in
            let store = try AppleFixture.connecting(server, roots: [authority.rootBytes])
            func reported(made age: TimeInterval) async throws -> [StoreTransaction] {
                var payload = TestPayload()
                payload.created = (AppleFixture.timestamp - age).ISO8601Format()
                payload.purchases[0].purchased = (AppleFixture.timestamp - 30 * 86_400).ISO8601Format()
                return try await store.verdict(authority.receipt(payload)).transactions
            }
            #expect(try await reported(made: 3600).count == 1)
            for age in [3601, 29 * 86_400.0] {
                await #expect(throws: (any Error).self) { try await reported(made: age) }
            }
        }
    }

    @Test("Queries Apple again for the current state of a purchase")
    func current() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await serving(production: Self.response()) { server in
            let store = try AppleFixture.connecting(server, roots: [authority.rootBytes])
            let known = try #require(try await store.verdict(authority.receipt()).transactions.first)
            let now = try await store.current(
                known, receipt: authority.receipt(), allowing: [.production], at: AppleFixture.timestamp)
            #expect(now?.map(\.expires) == [Date(timeIntervalSince1970: 1_803_124_800)])
            let without = try await store.current(
                known, receipt: nil, allowing: [.production], at: AppleFixture.timestamp)
            #expect(without == nil, "no server can be queried")
            #expect(
                try await store.current(known, receipt: old, allowing: [.sandbox], at: AppleFixture.timestamp) == nil)
            #expect(server.requests.count == 1)
        }
    }
}
