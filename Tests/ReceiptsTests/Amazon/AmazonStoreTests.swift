import Foundation
import Gatefold
import JSON
import Settings
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("The Amazon Appstore", .timeLimit(.minutes(10)))
struct AmazonStoreTests {
    private typealias Word = LoopbackStore.Word
    private typealias Bench = AmazonBench

    private func withAmazon(
        _ more: String = "", _ body: (any ReceiptVerifier, Kept<[String: [Word]]>, LoopbackStore) async throws -> Void
    ) async throws {
        try await Bench.run(more, body)
    }

    private func verdict(
        _ verifier: any ReceiptVerifier, _ receipt: StoreReceipt = AmazonBench.receipt,
        allowing: Set<StoreEnvironment> = [.production]
    ) async throws -> ReceiptVerdict {
        try await verifier.verify(receipt, allowing: allowing, at: Bench.now)
    }

    @Test("tells of a subscription until its renewal, its segments escaped each by itself")
    func subscription() async throws {
        try await withAmazon { verifier, answers, store in
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase()] }
            let transaction = try #require(try await verdict(verifier).transactions.first)
            #expect(transaction.id == Bench.receipt[.receipt] && transaction.original == transaction.id)
            #expect(transaction.product == "daily.monthly" && transaction.purchased == Bench.now - 10 * Bench.day)
            #expect(transaction.expires == Bench.now + 20 * Bench.day && transaction.revoked == nil)
            #expect(transaction.environment == .production)
            #expect(
                store.questions.map(\.target) == ["/version/1.0/verifyReceiptId/\(Bench.path)/receiptId/\(Bench.id)"])
            let grace = "\"gracePeriodEndDate\":\(Bench.milliseconds(Bench.now + 25 * Bench.day)),"
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase(more: grace)] }
            #expect(try await verdict(verifier).transactions.first?.expires == Bench.now + 25 * Bench.day)
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase(renewal: nil)] }
            #expect(
                try await verdict(verifier).transactions.first?.expires == Bench.now + Bench.day,
                "until it is asked again")
        }
    }

    @Test("Hole of the reference: cancelled subscriptions passed, because an undefined variable was tested")
    func cancelled() async throws {
        try await withAmazon { verifier, answers, _ in
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase(cancelled: Bench.now - Bench.day)] }
            let transaction = try #require(try await verdict(verifier).transactions.first)
            #expect(transaction.expires == Bench.now - Bench.day)
            let rules = ProductRules(subscriptions: [SubscriptionProduct(pattern: "daily.monthly", term: .forever)])
            #expect(!rules.holdings(from: [transaction], in: Catalogue(), at: Bench.now).isSubscribed)
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase("ENTITLED", cancelled: Bench.now - Bench.day)] }
            #expect(try await verdict(verifier).transactions.map(\.revoked) == [Bench.now - Bench.day])
            let current = try await verifier.current(
                transaction, receipt: Bench.receipt, allowing: [.production], at: Bench.now)
            #expect(current?.first?.revoked == Bench.now - Bench.day)
            // A date that is none must not be taken for "not cancelled".
            let odd = Bench.purchase(more: "").body.replacing(
                "\"cancelDate\":null", with: "\"cancelDate\":\"yesterday\"")
            answers.withLock { $0["verifyReceiptId"] = [Word(200, odd)] }
            await #expect(throws: AmazonFailure.notUnderstood) { try await verdict(verifier) }
        }
    }

    @Test("An entitlement and a consumable have no end")
    func entitlement() async throws {
        try await withAmazon { verifier, answers, _ in
            for type in ["ENTITLED", "CONSUMABLE"] {
                answers.withLock { $0["verifyReceiptId"] = [Bench.purchase(type, renewal: nil)] }
                let transaction = try #require(try await verdict(verifier).transactions.first)
                #expect(transaction.expires == nil && transaction.revoked == nil)
            }
        }
    }

    @Test("Hole of the reference: sandbox was honoured in production. Test transactions count where that is allowed")
    func sandbox() async throws {
        try await withAmazon { verifier, answers, _ in
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase(more: "\"testTransaction\":true,")] }
            #expect(try await verdict(verifier).refusal == .wrongEnvironment)
            let told = try await verdict(verifier, allowing: [.production, .sandbox]).transactions
            #expect(told.map(\.environment) == [.sandbox])
        }
        try await withAmazon("sandbox: true\n") { verifier, answers, _ in
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase()] }
            let told = try await verdict(verifier)
            #expect(told.refusal == .wrongEnvironment)
        }
    }

    @Test(
        "Hole of the reference: renewing passed the version in the place of the proxy. Renewed once, then verified once"
    )
    func renewal() async throws {
        try await withAmazon("token: purchase_token\n") { verifier, answers, store in
            let start = Bench.milliseconds(Bench.now - 3 * Bench.day)
            let active = Word(
                200, "{\"itemType\":\"SUBSCRIPTION\",\"sku\":\"daily.monthly\",\"startDate\":\(start),\"endDate\":null}"
            )
            answers.withLock {
                $0["verify"] = [Word(499), active]
                $0["renew"] = [Word(200, "{\"purchaseToken\":\"new/token\"}")]
            }
            let old = StoreReceipt([.user: "u", .token: "old token"])
            let first = try #require(try await verdict(verifier, old).transactions.first)
            let prefix = "developer/2%3Ash%2Fared%20%25key%3F/user/u/purchaseToken"
            #expect(
                store.questions.map(\.target) == [
                    "/version/2.0/verify/\(prefix)/old%20token", "/version/2.0/renew/\(prefix)/old%20token",
                    "/version/2.0/verify/\(prefix)/new%2Ftoken",
                ])
            #expect(first.expires == Bench.now + Bench.day && first.purchased == Bench.now - 3 * Bench.day)
            let again = StoreReceipt([.user: "u", .token: "new/token"])
            #expect(try await verdict(verifier, again).transactions.first?.id == first.id, "the same purchase")

            answers.withLock { $0["verify"] = [Word(499)] }
            let before = store.questions.count
            let ended = try await verdict(verifier, old)
            #expect(ended.refusal == .expired && ended.code == 499)
            #expect(store.questions.count == before + 3, "exactly once")
            answers.withLock { $0["renew"] = [Word(498)] }
            #expect(try await verdict(verifier, old).refusal == .expired)
            answers.withLock { $0["renew"] = [Word(500)] }
            await #expect(throws: AmazonFailure.status(500)) { try await verdict(verifier, old) }
            // A receipt's identifier goes to the other version in the same store.
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase()] }
            #expect(try await verdict(verifier).transactions.count == 1)
        }
    }

    @Test("The older service tells of entitlements without a time, and of subscriptions with their end")
    func older() async throws {
        try await withAmazon("token: purchase_token\n") { verifier, answers, _ in
            let receipt = StoreReceipt([.user: "u", .token: "t"])
            answers.withLock { $0["verify"] = [Word(200, #"{"itemType":"ENTITLED","sku":"one","endDate":null}"#)] }
            let single = try #require(try await verdict(verifier, receipt).transactions.first)
            #expect(single.product == "one" && single.expires == nil)
            let dates =
                "\"startDate\":\(Bench.milliseconds(Bench.now - 9 * Bench.day)),\"endDate\":\(Bench.milliseconds(Bench.now - Bench.day))"
            answers.withLock { $0["verify"] = [Word(200, "{\"itemType\":\"SUBSCRIPTION\",\"sku\":\"s\",\(dates)}")] }
            #expect(try await verdict(verifier, receipt).transactions.first?.expires == Bench.now - Bench.day)
            answers.withLock { $0["verify"] = [Word(200, #"{"itemType":"SUBSCRIPTION","sku":"s","endDate":null}"#)] }
            await #expect(throws: AmazonFailure.notUnderstood) { try await verdict(verifier, receipt) }
        }
    }

    @Test("Every status has its own verdict, and none that is no verdict is a refusal")
    func statuses() async throws {
        try await withAmazon { verifier, answers, _ in
            for (status, reason) in [
                (400, ReceiptRefusal.Reason.notFound), (410, .expired), (497, .notFound), (498, .expired),
            ] {
                answers.withLock { $0["verifyReceiptId"] = [Word(status)] }
                let told = try await verdict(verifier)
                #expect(told.refusal == reason && told.code == status)
            }
            for status in [302, 403, 404, 429, 496, 500, 503] {
                answers.withLock { $0["verifyReceiptId"] = [Word(status, Bench.key)] }
                let error = await #expect(throws: AmazonFailure.self) { try await verdict(verifier) }
                #expect(error == (status == 496 ? .wrongSharedKey : .status(status)))
            }
            for nonsense in ["", "[]", "{}", #"{"productType":"NEW","productId":"x","purchaseDate":1}"#] {
                answers.withLock { $0["verifyReceiptId"] = [Word(200, nonsense)] }
                await #expect(throws: AmazonFailure.notUnderstood) { try await verdict(verifier) }
            }
        }
    }

    @Test("Segments that would mean another path are nobody's, and nothing is asked")
    func segments() async throws {
        try await withAmazon { verifier, _, store in
            for parts: [StoreReceipt.Part: String] in [
                [:], [.user: "u"], [.receipt: "r"], [.user: ".", .receipt: "r"], [.user: "u", .receipt: ".."],
                [.user: String(repeating: "u", count: 5000), .receipt: "r"],
            ] {
                let told = try await verdict(verifier, StoreReceipt(parts))
                #expect(told.refusal == .malformed)
            }
            #expect(store.questions.isEmpty)
        }
    }

    @Test("Pitfall 20: the shared secret, though part of the path, is in no error and no description")
    func secrecy() async throws {
        try await withTemporaryFolder { folder in
            let nobody = LoopbackStore.nowhere(
                port: try FreePort.find(), root: try await TestAuthority("a", in: folder).certificate)
            let verifier = try Bench.open(nobody, in: folder)
            let error = await #expect(throws: (any Error).self) { try await verdict(verifier) }
            var dumped = ""
            // Not down into the client, whose loops know the questions of other tests.
            dump(verifier, to: &dumped, maxDepth: 5)
            let words = "\(error.map { "\($0)" } ?? "") \(verifier) \(String(reflecting: verifier)) \(dumped)"
            for form in [Bench.key, Bench.key.formEncoded, "ared %key", "ared%20%25key"] {
                #expect(!words.contains(form))
            }
        }
    }

    @Test("Hole of the reference: TLS was not verified")
    func tls() async throws {
        try await withTemporaryFolder { folder in
            let stranger = try await TestAuthority("stranger", in: folder)
            try await LoopbackStore.serving(in: folder) { _ in
                Bench.purchase()
            } _: { store in
                let verifier = try Bench.open(store.trusting(stranger.certificate), in: folder)
                await #expect(throws: (any Error).self) { try await verdict(verifier) }
                #expect(store.questions.isEmpty)
            }
        }
    }

    @Test("A subscription that Amazon has ended early ends now; what has no end was taken back")
    func current() async throws {
        try await withAmazon { verifier, answers, _ in
            func now(_ known: StoreTransaction) async throws -> [StoreTransaction]? {
                try await verifier.current(known, receipt: Bench.receipt, allowing: [.production], at: Bench.now)
            }
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase()] }
            let first = try #require(try await verdict(verifier).transactions.first)
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase(renewal: Bench.now + 50 * Bench.day)] }
            #expect(try await now(first)?.first?.expires == Bench.now + 50 * Bench.day)
            answers.withLock { $0["verifyReceiptId"] = [Bench.purchase("ENTITLED", renewal: nil)] }
            let single = try #require(try await verdict(verifier).transactions.first)
            for status in [410, 498] {
                answers.withLock { $0["verifyReceiptId"] = [Word(status)] }
                let over = try #require(try await now(first)?.first)
                #expect(over.expires == Bench.now && over.revoked == nil)
                #expect(try await now(single)?.map(\.revoked) == [Bench.now])
            }
            answers.withLock { $0["verifyReceiptId"] = [Word(400)] }
            for known in [first, single] { #expect(try await now(known) == [], "not known is not taken back") }
            let without = try await verifier.current(first, receipt: nil, allowing: [.production], at: Bench.now)
            #expect(without == nil)
        }
    }

    @Test("Any answer is read without harm")
    func total() async {
        var random = SeededRandom(seed: 16)
        let sample = Array(Bench.purchase().body.utf8)
        for round in 0..<5_000 {
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            guard let json = try? JSONParser.parse(bytes) else { continue }
            _ = AmazonPurchase(json, .receiptID("r"))
            _ = AmazonPurchase(json, .purchaseToken("t"))
        }
        // Without the reader of JSON before it, each by the readers of both versions.
        let names = [
            "productType", "itemType", "productId", "sku", "purchaseDate", "startDate", "endDate", "cancelDate",
            "renewalDate", "gracePeriodEndDate", "quantity", "testTransaction",
        ]
        let values: [JSONValue] = [
            .null, true, "", "SUBSCRIPTION", "ENTITLED", 0, 1, .number("-1"), .number("1e308"),
            .number("1793534400000"), .number("9223372036854775808"), "1793534400000", [:],
        ]
        var found = 0
        for round in 0..<8_000 {
            // Others of this process have something to do, too.
            if round.isMultiple(of: 20) { await Task.yield() }
            let members = names.filter { _ in Int.random(in: 0...3, using: &random) > 0 }
                .map { JSONValue.Member(name: $0, value: values.randomElement(using: &random)!) }
            for reference in [AmazonReference.receiptID("r"), .purchaseToken("t")]
            where AmazonPurchase(.object(members), reference) != nil { found += 1 }
        }
        #expect(found > 15)
    }
}
