import Foundation
import Gatefold
import JSON
import Protections
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("Receipts that verifyReceipt is asked about", .timeLimit(.minutes(10)))
struct VerifyReceiptTests {
    private typealias Word = LoopbackStore.Word

    /// A server that answers in each environment.
    private func serving(
        production: String, sandbox: String = #"{"status":21008}"#, status: Int = 200,
        _ body: (LoopbackStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await LoopbackStore.serving(
                in: folder, { Word(status, $0.target == "/production" ? production : sandbox) }, body)
        }
    }

    private static func answer(
        _ bundle: String = "com.example.daily", environment: String = "Production", status: Int = 0
    ) -> String {
        """
        {"status": \(status), "environment": "\(environment)", "receipt": {"bundle_id": "\(bundle)",
          "request_date_ms": "1795262400000", "in_app": [{"product_id": "com.example.daily.month",
          "transaction_id": "1000", "purchase_date_ms": "1709251200000", "expires_date_ms": "1803124800000"}]}}
        """
    }

    private let old = TestTransactionReceipt().receipt

    @Test("are sent as one line of base64 with the app's own secret, and nothing is left out")
    func question() async throws {
        try await serving(production: Self.answer()) { server in
            let store = try AppleBench.asking(server, secrets: ["com.example.daily": Secret("the daily's")])
            let bytes = TestTransactionReceipt().bytes
            let broken = Data(bytes).base64EncodedString(options: .lineLength64Characters)
            let verdict = try await store.verdict(StoreReceipt([.receipt: broken]))
            #expect(verdict.transactions.map(\.id) == ["1000"])
            #expect(verdict.transactions.map(\.told) == [Date(timeIntervalSince1970: 1_795_262_400)])
            #expect(server.questions.map(\.target) == ["/production"] && server.questions.map(\.method) == ["POST"])
            let sent = try JSONParser.parse(Array((server.questions.first?.body ?? "").utf8))
            #expect(sent["receipt-data"]?.text == Data(bytes).base64EncodedString())
            #expect(sent["password"]?.text == "the daily's")
            #expect(sent["exclude-old-transactions"]?.truth == false)
        }
    }

    @Test("go to sandbox on 21007, but only where sandbox counts")
    func sandbox() async throws {
        try await serving(
            production: #"{"status":21007}"#, sandbox: Self.answer(environment: "Sandbox")
        ) { server in
            let both: Set<StoreEnvironment> = [.production, .sandbox]
            let store = try AppleBench.asking(server, environments: both)
            #expect(try await store.verdict(old) == .refused(.wrongEnvironment))
            #expect(server.questions.map(\.target) == ["/production"])
            #expect(try await store.verdict(old, allowing: both).transactions.map(\.environment) == [.sandbox])
            #expect(server.questions.map(\.target) == ["/production", "/production", "/sandbox"])
            // What says so itself is not sent at all.
            let honest = TestTransactionReceipt(environment: "Sandbox").receipt
            #expect(try await store.verdict(honest) == .refused(.wrongEnvironment))
            #expect(server.questions.count == 3)
            // A store of sandbox alone never asks production.
            let alone = try AppleBench.asking(server, environments: [.sandbox])
            #expect(try await alone.verdict(old, allowing: [.sandbox]).transactions.count == 1)
            #expect(server.questions.last?.target == "/sandbox" && server.questions.count == 4)
        }
    }

    @Test("prove nothing for production by an answer that says sandbox, nor by sandbox saying production")
    func confused() async throws {
        try await serving(production: Self.answer(environment: "Sandbox"), sandbox: Self.answer()) { server in
            let store = try AppleBench.asking(server, environments: [.production, .sandbox])
            #expect(try await store.verdict(old) == .refused(.wrongEnvironment))
            let testing = try AppleBench.asking(server, environments: [.sandbox])
            #expect(try await testing.verdict(old, allowing: [.sandbox]).transactions.map(\.environment) == [.sandbox])
        }
    }

    @Test("of another app are refused, whatever they say of themselves")
    func otherApp() async throws {
        try await serving(production: Self.answer("com.example.weekly")) { server in
            let store = try AppleBench.asking(server)
            #expect(try await store.verdict(old) == .refused(.wrongApp))
        }
    }

    @Test(
        "are refused by Apple's refusals, with their status",
        arguments: [
            (21003, ReceiptRefusal.Reason.forged), (21008, .wrongEnvironment), (21010, .notFound),
            (21200, .storeRefused),
        ])
    func refused(_ status: Int, _ reason: ReceiptRefusal.Reason) async throws {
        try await serving(production: #"{"status":\#(status)}"#) { server in
            let store = try AppleBench.asking(server)
            #expect(try await store.verdict(old) == .refused(ReceiptRefusal(reason, code: status)))
        }
    }

    @Test("are not refused by Apple's troubles", arguments: [21000, 21001, 21004, 21005, 21009, 21100])
    func troubles(_ status: Int) async throws {
        try await serving(production: #"{"status":\#(status)}"#) { server in
            let store = try AppleBench.asking(server)
            await #expect(throws: VerifyReceiptFailure.status(status)) { try await store.verdict(old) }
        }
    }

    @Test(
        "are not refused by an answer that is none", arguments: [(503, "{}"), (200, "<html>"), (429, #"{"status":0}"#)])
    func noAnswer(_ status: Int, _ body: String) async throws {
        try await serving(production: body, status: status) { server in
            let store = try AppleBench.asking(server)
            let expected: VerifyReceiptFailure = status == 200 ? .unreadable : .httpStatus(status)
            await #expect(throws: expected) { try await store.verdict(old) }
        }
    }

    @Test(
        "that Apple finds malformed, or has trouble with, wait where they have a receipt's form: 21002 says not which it is"
    )
    func doubtful() async throws {
        try await serving(production: #"{"status":21002}"#) { server in
            let store = try AppleBench.asking(server)
            await #expect(throws: VerifyReceiptFailure.status(21002)) { try await store.verdict(old) }
            #expect(server.questions.count == 1)
            #expect(try await store.verdict(StoreReceipt([.receipt: "rubbish"])) == .refused(.malformed))
            #expect(server.questions.count == 1)
        }
    }

    @Test("are refused as malformed where Apple says that asking again is of no use")
    func malformed() async throws {
        try await serving(production: #"{"status":21002,"is-retryable":false}"#) { server in
            let store = try AppleBench.asking(server)
            #expect(try await store.verdict(old) == .refused(ReceiptRefusal(.malformed, code: 21002)))
            #expect(server.questions.count == 1)
        }
    }

    @Test("tell of a subscription that is over what it paid for (21006)")
    func over() async throws {
        try await serving(production: Self.answer(status: 21006)) { server in
            let store = try AppleBench.asking(server)
            #expect(try await store.verdict(old).transactions.map(\.id) == ["1000"])
        }
    }

    @Test("without a purchase are empty")
    func empty() async throws {
        let body = #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.daily","in_app":[]}}"#
        try await serving(production: body) { server in
            let store = try AppleBench.asking(server)
            #expect(try await store.verdict(old) == .refused(.empty))
        }
    }

    @Test("are not asked about any more while Apple fails")
    func breaker() async throws {
        try await serving(production: #"{"status":21005}"#) { server in
            let store = try AppleBench.asking(server, breaks: true)
            for _ in 0..<5 {
                await #expect(throws: VerifyReceiptFailure.status(21005)) { try await store.verdict(old) }
            }
            await #expect(throws: ProtectionError.breakerOpen) { try await store.verdict(old) }
            #expect(server.questions.count == 5)
        }
    }

    @Test("that are verified here are asked about only when their subscription has ended")
    func renewals() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await serving(production: Self.answer()) { server in
            let store = try AppleBench.asking(server, roots: [authority.rootBytes])
            var payload = TestPayload()
            payload.purchases[0].expires = "2027-01-01T00:00:00Z"
            #expect(try await store.verdict(authority.receipt(payload)).transactions.count == 1)
            #expect(server.questions.isEmpty)
            payload.purchases[0].expires = "2024-04-01T00:00:00Z"
            let later = try await store.verdict(authority.receipt(payload)).transactions
            #expect(later.map(\.expires) == [Date(timeIntervalSince1970: 1_803_124_800)])
            #expect(server.questions.count == 1)
        }
        try await serving(production: "{}", status: 503) { server in
            let store = try AppleBench.asking(server, roots: [authority.rootBytes])
            var payload = TestPayload()
            payload.purchases[0].expires = "2024-04-01T00:00:00Z"
            // True all the same.
            let known = try await store.verdict(authority.receipt(payload)).transactions
            #expect(known.map(\.expires) == [AppleBench.date("2024-04-01T00:00:00Z")])
        }
    }

    @Test("that are verified here are asked about what was bought lately, which may have been refunded since")
    func refundable() async throws {
        let authority = try await ReceiptAuthority.shared.value
        let refunded = """
            {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.daily",
            "in_app":[{"product_id":"daily.month","transaction_id":"1000","original_transaction_id":"1000",
            "purchase_date_ms":"1788220800000","cancellation_date_ms":"1788307200000"}]}}
            """
        try await serving(production: refunded) { server in
            let store = try AppleBench.asking(server, roots: [authority.rootBytes])
            func told(bought: String) async throws -> [StoreTransaction] {
                var payload = TestPayload(created: "2026-11-01T00:00:00Z", purchases: [])
                payload.purchases = [.init(transaction: "1000", original: "1000", purchased: bought)]
                return try await store.verdict(authority.receipt(payload)).transactions
            }
            #expect(try await told(bought: "2026-08-22T00:00:00Z").map(\.revoked) == [nil])
            #expect(server.questions.isEmpty, "too long ago for a refund")
            let lately = try await told(bought: "2026-09-01T00:00:00Z")
            #expect(lately.map(\.revoked) == [Date(timeIntervalSince1970: 1_788_307_200)])
            #expect(server.questions.count == 1)
        }
    }

    @Test("that Apple does not answer about soon are good as they stand")
    func patience() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await withTemporaryFolder { folder in
            try await LoopbackStore.serving(in: folder) { _ in
                // Until the client has given up.
                try await Task.sleep(for: .seconds(3600))
                return LoopbackStore.Word(503)
            } _: { server in
                let store = try AppleBench.asking(server, roots: [authority.rootBytes], patience: 0.01)
                var payload = TestPayload()
                payload.purchases[0].expires = "2024-04-01T00:00:00Z"
                #expect(try await store.verdict(authority.receipt(payload)).transactions.count == 1)
            }
        }
    }

    @Test("of what has no end are not believed while Apple does not answer, unless they were made lately")
    func oldWithoutAnswer() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await serving(production: "{}", status: 503) { server in
            let store = try AppleBench.asking(server, roots: [authority.rootBytes])
            func told(made age: TimeInterval) async throws -> [StoreTransaction] {
                var payload = TestPayload()
                payload.created = (AppleBench.moment - age).ISO8601Format()
                payload.purchases[0].purchased = (AppleBench.moment - 30 * 86_400).ISO8601Format()
                return try await store.verdict(authority.receipt(payload)).transactions
            }
            #expect(try await told(made: 3600).count == 1)
            for age in [3601, 29 * 86_400.0] {
                await #expect(throws: (any Error).self) { try await told(made: age) }
            }
        }
    }

    @Test("are asked about again to learn what became of a purchase")
    func current() async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await serving(production: Self.answer()) { server in
            let store = try AppleBench.asking(server, roots: [authority.rootBytes])
            let known = try #require(try await store.verdict(authority.receipt()).transactions.first)
            let now = try await store.current(
                known, receipt: authority.receipt(), allowing: [.production], at: AppleBench.moment)
            #expect(now?.map(\.expires) == [Date(timeIntervalSince1970: 1_803_124_800)])
            let without = try await store.current(known, receipt: nil, allowing: [.production], at: AppleBench.moment)
            #expect(without == nil, "nobody can be asked")
            #expect(try await store.current(known, receipt: old, allowing: [.sandbox], at: AppleBench.moment) == nil)
            #expect(server.questions.count == 1)
        }
    }
}
