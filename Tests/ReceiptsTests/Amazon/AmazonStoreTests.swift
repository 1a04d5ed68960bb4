import Foundation
import Gatefold
import JSON
import Settings
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("The Amazon Appstore", .timeLimit(.minutes(3)))
struct AmazonStoreTests {
    /// Characters that mean something in a path.
    private static let key = "2:sh/ared %key?"
    private static let now = Date(timeIntervalSince1970: 1_793_534_400)
    private static let day: Double = 86_400
    private static let receipt = StoreReceipt([
        .user: "l3HL7XppEMhrOGDnur9+/=", .receipt: "wE1EG1gsEZI9q9UnI5YoZ2OxeoVKPdR5bvPMqyKQq5Y=:1:11",
    ])
    private static let user = "l3HL7XppEMhrOGDnur9%2B%2F%3D"
    private static let path = "developer/2%3Ash%2Fared%20%25key%3F/user/\(user)"
    private static let id = "wE1EG1gsEZI9q9UnI5YoZ2OxeoVKPdR5bvPMqyKQq5Y%3D%3A1%3A11"

    private typealias Word = LoopbackStore.Word

    private static func milliseconds(_ date: Date) -> Int { Int(date.timeIntervalSince1970 * 1000) }

    /// An answer of version 1.0.
    private static func purchase(
        _ type: String = "SUBSCRIPTION", cancelled: Date? = nil, renewal: Date? = now + 20 * day, more: String = ""
    ) -> Word {
        Word(
            200,
            """
            {"autoRenewing":true,"betaProduct":false,"cancelDate":\(cancelled.map { "\(milliseconds($0))" } ?? "null"),
            "cancelReason":null,"parentProductId":null,"productId":"daily.monthly","productType":"\(type)",\(more)
            "purchaseDate":\(milliseconds(now - 10 * day)),"quantity":1,"receiptId":"x",
            "renewalDate":\(renewal.map { "\(milliseconds($0))" } ?? "null"),"term":"1 Month","termSku":"daily.monthly"}
            """)
    }

    private static func open(_ store: LoopbackStore, _ more: String = "", in folder: URL) throws -> any ReceiptVerifier
    {
        let file = folder.appending(path: "key")
        try Data((key + "\n").utf8).write(to: file)
        let name = try #require(StoreName("amazon"))
        let section = try YAMLSettings.read(
            text: """
                kind: amazon
                shared_secret: {file: \(file.path)}
                url: \(store.url)
                http: {connect_timeout: 60s, timeout: 60s, tls: {root: {file: \(store.root)}}}
                deadline: 60s
                breaker: {enabled: false}
                \(more)
                """, name: "a.yaml", folder: "/", environment: [:])
        return try StoreRegistry.read(name: name, settings: section)
            .open(StoreServices(clock: ManualClock().wall, random: .seeded(1)))
    }

    /// Runs the body with a verifier; `answers` are by the operation, each the next one to come.
    private func withAmazon(
        _ more: String = "", _ body: (any ReceiptVerifier, Kept<[String: [Word]]>, LoopbackStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let answers = Kept<[String: [Word]]>([:])
            try await LoopbackStore.serving(in: folder) { question in
                let operation = question.target.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
                return answers.withLock { answers in
                    guard let next = answers[operation]?.first else { return Word(404) }
                    if answers[operation]?.count ?? 0 > 1 { answers[operation]?.removeFirst() }
                    return next
                }
            } _: { store in
                try await body(try Self.open(store, more, in: folder), answers, store)
            }
        }
    }

    private func verdict(
        _ verifier: any ReceiptVerifier, _ receipt: StoreReceipt = receipt,
        allowing: Set<StoreEnvironment> = [.production]
    ) async throws -> ReceiptVerdict {
        try await verifier.verify(receipt, allowing: allowing, at: Self.now)
    }

    @Test("tells of a subscription until its renewal, its segments escaped each by itself")
    func subscription() async throws {
        try await withAmazon { verifier, answers, store in
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase()] }
            let transaction = try #require(try await verdict(verifier).transactions.first)
            #expect(transaction.id == Self.receipt[.receipt] && transaction.original == transaction.id)
            #expect(transaction.product == "daily.monthly" && transaction.purchased == Self.now - 10 * Self.day)
            #expect(transaction.expires == Self.now + 20 * Self.day && transaction.revoked == nil)
            #expect(transaction.environment == .production)
            #expect(store.questions.map(\.target) == ["/version/1.0/verifyReceiptId/\(Self.path)/receiptId/\(Self.id)"])
            let grace = "\"gracePeriodEndDate\":\(Self.milliseconds(Self.now + 25 * Self.day)),"
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase(more: grace)] }
            #expect(try await verdict(verifier).transactions.first?.expires == Self.now + 25 * Self.day)
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase(renewal: nil)] }
            #expect(
                try await verdict(verifier).transactions.first?.expires == Self.now + Self.day,
                "until it is asked again")
        }
    }

    @Test("Hole of the reference: cancelled subscriptions passed, because an undefined variable was tested")
    func cancelled() async throws {
        try await withAmazon { verifier, answers, _ in
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase(cancelled: Self.now - Self.day)] }
            let transaction = try #require(try await verdict(verifier).transactions.first)
            #expect(transaction.expires == Self.now - Self.day)
            let rules = ProductRules(subscriptions: [SubscriptionProduct(pattern: "daily.monthly", term: .forever)])
            #expect(!rules.holdings(from: [transaction], in: Catalogue(), at: Self.now).isSubscribed)
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase("ENTITLED", cancelled: Self.now - Self.day)] }
            #expect(try await verdict(verifier).transactions.map(\.revoked) == [Self.now - Self.day])
            let current = try await verifier.current(
                transaction, receipt: Self.receipt, allowing: [.production], at: Self.now)
            #expect(current.first?.revoked == Self.now - Self.day)
            // A date that is none must not be taken for "not cancelled".
            let odd = Self.purchase(more: "").body.replacing(
                "\"cancelDate\":null", with: "\"cancelDate\":\"yesterday\"")
            answers.withLock { $0["verifyReceiptId"] = [Word(200, odd)] }
            await #expect(throws: AmazonFailure.notUnderstood) { try await verdict(verifier) }
        }
    }

    @Test("An entitlement and a consumable have no end")
    func entitlement() async throws {
        try await withAmazon { verifier, answers, _ in
            for type in ["ENTITLED", "CONSUMABLE"] {
                answers.withLock { $0["verifyReceiptId"] = [Self.purchase(type, renewal: nil)] }
                let transaction = try #require(try await verdict(verifier).transactions.first)
                #expect(transaction.expires == nil && transaction.revoked == nil)
            }
        }
    }

    @Test("Hole of the reference: sandbox was honoured in production. Test transactions count where that is allowed")
    func sandbox() async throws {
        try await withAmazon { verifier, answers, _ in
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase(more: "\"testTransaction\":true,")] }
            #expect(try await verdict(verifier).refusal == .wrongEnvironment)
            let told = try await verdict(verifier, allowing: [.production, .sandbox]).transactions
            #expect(told.map(\.environment) == [.sandbox])
        }
        try await withAmazon("sandbox: true\n") { verifier, answers, _ in
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase()] }
            let told = try await verdict(verifier)
            #expect(told.refusal == .wrongEnvironment)
        }
    }

    @Test(
        "Hole of the reference: renewing passed the version in the place of the proxy. Renewed once, then verified once"
    )
    func renewal() async throws {
        try await withAmazon("token: purchase_token\n") { verifier, answers, store in
            let start = Self.milliseconds(Self.now - 3 * Self.day)
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
            #expect(first.expires == Self.now + Self.day && first.purchased == Self.now - 3 * Self.day)
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
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase()] }
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
                "\"startDate\":\(Self.milliseconds(Self.now - 9 * Self.day)),\"endDate\":\(Self.milliseconds(Self.now - Self.day))"
            answers.withLock { $0["verify"] = [Word(200, "{\"itemType\":\"SUBSCRIPTION\",\"sku\":\"s\",\(dates)}")] }
            #expect(try await verdict(verifier, receipt).transactions.first?.expires == Self.now - Self.day)
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
                answers.withLock { $0["verifyReceiptId"] = [Word(status, Self.key)] }
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
            let verifier = try Self.open(nobody, in: folder)
            let error = await #expect(throws: (any Error).self) { try await verdict(verifier) }
            var dumped = ""
            // Not down into the client, whose loops know the questions of other tests.
            dump(verifier, to: &dumped, maxDepth: 5)
            let words = "\(error.map { "\($0)" } ?? "") \(verifier) \(String(reflecting: verifier)) \(dumped)"
            for form in [Self.key, Self.key.formEncoded, "ared %key", "ared%20%25key"] {
                #expect(!words.contains(form))
            }
        }
    }

    @Test("Hole of the reference: TLS was not verified")
    func tls() async throws {
        try await withTemporaryFolder { folder in
            let stranger = try await TestAuthority("stranger", in: folder)
            try await LoopbackStore.serving(in: folder) { _ in
                Self.purchase()
            } _: { store in
                let verifier = try Self.open(store.trusting(stranger.certificate), in: folder)
                await #expect(throws: (any Error).self) { try await verdict(verifier) }
                #expect(store.questions.isEmpty)
            }
        }
    }

    @Test("A subscription that Amazon has ended early ends now")
    func current() async throws {
        try await withAmazon { verifier, answers, _ in
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase()] }
            let first = try #require(try await verdict(verifier).transactions.first)
            func now() async throws -> [StoreTransaction] {
                try await verifier.current(first, receipt: Self.receipt, allowing: [.production], at: Self.now)
            }
            answers.withLock { $0["verifyReceiptId"] = [Self.purchase(renewal: Self.now + 50 * Self.day)] }
            #expect(try await now().first?.expires == Self.now + 50 * Self.day)
            answers.withLock { $0["verifyReceiptId"] = [Word(410)] }
            #expect(try await now().first?.expires == Self.now)
            answers.withLock { $0["verifyReceiptId"] = [Word(400)] }
            #expect(try await now() == [])
        }
    }

    @Test("Any answer is read without harm")
    func total() {
        var random = SeededRandom(seed: 16)
        let sample = Array(Self.purchase().body.utf8)
        for _ in 0..<5_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            guard let json = try? JSONParser.parse(bytes) else { continue }
            _ = AmazonPurchase(json, .receiptID("r"))
            _ = AmazonPurchase(json, .purchaseToken("t"))
        }
    }
}
