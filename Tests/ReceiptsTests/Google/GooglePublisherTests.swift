import Foundation
import Gatefold
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("Asking Google what has become of a purchase", .timeLimit(.minutes(10)))
struct GooglePublisherTests {
    private let token = StoreReceipt([.token: "t/1", .product: "daily.2026-11-01"])

    private func withGoogle(
        _ body: (GoogleStandIn, LoopbackStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let google = try await GoogleStandIn(in: folder)
            try await google.run { try await body(google, $0) }
        }
    }

    private func verdict(
        _ verifier: any ReceiptVerifier, _ receipt: StoreReceipt, allowing: Set<StoreEnvironment> = [.production]
    )
        async throws -> ReceiptVerdict
    {
        try await verifier.verify(receipt, allowing: allowing, at: GoogleBench.now)
    }

    @Test("A token and a product are enough; the access token is got once, however many ask")
    func singles() async throws {
        try await withGoogle { google, store in
            let clock = ManualClock()
            let verifier = try google.verifier(store, clock: clock)
            google.tell("products/daily.2026-11-01/tokens/t%2F1", GoogleStandIn.single(more: "\"quantity\":3,"))
            let told = try await withThrowingTaskGroup(of: ReceiptVerdict.self) { group in
                for _ in 0..<50 { group.addTask { try await verdict(verifier, token) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let transaction = try #require(told.first?.transactions.first)
            #expect(told.count == 50 && Set(told.flatMap(\.transactions)).count == 1)
            #expect(transaction.id == "GPA.9-9" && transaction.quantity == 3 && transaction.expires == nil)
            #expect(transaction.environment == .production && transaction.told == GoogleBench.now)
            #expect(google.script.withLock { $0.issued } == 1)
            // Shortly before its end there is another.
            clock.advance(by: 3590)
            _ = try await verdict(verifier, token)
            await until { google.script.withLock { $0.issued } == 2 }
        }
    }

    @Test("A subscription runs as long as Google says, grace included")
    func subscriptions() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store)
            let path = "subscriptionsv2/tokens/t%2F1"
            let december = try Date("2026-12-01T00:00:00Z", strategy: .iso8601)
            for state in ["ACTIVE", "IN_GRACE_PERIOD", "CANCELED", "UNSPECIFIED"] {
                google.tell(path, GoogleStandIn.subscription(state, product: "daily.2026-11-01"))
                let transaction = try #require(try await verdict(verifier, token).transactions.first)
                #expect(transaction.expires == december, "\(state)")
                #expect(transaction.id == "GPA.1-2..3" && transaction.original == "GPA.1-2")
                #expect(transaction.purchased == (try Date("2026-08-01T10:00:00Z", strategy: .iso8601)) + 0.25)
            }
            for state in ["ON_HOLD", "PAUSED", "EXPIRED"] {
                google.tell(path, GoogleStandIn.subscription(state, product: "daily.2026-11-01"))
                #expect(try await verdict(verifier, token).transactions.first?.expires == GoogleBench.now, "\(state)")
            }
            for state in ["PENDING", "PENDING_PURCHASE_CANCELED"] {
                google.tell(path, GoogleStandIn.subscription(state, product: "daily.2026-11-01"))
                #expect(try await verdict(verifier, token).refusal == .empty, "\(state)")
            }
        }
    }

    @Test(
        "Pitfall 18: another product, refunded, pending, sandbox, unknown and long ended purchases, each with its verdict"
    )
    func refusals() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store)
            let (single, subscription) = ("products/daily.2026-11-01/tokens/t%2F1", "subscriptionsv2/tokens/t%2F1")
            for (word, reason) in [
                (GoogleStandIn.single(state: 2), ReceiptRefusal.Reason.empty),
                (GoogleStandIn.single(more: "\"productId\":\"other\","), .wrongProduct),
                (GoogleStandIn.single(more: "\"purchaseType\":0,"), .wrongEnvironment),
                (LoopbackStore.Word(404), .notFound), (LoopbackStore.Word(400), .notFound),
                (LoopbackStore.Word(410), .revoked),
            ] {
                google.tell(single, word)
                #expect(try await verdict(verifier, token).refusal == reason)
            }
            google.tell(single, GoogleStandIn.single(state: 1))
            let refunded = try await verdict(verifier, token)
            #expect(refunded.transactions.map(\.revoked) == [GoogleBench.now])
            google.tell(single, GoogleStandIn.single(more: "\"purchaseType\":0,"))
            let sandboxed = try await verdict(verifier, token, allowing: GoogleBench.both)
            #expect(sandboxed.transactions.map(\.environment) == [.sandbox])
            for (word, reason) in [
                (LoopbackStore.Word(410), ReceiptRefusal.Reason.expired),
                (GoogleStandIn.subscription("ACTIVE"), .wrongProduct),
                (
                    GoogleStandIn.subscription("ACTIVE", product: "daily.2026-11-01", more: "\"testPurchase\":{},"),
                    .wrongEnvironment
                ),
            ] {
                google.tell(subscription, word)
                #expect(try await verdict(verifier, token).refusal == reason)
            }
        }
    }

    @Test("Whoever can not be asked is never taken for one who refuses, and errors tell no token")
    func unavailable() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store, "breaker: {enabled: false}")
            for status in [403, 429, 500, 502, 503] {
                google.script.withLock { $0.everything = LoopbackStore.Word(status, "secret page") }
                let error = await #expect(throws: GoogleFailure.self) { try await verdict(verifier, token) }
                #expect(error == (status == 403 ? .notAllowed(status: 403) : .status(status)))
                let words = "\(String(describing: error)) \(error?.cause ?? "")"
                #expect(!words.contains("ya29") && !words.contains("t/1") && !words.contains("secret"))
            }
            let noApp = #"{"error":{"errors":[{"reason":"applicationNotFound"}]}}"#
            google.script.withLock { $0.everything = LoopbackStore.Word(404, noApp) }
            await #expect(throws: GoogleFailure.notAllowed(status: 404)) { try await verdict(verifier, token) }
            for nonsense in ["", "[]", "{}", "{\"lineItems\":7}"] {
                google.script.withLock { $0.everything = LoopbackStore.Word(200, nonsense) }
                await #expect(throws: GoogleFailure.notUnderstood) { try await verdict(verifier, token) }
            }
            // A token that Google ended is replaced, once.
            google.tell("products/daily.2026-11-01/tokens/t%2F1", GoogleStandIn.single())
            google.script.withLock {
                $0.everything = nil
                $0.validTokens = []
            }
            #expect(try await verdict(verifier, token).transactions.count == 1)
            google.script.withLock { $0.everything = LoopbackStore.Word(401) }
            await #expect(throws: GoogleFailure.notAllowed(status: 401)) { try await verdict(verifier, token) }
            google.script.withLock { $0.tokenStatus = 400 }
            let fresh = try google.verifier(store)
            await #expect(throws: GoogleFailure.noToken(status: 400)) { try await verdict(fresh, token) }
        }
    }

    @Test("Hole of the reference: TLS was not verified")
    func tls() async throws {
        try await withGoogle { google, store in
            try await withTemporaryFolder { folder in
                let stranger = try await TestAuthority("stranger", in: folder)
                let verifier = try google.verifier(store.trusting(stranger.certificate))
                await #expect(throws: (any Error).self) { try await verdict(verifier, token) }
                #expect(store.questions.isEmpty)
            }
        }
    }

    @Test("Signed data is checked first, and then Google asked; unsigned data only says what to ask about")
    func signed() async throws {
        try await withGoogle { google, store in
            let key = try await SigningKey("app", in: google.folder)
            let verifier = try google.verifier(store, "public_key: \(try key.licence)\n")
            let data = GoogleBench.data(token: "t1")
            google.tell("products/daily.2026-11-01/tokens/t1", GoogleStandIn.single(state: 1))
            let receipt = try await GoogleBench.receipt(data, signedBy: key)
            let told = try await verdict(verifier, receipt).transactions
            #expect(told.map { $0.revoked != nil } == [true], "the data alone says purchased")
            let asked = store.questions.count
            let forged = StoreReceipt([.receipt: data, .signature: try await key.sign("x")])
            #expect(try await verdict(verifier, forged).refusal == .forged)
            #expect(store.questions.count == asked)
            google.tell("products/daily.2026-11-01/tokens/t1", GoogleStandIn.single())
            #expect(try await verdict(verifier, StoreReceipt([.receipt: data])).transactions.count == 1)
            let other = GoogleBench.data(package: "com.example.other", token: "t1")
            #expect(try await verdict(verifier, StoreReceipt([.receipt: other])).refusal == .wrongApp)
        }
    }

    @Test("What nobody acknowledged waits for it, where that is wanted, and verifying does not acknowledge")
    func acknowledging() async throws {
        try await withGoogle { google, store in
            google.tell("products/daily.2026-11-01/tokens/t%2F1", GoogleStandIn.single())
            let idle = try google.verifier(store)
            #expect(try await verdict(idle, token).transactions.map(\.awaitsAcknowledgement) == [false])
            let eager = try google.verifier(store, "acknowledge: true\n")
            let single = try #require(try await verdict(eager, token).transactions.first)
            #expect(single.awaitsAcknowledgement)
            #expect(!store.questions.contains { $0.target.hasSuffix(":acknowledge") })
            try await idle.acknowledge(single, receipt: token)
            #expect(!store.questions.contains { $0.target.hasSuffix(":acknowledge") })
            try await eager.acknowledge(single, receipt: token)
            #expect(
                store.questions.last?.target.hasSuffix("/products/daily.2026-11-01/tokens/t%2F1:acknowledge") == true)
            google.tell("products/daily.2026-11-01/tokens/t%2F1", GoogleStandIn.single(state: 1))
            #expect(try await verdict(eager, token).transactions.map(\.awaitsAcknowledgement) == [false], "refunded")
            let pending = "\"acknowledgementState\":\"ACKNOWLEDGEMENT_STATE_PENDING\","
            let path = "subscriptionsv2/tokens/t%2F1"
            google.tell(path, GoogleStandIn.subscription("ACTIVE", product: "daily.2026-11-01", more: pending))
            let subscription = try #require(try await verdict(eager, token).transactions.first)
            #expect(subscription.awaitsAcknowledgement)
            try await eager.acknowledge(subscription, receipt: token)
            let last = store.questions.last?.target ?? ""
            #expect(last.hasSuffix("/subscriptions/daily.2026-11-01/tokens/t%2F1:acknowledge"))
            google.tell(path, GoogleStandIn.subscription("EXPIRED", product: "daily.2026-11-01", more: pending))
            #expect(try await verdict(eager, token).transactions.map(\.awaitsAcknowledgement) == [false])
        }
    }

    @Test("An acknowledgement that Google does not take is no outage of Google's")
    func acknowledgementRefused() async throws {
        try await withGoogle { google, store in
            google.tell("products/daily.2026-11-01/tokens/t%2F1", GoogleStandIn.single())
            let verifier = try google.verifier(store, "acknowledge: true\nbreaker: {failures: 2}\n")
            let bought = try #require(try await verdict(verifier, token).transactions.first)
            google.script.withLock { $0.acknowledging = LoopbackStore.Word(403) }
            for _ in 0..<5 {
                await #expect(throws: GoogleFailure.notAcknowledged(status: 403)) {
                    try await verifier.acknowledge(bought, receipt: token)
                }
            }
            #expect(try await verdict(verifier, token).transactions.count == 1)
        }
    }

    @Test("A renewal, an end before its time, and a refund are heard of later")
    func current() async throws {
        try await withGoogle { google, store in
            let verifier = try google.verifier(store)
            let path = "subscriptionsv2/tokens/t%2F1"
            google.tell(path, GoogleStandIn.subscription("ACTIVE", product: "daily.2026-11-01"))
            let first = try #require(try await verdict(verifier, token).transactions.first)
            func now(_ known: StoreTransaction? = nil) async throws -> [StoreTransaction]? {
                try await verifier.current(
                    known ?? first, receipt: token, allowing: [.production], at: GoogleBench.now)
            }
            google.tell(
                path,
                GoogleStandIn.subscription(
                    "ACTIVE", expires: "2027-01-01T00:00:00Z", order: "GPA.1-2..4", product: "daily.2026-11-01"))
            let renewed = try #require(try await now()?.first)
            #expect(renewed.id == "GPA.1-2..4" && renewed.original == first.original)
            google.tell(path, GoogleStandIn.subscription("ON_HOLD", product: "daily.2026-11-01"))
            #expect(try await now()?.first?.expires == GoogleBench.now)
            google.tell(path, GoogleStandIn.subscription("ACTIVE", order: "GPA.7-7"))
            #expect(try await now() == [], "another purchase")
            google.tell(path, LoopbackStore.Word(410))
            let over = try #require(try await now()?.first)
            #expect(over.id == first.id && over.expires == GoogleBench.now && over.revoked == nil)
            google.tell(path, LoopbackStore.Word(404))
            let single = "products/daily.2026-11-01/tokens/t%2F1"
            google.tell(single, GoogleStandIn.single())
            let issue = try #require(try await verdict(verifier, token).transactions.first)
            for word in [GoogleStandIn.single(state: 1), LoopbackStore.Word(410)] {
                google.tell(single, word)
                #expect(try await now(issue)?.map(\.revoked) == [GoogleBench.now])
            }
            google.tell(single, LoopbackStore.Word(404))
            #expect(try await now(issue) == [], "not known is not taken back")
            let without = try await verifier.current(
                first, receipt: nil, allowing: [.production], at: GoogleBench.now)
            #expect(without == nil)
        }
    }

    @Test("A subscription to several products goes on as the same purchases when it is renewed")
    func severalItems() async throws {
        try await withGoogle { google, store in
            let key = try await SigningKey("app", in: google.folder)
            let verifier = try google.verifier(store, "public_key: \(try key.licence)\n")
            func tell(_ order: String, _ expires: String) {
                google.tell(
                    "subscriptionsv2/tokens/t1",
                    LoopbackStore.Word(
                        200,
                        """
                        {"startTime":"2026-08-01T10:00:00Z","subscriptionState":"SUBSCRIPTION_STATE_ACTIVE",
                        "latestOrderId":"\(order)","lineItems":[{"productId":"daily","expiryTime":"\(expires)"},
                        {"productId":"crossword","expiryTime":"\(expires)"}]}
                        """))
            }
            let data = GoogleBench.data(order: "GPA.1", product: "daily", token: "t1")
            let receipt = try await GoogleBench.receipt(data, signedBy: key)
            tell("GPA.1", "2026-12-01T00:00:00Z")
            let first = try await verdict(verifier, receipt).transactions
            #expect(first.map(\.id) == ["GPA.1/daily", "GPA.1/crossword"])
            tell("GPA.1..0", "2027-01-01T00:00:00Z")
            let renewed = try await verdict(verifier, receipt).transactions
            #expect(renewed.map(\.id) == ["GPA.1..0/daily", "GPA.1..0/crossword"])
            #expect(renewed.map(\.original) == first.map(\.original))
            for (known, later) in zip(first, renewed) {
                let told = try await verifier.current(
                    known, receipt: receipt, allowing: [.production], at: GoogleBench.now)
                #expect(told == [later])
            }
        }
    }
}

@Suite("A subscription whose products change", .timeLimit(.minutes(10)))
struct GoogleAddOnTests {
    private func tell(_ google: GoogleStandIn, _ order: String, _ products: [String]) {
        let items = products.map { "{\"productId\":\"\($0)\",\"expiryTime\":\"2027-01-01T00:00:00Z\"}" }
        google.tell(
            "subscriptionsv2/tokens/t1",
            LoopbackStore.Word(
                200,
                """
                {"startTime":"2026-08-01T10:00:00Z","subscriptionState":"SUBSCRIPTION_STATE_ACTIVE",
                "latestOrderId":"\(order)","lineItems":[\(items.joined(separator: ","))]}
                """))
    }

    @Test(
        "goes on as the purchase that is on record, when one is added and when one is dropped",
        arguments: [["daily"], ["daily", "crossword"]], [false, true])
    func changed(first: [String], isSigned: Bool) async throws {
        try await withTemporaryFolder { folder in
            let google = try await GoogleStandIn(in: folder)
            try await google.run { store in
                let key = try await SigningKey("app", in: folder)
                let verifier = try google.verifier(store, isSigned ? "public_key: \(try key.licence)\n" : "")
                let data = GoogleBench.data(order: "GPA.1", product: "daily", token: "t1")
                let receipt =
                    isSigned ? try await GoogleBench.receipt(data, signedBy: key) : StoreReceipt([.receipt: data])
                tell(google, "GPA.1", first)
                let known = try await verifier.verify(
                    receipt, allowing: [.production], at: GoogleBench.now
                ).transactions
                #expect(known.map(\.product) == first)
                for (order, products) in [("GPA.1..0", ["daily"]), ("GPA.1..1", ["crossword", "daily"])] {
                    tell(google, order, products)
                    let daily = try #require(known.first)
                    let told = try await verifier.current(
                        daily, receipt: receipt, allowing: [.production], at: GoogleBench.now)
                    #expect(told?.map(\.original) == [daily.original] && told?.map(\.product) == ["daily"])
                    let name = first.count == 1 ? order : "\(order)/daily"
                    #expect(told?.map(\.id) == [name])
                    guard known.count > 1 else { continue }
                    let dropped = try await verifier.current(
                        known[1], receipt: receipt, allowing: [.production], at: GoogleBench.now)
                    #expect(dropped?.count == (products.contains("crossword") ? 1 : 0))
                }
            }
        }
    }
}

@Suite("The settings of Google Play")
struct GoogleStoreSettingsTests {
    @Test("say what is missing or wrong")
    func errors() {
        for (yaml, words) in [
            ("package: com.example.daily\n", "public_key"), ("public_key: AAAA\n", "package"),
            ("package: com.example.daily\npublic_key: AAAA\n", "licence key"),
            ("package: a b\npublic_key: AAAA\n", "package name"),
            ("package: com.example.daily\nservice_account: {file: /dev/null}\n", "service_account"),
        ] {
            let error = #expect(throws: (any Error).self) { try GoogleBench.open(yaml) }
            #expect("\(error.map { "\($0)" } ?? "")".contains(words), "\(yaml)")
        }
    }
}
