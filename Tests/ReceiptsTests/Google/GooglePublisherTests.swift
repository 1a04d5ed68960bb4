import Commerce
import Foundation
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Google Play Developer API", .timeLimit(.minutes(10)))
struct GooglePublisherTests {
    private let token = StoreReceipt([.token: "t/1", .product: "daily.2026-11-01"])

    private func withGoogle(
        _ body: (FakeGooglePlay, LoopbackStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let google = try await FakeGooglePlay(in: folder)
            try await google.run { try await body(google, $0) }
        }
    }

    private func verdict(
        _ verifier: any ReceiptVerifier, _ receipt: StoreReceipt, allowing: Set<StoreEnvironment> = [.production]
    )
        async throws -> ReceiptVerdict
    {
        try await verifier.verify(receipt, allowing: allowing, at: GoogleFixture.now)
    }

    @Test("Verifies a token and a product, and concurrent queries share one access token")
    func singles() async throws {
        try await withGoogle { google, store in
            let clock = ManualClock()
            let verifier = try google.verifier(store, clock: clock)
            google.notify("products/daily.2026-11-01/tokens/t%2F1", FakeGooglePlay.single(more: "\"quantity\":3,"))
            let reported = try await withThrowingTaskGroup(of: ReceiptVerdict.self) { group in
                for _ in 0..<50 { group.addTask { try await verdict(verifier, token) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let transaction = try #require(reported.first?.transactions.first)
            #expect(reported.count == 50 && Set(reported.flatMap(\.transactions)).count == 1)
            #expect(transaction.id == "GPA.9-9" && transaction.quantity == 3 && transaction.expires == nil)
            #expect(transaction.environment == .production && transaction.reported == GoogleFixture.now)
            #expect(google.script.withLock { $0.issued } == 1)
            // The client fetches a new token shortly before the expiry.
            clock.advance(by: 3590)
            _ = try await verdict(verifier, token)
            await until { google.script.withLock { $0.issued } == 2 }
        }
    }

    @Test("A subscription is valid as long as Google reports, grace period included")
    func subscriptions() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store)
            let path = "subscriptionsv2/tokens/t%2F1"
            let december = try Date("2026-12-01T00:00:00Z", strategy: .iso8601)
            for state in ["ACTIVE", "IN_GRACE_PERIOD", "CANCELED", "UNSPECIFIED"] {
                google.notify(path, FakeGooglePlay.subscription(state, product: "daily.2026-11-01"))
                let transaction = try #require(try await verdict(verifier, token).transactions.first)
                #expect(transaction.expires == december, "\(state)")
                #expect(transaction.id == "GPA.1-2..3" && transaction.original == "GPA.1-2")
                #expect(transaction.purchased == (try Date("2026-08-01T10:00:00Z", strategy: .iso8601)) + 0.25)
            }
            for state in ["ON_HOLD", "PAUSED", "EXPIRED"] {
                google.notify(path, FakeGooglePlay.subscription(state, product: "daily.2026-11-01"))
                #expect(try await verdict(verifier, token).transactions.first?.expires == GoogleFixture.now, "\(state)")
            }
            for state in ["PENDING", "PENDING_PURCHASE_CANCELED"] {
                google.notify(path, FakeGooglePlay.subscription(state, product: "daily.2026-11-01"))
                #expect(try await verdict(verifier, token).rejection == .empty, "\(state)")
            }
        }
    }

    @Test(
        "Pitfall 18: rejects other products and refunded, pending, sandbox, unknown and expired purchases"
    )
    func rejections() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store)
            let (single, subscription) = ("products/daily.2026-11-01/tokens/t%2F1", "subscriptionsv2/tokens/t%2F1")
            for (reply, reason) in [
                (FakeGooglePlay.single(state: 2), ReceiptRejection.Reason.empty),
                (FakeGooglePlay.single(more: "\"productId\":\"other\","), .wrongProduct),
                (FakeGooglePlay.single(more: "\"purchaseType\":0,"), .wrongEnvironment),
                (LoopbackStore.Reply(404), .notFound), (LoopbackStore.Reply(400), .notFound),
                (LoopbackStore.Reply(410), .revoked),
            ] {
                google.notify(single, reply)
                #expect(try await verdict(verifier, token).rejection == reason)
            }
            google.notify(single, FakeGooglePlay.single(state: 1))
            let refunded = try await verdict(verifier, token)
            #expect(refunded.transactions.map(\.revoked) == [GoogleFixture.now])
            google.notify(single, FakeGooglePlay.single(more: "\"purchaseType\":0,"))
            let sandboxed = try await verdict(verifier, token, allowing: GoogleFixture.both)
            #expect(sandboxed.transactions.map(\.environment) == [.sandbox])
            for (reply, reason) in [
                (LoopbackStore.Reply(410), ReceiptRejection.Reason.expired),
                (FakeGooglePlay.subscription("ACTIVE"), .wrongProduct),
                (
                    FakeGooglePlay.subscription("ACTIVE", product: "daily.2026-11-01", more: "\"testPurchase\":{},"),
                    .wrongEnvironment
                ),
            ] {
                google.notify(subscription, reply)
                #expect(try await verdict(verifier, token).rejection == reason)
            }
        }
    }

    @Test("An outage is never a rejection, and errors contain no token")
    func unavailable() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store, "breaker: {enabled: false}")
            for status in [403, 429, 500, 502, 503] {
                google.script.withLock { $0.everything = LoopbackStore.Reply(status, "secret page") }
                let error = await #expect(throws: GoogleFailure.self) { try await verdict(verifier, token) }
                #expect(error == (status == 403 ? .notAllowed(status: 403) : .status(status)))
                let message = "\(String(describing: error)) \(error?.cause ?? "")"
                #expect(!message.contains("ya29") && !message.contains("t/1") && !message.contains("secret"))
            }
            let noApp = #"{"error":{"errors":[{"reason":"applicationNotFound"}]}}"#
            google.script.withLock { $0.everything = LoopbackStore.Reply(404, noApp) }
            await #expect(throws: GoogleFailure.notAllowed(status: 404)) { try await verdict(verifier, token) }
            for nonsense in ["", "[]", "{}", "{\"lineItems\":7}"] {
                google.script.withLock { $0.everything = LoopbackStore.Reply(200, nonsense) }
                await #expect(throws: GoogleFailure.unrecognizedResponse) { try await verdict(verifier, token) }
            }
            // The client replaces a token that Google revoked, once.
            google.notify("products/daily.2026-11-01/tokens/t%2F1", FakeGooglePlay.single())
            google.script.withLock {
                $0.everything = nil
                $0.validTokens = []
            }
            #expect(try await verdict(verifier, token).transactions.count == 1)
            google.script.withLock { $0.everything = LoopbackStore.Reply(401) }
            await #expect(throws: GoogleFailure.notAllowed(status: 401)) { try await verdict(verifier, token) }
            google.script.withLock { $0.tokenStatus = 400 }
            let fresh = try google.verifier(store)
            await #expect(throws: GoogleFailure.noToken(status: 400)) { try await verdict(fresh, token) }
        }
    }

    @Test("Corrected from the historic server: rejects a server with an untrusted TLS certificate")
    func tls() async throws {
        try await withGoogle { google, store in
            try await withTemporaryFolder { folder in
                let stranger = try await TestAuthority("stranger", in: folder)
                let verifier = try google.verifier(store.trusting(stranger.certificate))
                await #expect(throws: (any Error).self) { try await verdict(verifier, token) }
                #expect(store.requests.isEmpty)
            }
        }
    }

    @Test("Verifies signed data before the query to Google, and uses unsigned data only as the query's subject")
    func signed() async throws {
        try await withGoogle { google, store in
            let key = try await SigningKey("app", in: google.folder)
            let verifier = try google.verifier(store, "public_key: \(try key.licence)\n")
            let data = GoogleFixture.data(token: "t1")
            google.notify("products/daily.2026-11-01/tokens/t1", FakeGooglePlay.single(state: 1))
            let receipt = try await GoogleFixture.receipt(data, signedBy: key)
            let reported = try await verdict(verifier, receipt).transactions
            #expect(reported.map { $0.revoked != nil } == [true], "only the signed data has the state purchased")
            let requested = store.requests.count
            let forged = StoreReceipt([.receipt: data, .signature: try await key.sign("x")])
            #expect(try await verdict(verifier, forged).rejection == .forged)
            #expect(store.requests.count == requested)
            google.notify("products/daily.2026-11-01/tokens/t1", FakeGooglePlay.single())
            #expect(try await verdict(verifier, StoreReceipt([.receipt: data])).transactions.count == 1)
            let other = GoogleFixture.data(package: "com.example.other", token: "t1")
            #expect(try await verdict(verifier, StoreReceipt([.receipt: other])).rejection == .wrongApp)
        }
    }

    @Test("Marks purchases for acknowledgement where configured, and verification does not acknowledge")
    func acknowledging() async throws {
        try await withGoogle { google, store in
            google.notify("products/daily.2026-11-01/tokens/t%2F1", FakeGooglePlay.single())
            let idle = try google.verifier(store)
            #expect(try await verdict(idle, token).transactions.map(\.awaitsAcknowledgement) == [false])
            let eager = try google.verifier(store, "acknowledge: true\n")
            let single = try #require(try await verdict(eager, token).transactions.first)
            #expect(single.awaitsAcknowledgement)
            #expect(!store.requests.contains { $0.target.hasSuffix(":acknowledge") })
            try await idle.acknowledge(single, receipt: token)
            #expect(!store.requests.contains { $0.target.hasSuffix(":acknowledge") })
            try await eager.acknowledge(single, receipt: token)
            #expect(
                store.requests.last?.target.hasSuffix("/products/daily.2026-11-01/tokens/t%2F1:acknowledge") == true)
            google.notify("products/daily.2026-11-01/tokens/t%2F1", FakeGooglePlay.single(state: 1))
            #expect(try await verdict(eager, token).transactions.map(\.awaitsAcknowledgement) == [false], "refunded")
            let pending = "\"acknowledgementState\":\"ACKNOWLEDGEMENT_STATE_PENDING\","
            let path = "subscriptionsv2/tokens/t%2F1"
            google.notify(path, FakeGooglePlay.subscription("ACTIVE", product: "daily.2026-11-01", more: pending))
            let subscription = try #require(try await verdict(eager, token).transactions.first)
            #expect(subscription.awaitsAcknowledgement)
            try await eager.acknowledge(subscription, receipt: token)
            let last = store.requests.last?.target ?? ""
            #expect(last.hasSuffix("/subscriptions/daily.2026-11-01/tokens/t%2F1:acknowledge"))
            google.notify(path, FakeGooglePlay.subscription("EXPIRED", product: "daily.2026-11-01", more: pending))
            #expect(try await verdict(eager, token).transactions.map(\.awaitsAcknowledgement) == [false])
        }
    }

    @Test("A rejected acknowledgement does not count as an outage of Google")
    func acknowledgementRejected() async throws {
        try await withGoogle { google, store in
            google.notify("products/daily.2026-11-01/tokens/t%2F1", FakeGooglePlay.single())
            let verifier = try google.verifier(store, "acknowledge: true\nbreaker: {min_failures: 2}\n")
            let bought = try #require(try await verdict(verifier, token).transactions.first)
            google.script.withLock { $0.acknowledging = LoopbackStore.Reply(403) }
            for _ in 0..<5 {
                await #expect(throws: GoogleFailure.notAcknowledged(status: 403)) {
                    try await verifier.acknowledge(bought, receipt: token)
                }
            }
            #expect(try await verdict(verifier, token).transactions.count == 1)
        }
    }

    @Test("Reverification reports a renewal, an early end and a refund")
    func current() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store)
            let path = "subscriptionsv2/tokens/t%2F1"
            google.notify(path, FakeGooglePlay.subscription("ACTIVE", product: "daily.2026-11-01"))
            let first = try #require(try await verdict(verifier, token).transactions.first)
            func now(_ known: StoreTransaction? = nil) async throws -> [StoreTransaction]? {
                try await verifier.current(
                    known ?? first, receipt: token, allowing: [.production], at: GoogleFixture.now)
            }
            google.notify(
                path,
                FakeGooglePlay.subscription(
                    "ACTIVE", expires: "2027-01-01T00:00:00Z", order: "GPA.1-2..4", product: "daily.2026-11-01"))
            let renewed = try #require(try await now()?.first)
            #expect(renewed.id == "GPA.1-2..4" && renewed.original == first.original)
            google.notify(path, FakeGooglePlay.subscription("ON_HOLD", product: "daily.2026-11-01"))
            #expect(try await now()?.first?.expires == GoogleFixture.now)
            google.notify(path, FakeGooglePlay.subscription("ACTIVE", order: "GPA.7-7"))
            #expect(try await now() == [], "another purchase")
            google.notify(path, LoopbackStore.Reply(410))
            let over = try #require(try await now()?.first)
            #expect(over.id == first.id && over.expires == GoogleFixture.now && over.revoked == nil)
            google.notify(path, LoopbackStore.Reply(404))
            let single = "products/daily.2026-11-01/tokens/t%2F1"
            google.notify(single, FakeGooglePlay.single())
            let issue = try #require(try await verdict(verifier, token).transactions.first)
            for reply in [FakeGooglePlay.single(state: 1), LoopbackStore.Reply(410)] {
                google.notify(single, reply)
                #expect(try await now(issue)?.map(\.revoked) == [GoogleFixture.now])
            }
            google.notify(single, LoopbackStore.Reply(404))
            #expect(try await now(issue) == [], "an unknown purchase is not a revoked one")
            let without = try await verifier.current(
                first, receipt: nil, allowing: [.production], at: GoogleFixture.now)
            #expect(without == nil)
        }
    }

    @Test("A subscription of several products keeps its original purchases at a renewal")
    func severalItems() async throws {
        try await withGoogle { google, store in
            let key = try await SigningKey("app", in: google.folder)
            let verifier = try google.verifier(store, "public_key: \(try key.licence)\n")
            func notify(_ order: String, _ expires: String) {
                google.notify(
                    "subscriptionsv2/tokens/t1",
                    LoopbackStore.Reply(
                        200,
                        """
                        {"startTime":"2026-08-01T10:00:00Z","subscriptionState":"SUBSCRIPTION_STATE_ACTIVE",
                        "latestOrderId":"\(order)","lineItems":[{"productId":"daily","expiryTime":"\(expires)"},
                        {"productId":"crossword","expiryTime":"\(expires)"}]}
                        """))
            }
            let data = GoogleFixture.data(order: "GPA.1", product: "daily", token: "t1")
            let receipt = try await GoogleFixture.receipt(data, signedBy: key)
            notify("GPA.1", "2026-12-01T00:00:00Z")
            let first = try await verdict(verifier, receipt).transactions
            #expect(first.map(\.id) == ["GPA.1/daily", "GPA.1/crossword"])
            notify("GPA.1..0", "2027-01-01T00:00:00Z")
            let renewed = try await verdict(verifier, receipt).transactions
            #expect(renewed.map(\.id) == ["GPA.1..0/daily", "GPA.1..0/crossword"])
            #expect(renewed.map(\.original) == first.map(\.original))
            for (known, later) in zip(first, renewed) {
                let reported = try await verifier.current(
                    known, receipt: receipt, allowing: [.production], at: GoogleFixture.now)
                #expect(reported == [later])
            }
        }
    }
}

@Suite("Subscription with changing products", .timeLimit(.minutes(10)))
struct GoogleAddOnTests {
    private func notify(_ google: FakeGooglePlay, _ order: String, _ products: [String]) {
        let items = products.map { "{\"productId\":\"\($0)\",\"expiryTime\":\"2027-01-01T00:00:00Z\"}" }
        google.notify(
            "subscriptionsv2/tokens/t1",
            LoopbackStore.Reply(
                200,
                """
                {"startTime":"2026-08-01T10:00:00Z","subscriptionState":"SUBSCRIPTION_STATE_ACTIVE",
                "latestOrderId":"\(order)","lineItems":[\(items.joined(separator: ","))]}
                """))
    }

    @Test(
        "Keeps the recorded purchase when a product is added or dropped",
        arguments: [["daily"], ["daily", "crossword"]], [false, true])
    func changed(first: [String], isSigned: Bool) async throws {
        try await withTemporaryFolder { folder in
            let google = try await FakeGooglePlay(in: folder)
            try await google.run { store in
                let key = try await SigningKey("app", in: folder)
                let verifier = try google.verifier(store, isSigned ? "public_key: \(try key.licence)\n" : "")
                let data = GoogleFixture.data(order: "GPA.1", product: "daily", token: "t1")
                let receipt =
                    isSigned ? try await GoogleFixture.receipt(data, signedBy: key) : StoreReceipt([.receipt: data])
                notify(google, "GPA.1", first)
                let known = try await verifier.verify(
                    receipt, allowing: [.production], at: GoogleFixture.now
                ).transactions
                #expect(known.map(\.product) == first)
                for (order, products) in [("GPA.1..0", ["daily"]), ("GPA.1..1", ["crossword", "daily"])] {
                    notify(google, order, products)
                    let daily = try #require(known.first)
                    let reported = try await verifier.current(
                        daily, receipt: receipt, allowing: [.production], at: GoogleFixture.now)
                    #expect(reported?.map(\.original) == [daily.original] && reported?.map(\.product) == ["daily"])
                    let name = first.count == 1 ? order : "\(order)/daily"
                    #expect(reported?.map(\.id) == [name])
                    guard known.count > 1 else { continue }
                    let dropped = try await verifier.current(
                        known[1], receipt: receipt, allowing: [.production], at: GoogleFixture.now)
                    #expect(dropped?.count == (products.contains("crossword") ? 1 : 0))
                }
            }
        }
    }
}

@Suite("Google Play settings")
struct GoogleStoreSettingsTests {
    @Test("Name the missing or invalid key")
    func errors() {
        for (yaml, message) in [
            ("package: com.example.daily\n", "public_key"), ("public_key: AAAA\n", "package"),
            ("package: com.example.daily\npublic_key: AAAA\n", "licence key"),
            ("package: a b\npublic_key: AAAA\n", "package name"),
            ("package: com.example.daily\nservice_account: {file: /dev/null}\n", "service_account"),
        ] {
            let error = #expect(throws: (any Error).self) { try GoogleFixture.open(yaml) }
            #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(yaml)")
        }
    }
}
