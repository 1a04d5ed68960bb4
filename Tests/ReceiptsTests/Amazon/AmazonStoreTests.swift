import Commerce
import Foundation
import Gatefold
import JSON
import Settings
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Amazon Appstore", .timeLimit(.minutes(10)))
struct AmazonStoreTests {
    private typealias Reply = LoopbackStore.Reply
    private typealias Fixture = AmazonFixture

    private func withAmazon(
        _ more: String = "",
        _ body: (any ReceiptVerifier, Locked<[String: [Reply]]>, LoopbackStore) async throws -> Void
    ) async throws {
        try await Fixture.run(more, body)
    }

    private func verdict(
        _ verifier: any ReceiptVerifier, _ receipt: StoreReceipt = AmazonFixture.receipt,
        allowing: Set<StoreEnvironment> = [.production]
    ) async throws -> ReceiptVerdict {
        try await verifier.verify(receipt, allowing: allowing, at: Fixture.now)
    }

    @Test("Reports a subscription until its renewal date and escapes each path segment")
    func subscription() async throws {
        try await withAmazon { verifier, responses, store in
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase()] }
            let transaction = try #require(try await verdict(verifier).transactions.first)
            #expect(transaction.id == Fixture.receipt[.receipt] && transaction.original == transaction.id)
            #expect(transaction.product == "daily.monthly" && transaction.purchased == Fixture.now - 10 * Fixture.day)
            #expect(transaction.expires == Fixture.now + 20 * Fixture.day && transaction.revoked == nil)
            #expect(transaction.environment == .production)
            #expect(
                store.requests.map(\.target) == ["/version/1.0/verifyReceiptId/\(Fixture.path)/receiptId/\(Fixture.id)"]
            )
            let grace = "\"gracePeriodEndDate\":\(Fixture.milliseconds(Fixture.now + 25 * Fixture.day)),"
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase(more: grace)] }
            #expect(try await verdict(verifier).transactions.first?.expires == Fixture.now + 25 * Fixture.day)
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase(renewal: nil)] }
            #expect(
                try await verdict(verifier).transactions.first?.expires == Fixture.now + Fixture.day,
                "until the next query")
        }
    }

    @Test("Corrected from the historic server: reports a cancelled subscription as ended")
    func cancelled() async throws {
        try await withAmazon { verifier, responses, _ in
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase(cancelled: Fixture.now - Fixture.day)] }
            let transaction = try #require(try await verdict(verifier).transactions.first)
            #expect(transaction.expires == Fixture.now - Fixture.day)
            let rules = ProductRules(subscriptions: [SubscriptionProduct(pattern: "daily.monthly", term: .forever)])
            #expect(!rules.holdings(from: [transaction], in: Catalogue(), at: Fixture.now).isSubscribed)
            responses.withLock {
                $0["verifyReceiptId"] = [Fixture.purchase("ENTITLED", cancelled: Fixture.now - Fixture.day)]
            }
            #expect(try await verdict(verifier).transactions.map(\.revoked) == [Fixture.now - Fixture.day])
            let current = try await verifier.current(
                transaction, receipt: Fixture.receipt, allowing: [.production], at: Fixture.now)
            #expect(current?.first?.revoked == Fixture.now - Fixture.day)
            // An invalid date must not be read as "not cancelled".
            let odd = Fixture.purchase(more: "").body.replacing(
                "\"cancelDate\":null", with: "\"cancelDate\":\"yesterday\"")
            responses.withLock { $0["verifyReceiptId"] = [Reply(200, odd)] }
            await #expect(throws: AmazonFailure.unrecognizedResponse) { try await verdict(verifier) }
        }
    }

    @Test("An entitlement and a consumable never expire")
    func entitlement() async throws {
        try await withAmazon { verifier, responses, _ in
            for type in ["ENTITLED", "CONSUMABLE"] {
                responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase(type, renewal: nil)] }
                let transaction = try #require(try await verdict(verifier).transactions.first)
                #expect(transaction.expires == nil && transaction.revoked == nil)
            }
        }
    }

    @Test("Corrected from the historic server: accepts test transactions only where sandbox is allowed")
    func sandbox() async throws {
        try await withAmazon { verifier, responses, _ in
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase(more: "\"testTransaction\":true,")] }
            #expect(try await verdict(verifier).rejection == .wrongEnvironment)
            let reported = try await verdict(verifier, allowing: [.production, .sandbox]).transactions
            #expect(reported.map(\.environment) == [.sandbox])
        }
        try await withAmazon("sandbox: true\n") { verifier, responses, _ in
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase()] }
            let reported = try await verdict(verifier)
            #expect(reported.rejection == .wrongEnvironment)
        }
    }

    @Test("Corrected from the historic server: renews an expired purchase token once, then verifies it once")
    func renewal() async throws {
        try await withAmazon("token: purchase_token\n") { verifier, responses, store in
            let start = Fixture.milliseconds(Fixture.now - 3 * Fixture.day)
            let active = Reply(
                200, "{\"itemType\":\"SUBSCRIPTION\",\"sku\":\"daily.monthly\",\"startDate\":\(start),\"endDate\":null}"
            )
            responses.withLock {
                $0["verify"] = [Reply(499), active]
                $0["renew"] = [Reply(200, "{\"purchaseToken\":\"new/token\"}")]
            }
            let old = StoreReceipt([.user: "u", .token: "old token"])
            let first = try #require(try await verdict(verifier, old).transactions.first)
            let prefix = "developer/2%3Ash%2Fared%20%25key%3F/user/u/purchaseToken"
            #expect(
                store.requests.map(\.target) == [
                    "/version/2.0/verify/\(prefix)/old%20token", "/version/2.0/renew/\(prefix)/old%20token",
                    "/version/2.0/verify/\(prefix)/new%2Ftoken",
                ])
            #expect(first.expires == Fixture.now + Fixture.day && first.purchased == Fixture.now - 3 * Fixture.day)
            let again = StoreReceipt([.user: "u", .token: "new/token"])
            #expect(try await verdict(verifier, again).transactions.first?.id == first.id, "the same purchase")

            responses.withLock { $0["verify"] = [Reply(499)] }
            let before = store.requests.count
            let ended = try await verdict(verifier, old)
            #expect(ended.rejection == .expired && ended.code == 499)
            #expect(store.requests.count == before + 3, "exactly once")
            responses.withLock { $0["renew"] = [Reply(498)] }
            #expect(try await verdict(verifier, old).rejection == .expired)
            responses.withLock { $0["renew"] = [Reply(500)] }
            await #expect(throws: AmazonFailure.status(500)) { try await verdict(verifier, old) }
            // A receipt with an identifier goes to the other API version of the same store.
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase()] }
            #expect(try await verdict(verifier).transactions.count == 1)
        }
    }

    @Test("Version 2.0 reports entitlements without an expiry and subscriptions with their end")
    func older() async throws {
        try await withAmazon("token: purchase_token\n") { verifier, responses, _ in
            let receipt = StoreReceipt([.user: "u", .token: "t"])
            responses.withLock { $0["verify"] = [Reply(200, #"{"itemType":"ENTITLED","sku":"one","endDate":null}"#)] }
            let single = try #require(try await verdict(verifier, receipt).transactions.first)
            #expect(single.product == "one" && single.expires == nil)
            let dates =
                "\"startDate\":\(Fixture.milliseconds(Fixture.now - 9 * Fixture.day)),\"endDate\":\(Fixture.milliseconds(Fixture.now - Fixture.day))"
            responses.withLock { $0["verify"] = [Reply(200, "{\"itemType\":\"SUBSCRIPTION\",\"sku\":\"s\",\(dates)}")] }
            #expect(try await verdict(verifier, receipt).transactions.first?.expires == Fixture.now - Fixture.day)
            responses.withLock { $0["verify"] = [Reply(200, #"{"itemType":"SUBSCRIPTION","sku":"s","endDate":null}"#)] }
            await #expect(throws: AmazonFailure.unrecognizedResponse) { try await verdict(verifier, receipt) }
        }
    }

    @Test("Maps each Amazon status to its verdict and throws an error for every other status")
    func statuses() async throws {
        try await withAmazon { verifier, responses, _ in
            for (status, reason) in [
                (400, ReceiptRejection.Reason.notFound), (410, .expired), (497, .notFound), (498, .expired),
            ] {
                responses.withLock { $0["verifyReceiptId"] = [Reply(status)] }
                let reported = try await verdict(verifier)
                #expect(reported.rejection == reason && reported.code == status)
            }
            for status in [302, 403, 404, 429, 496, 500, 503] {
                responses.withLock { $0["verifyReceiptId"] = [Reply(status, Fixture.key)] }
                let error = await #expect(throws: AmazonFailure.self) { try await verdict(verifier) }
                #expect(error == (status == 496 ? .wrongSharedKey : .status(status)))
            }
            for nonsense in ["", "[]", "{}", #"{"productType":"NEW","productId":"x","purchaseDate":1}"#] {
                responses.withLock { $0["verifyReceiptId"] = [Reply(200, nonsense)] }
                await #expect(throws: AmazonFailure.unrecognizedResponse) { try await verdict(verifier) }
            }
        }
    }

    @Test("Rejects segments that would change the path as malformed, without a request")
    func segments() async throws {
        try await withAmazon { verifier, _, store in
            for parts: [StoreReceipt.Part: String] in [
                [:], [.user: "u"], [.receipt: "r"], [.user: ".", .receipt: "r"], [.user: "u", .receipt: ".."],
                [.user: String(repeating: "u", count: 5000), .receipt: "r"],
            ] {
                let reported = try await verdict(verifier, StoreReceipt(parts))
                #expect(reported.rejection == .malformed)
            }
            #expect(store.requests.isEmpty)
        }
    }

    @Test("Pitfall 20: no error and no description contains the shared secret, though it is part of the path")
    func secrecy() async throws {
        try await withTemporaryFolder { folder in
            let nobody = LoopbackStore.nowhere(
                port: try FreePort.find(), root: try await TestAuthority("a", in: folder).certificate)
            let verifier = try Fixture.open(nobody, in: folder)
            let error = await #expect(throws: (any Error).self) { try await verdict(verifier) }
            var dumped = ""
            // Limits the depth, because the HTTP client's event loops know the requests of other tests.
            dump(verifier, to: &dumped, maxDepth: 5)
            let words = "\(error.map { "\($0)" } ?? "") \(verifier) \(String(reflecting: verifier)) \(dumped)"
            for form in [Fixture.key, Fixture.key.formEncoded, "ared %key", "ared%20%25key"] {
                #expect(!words.contains(form))
            }
        }
    }

    @Test("Corrected from the historic server: rejects a server with an untrusted TLS certificate")
    func tls() async throws {
        try await withTemporaryFolder { folder in
            let stranger = try await TestAuthority("stranger", in: folder)
            try await LoopbackStore.serving(in: folder) { _ in
                Fixture.purchase()
            } _: { store in
                let verifier = try Fixture.open(store.trusting(stranger.certificate), in: folder)
                await #expect(throws: (any Error).self) { try await verdict(verifier) }
                #expect(store.requests.isEmpty)
            }
        }
    }

    @Test("Ends a subscription now that Amazon ended early, and revokes a purchase without an expiry")
    func current() async throws {
        try await withAmazon { verifier, responses, _ in
            func now(_ known: StoreTransaction) async throws -> [StoreTransaction]? {
                try await verifier.current(known, receipt: Fixture.receipt, allowing: [.production], at: Fixture.now)
            }
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase()] }
            let first = try #require(try await verdict(verifier).transactions.first)
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase(renewal: Fixture.now + 50 * Fixture.day)] }
            #expect(try await now(first)?.first?.expires == Fixture.now + 50 * Fixture.day)
            responses.withLock { $0["verifyReceiptId"] = [Fixture.purchase("ENTITLED", renewal: nil)] }
            let single = try #require(try await verdict(verifier).transactions.first)
            for status in [410, 498] {
                responses.withLock { $0["verifyReceiptId"] = [Reply(status)] }
                let over = try #require(try await now(first)?.first)
                #expect(over.expires == Fixture.now && over.revoked == nil)
                #expect(try await now(single)?.map(\.revoked) == [Fixture.now])
            }
            responses.withLock { $0["verifyReceiptId"] = [Reply(400)] }
            for known in [first, single] {
                #expect(try await now(known) == [], "an unknown purchase is not a revoked one")
            }
            let without = try await verifier.current(first, receipt: nil, allowing: [.production], at: Fixture.now)
            #expect(without == nil)
        }
    }

    @Test("Reads any response without a trap")
    func total() async {
        var random = SeededRandom(seed: 16)
        let sample = Array(Fixture.purchase().body.utf8)
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
        // Skips the JSON parser and calls the readers of both versions.
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
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            let members = names.filter { _ in Int.random(in: 0...3, using: &random) > 0 }
                .map { JSONValue.Member(name: $0, value: values.randomElement(using: &random)!) }
            for reference in [AmazonReference.receiptID("r"), .purchaseToken("t")]
            where AmazonPurchase(.object(members), reference) != nil { found += 1 }
        }
        #expect(found > 15)
    }
}
