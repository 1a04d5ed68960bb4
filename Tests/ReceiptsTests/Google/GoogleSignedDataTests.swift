import Commerce
import Foundation
import Gatefold
import Primitives
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Purchase data signed by Google", .timeLimit(.minutes(10)))
struct GoogleSignedDataTests {
    /// Returns the verdict on data that the app's key signed.
    private func verdict(
        _ data: String, allowing allowed: Set<StoreEnvironment> = [.production],
        change: (inout [StoreReceipt.Part: String]) -> Void = { _ in }
    ) async throws -> ReceiptVerdict {
        try await withTemporaryFolder { folder in
            let key = try await SigningKey("app", in: folder)
            var parts: [StoreReceipt.Part: String] = [.receipt: data, .signature: try await key.sign(data)]
            change(&parts)
            return try await GoogleFixture.local(key).verify(
                StoreReceipt(parts), allowing: allowed, at: GoogleFixture.now)
        }
    }

    @Test("Proves a purchase, as a single order and as one of several")
    func genuine() async throws {
        let single = try await verdict(GoogleFixture.data(more: "\"quantity\":2,"))
        let play = try #require(StoreName("play"))
        let purchased = Date(timeIntervalSince1970: 1_793_500_000.123)
        #expect(
            single
                == .genuine([
                    StoreTransaction(
                        store: play, id: "GPA.3345-1234-5678-90123", original: "GPA.3345-1234-5678-90123",
                        product: "daily.2026-11-01", purchased: purchased, quantity: 2, environment: .production,
                        reported: purchased)
                ]))
        let orders = [
            GoogleFixture.data(order: "1.1", product: "a"), GoogleFixture.data(order: "GPA.2..4", product: "b"),
            GoogleFixture.data(package: "com.example.other"),
        ]
        let several = try await verdict("{\"nonce\":7,\"orders\":[\(orders.joined(separator: ","))]}").transactions
        #expect(several.map(\.product) == ["a", "b"])
        #expect(several.map(\.id) == ["1.1", "GPA.2..4"] && several.map(\.original) == ["1.1", "GPA.2"])
    }

    @Test("Reads an order without a state as paid, like Google's own library")
    func noState() async throws {
        #expect(try await verdict(GoogleFixture.data(state: nil)).transactions.count == 1)
        #expect(try await verdict(GoogleFixture.data(state: 0)).transactions.count == 1)
    }

    @Test("Corrected from the historic server: checks the purchase state")
    func purchaseState() async throws {
        #expect(try await verdict(GoogleFixture.data(state: 1)).transactions.map { $0.revoked != nil } == [true])
        for state in [2, 4, -1, 99] { #expect(try await verdict(GoogleFixture.data(state: state)).rejection == .empty) }
        let odd = GoogleFixture.data(state: nil, more: "\"purchaseState\":\"0\",")
        #expect(try await verdict(odd).rejection == .empty)
    }

    @Test("Corrected from the historic server: checks the package name")
    func package() async throws {
        #expect(try await verdict(GoogleFixture.data(package: "com.example.other")).rejection == .wrongApp)
        #expect(try await verdict(GoogleFixture.data(package: "COM.example.daily")).rejection == .wrongApp)
    }

    @Test(
        "Corrected from the historic server: a subscription without a configured term grants nothing, as signed data has no expiry"
    )
    func expiry() async throws {
        let reported = try await verdict(GoogleFixture.data(product: "daily.monthly", more: "\"autoRenewing\":true,"))
        let transaction = try #require(reported.transactions.first)
        #expect(transaction.expires == nil)
        var rules = ProductRules(subscriptions: [SubscriptionProduct(pattern: "daily.monthly")])
        #expect(rules.holdings(from: [transaction], in: Catalogue(), at: GoogleFixture.now).isEmpty)
        rules.subscriptions = [SubscriptionProduct(pattern: "daily.monthly", term: .seconds(30 * 86_400))]
        #expect(rules.holdings(from: [transaction], in: Catalogue(), at: GoogleFixture.now).isSubscribed)
        let later = GoogleFixture.now.addingTimeInterval(40 * 86_400)
        #expect(!rules.holdings(from: [transaction], in: Catalogue(), at: later).isSubscribed)
    }

    @Test("Corrected from the historic server: decodes the data only once, so that + and % survive")
    func secondDecoding() async throws {
        let data = GoogleFixture.data(product: "daily+100%25", token: "a+b%2Bc")
        #expect(try await verdict(data).transactions.first?.product == "daily+100%25")
        // An app that encodes twice, because the historic server decoded twice.
        let encoded = try await verdict(data) { parts in
            parts[.receipt] = data.formEncoded
            parts[.signature] = parts[.signature]?.formEncoded
        }
        #expect(encoded.transactions.first?.product == "daily+100%25")
        // Decoded data that was never signed is forged.
        let forged = try await verdict(data) { $0[.receipt] = GoogleFixture.data(product: "other").formEncoded }
        #expect(forged.rejection == .forged)
    }

    @Test("Accepts a signature in which spaces replaced +")
    func spaces() async throws {
        let reported = try await verdict(GoogleFixture.data()) { parts in
            parts[.signature] = parts[.signature]?.replacing("+", with: " ")
        }
        #expect(reported.transactions.count == 1)
    }

    @Test("Pitfall 18: rejects data that is changed, unsigned, or signed by another key or with another digest")
    func forged() async throws {
        try await withTemporaryFolder { folder in
            let key = try await SigningKey("app", in: folder)
            let stranger = try await SigningKey("stranger", in: folder)
            let verifier = try GoogleFixture.local(key)
            func rejection(_ parts: [StoreReceipt.Part: String]) async throws -> ReceiptRejection.Reason? {
                try await verifier.verify(StoreReceipt(parts), allowing: [.production], at: GoogleFixture.now).rejection
            }
            let data = GoogleFixture.data()
            let signature = try await key.sign(data)
            #expect(try await rejection([.receipt: data + " ", .signature: signature]) == .forged)
            #expect(try await rejection([.receipt: String(data.dropLast()), .signature: signature]) == .forged)
            #expect(try await rejection([.receipt: data, .signature: try await stranger.sign(data)]) == .forged)
            let strong = try await key.sign(data, digest: "sha256")
            #expect(try await rejection([.receipt: data, .signature: strong]) == .forged)
            var bytes = [UInt8](Data(base64Encoded: signature) ?? Data())
            bytes[bytes.count - 1] ^= 1
            #expect(try await rejection([.receipt: data, .signature: Data(bytes).base64EncodedString()]) == .forged)
            for nonsense in ["", "AAAA", "no base64!", "%", "%ZZ", String(repeating: "A", count: 100_000)] {
                let reported = try await rejection([.receipt: data, .signature: nonsense])
                #expect(reported == .forged || (nonsense.isEmpty && reported == .malformed))
            }
            // Without a query to Google, a token and a product prove nothing.
            #expect(try await rejection([.receipt: data]) == .malformed)
            #expect(try await rejection([.token: "t", .product: "p"]) == .malformed)
            #expect(try await rejection([:]) == .malformed)
        }
    }

    @Test("Rejects signed data that is not a purchase")
    func noPurchase() async throws {
        for (data, reason) in [
            ("{}", ReceiptRejection.Reason.malformed), ("[]", .malformed), ("x", .malformed),
            ("{\"orders\":[]}", .empty), ("{\"orders\":[{}]}", .empty), ("{\"orders\":7}", .malformed),
            ("{\"a\":1,\"a\":1}", .malformed),
        ] {
            #expect(try await verdict(data).rejection == reason, "\(data)")
        }
        let long = GoogleFixture.data(token: String(repeating: "x", count: 70_000))
        #expect(try await verdict(long).rejection == .malformed)
    }

    @Test(
        "Corrected from the historic server: accepts unpaid purchases only where sandbox is allowed, not in production")
    func sandbox() async throws {
        for data in [
            GoogleFixture.data(order: nil), GoogleFixture.data(order: ""),
            GoogleFixture.data(product: "android.test.purchased"),
        ] {
            #expect(try await verdict(data).rejection == .wrongEnvironment)
            let reported = try await verdict(data, allowing: GoogleFixture.both).transactions
            #expect(reported.map(\.environment) == [.sandbox])
        }
        let unnumbered = try await verdict(GoogleFixture.data(order: nil), allowing: GoogleFixture.both).transactions
        #expect(unnumbered.first?.id.hasPrefix("token:") == true)
    }

    @Test("Reads any text without a trap")
    func total() async {
        var random = SeededRandom(seed: 18)
        let sample = Array(GoogleFixture.data().utf8)
        var read = 0
        // Three readers parse each text, and the JSON parser takes time.
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes: [UInt8]
            if !round.isMultiple(of: 4) {
                bytes = random.hostileBytes(upTo: 60, specialCharacters: "{}[]\":,%+orders0123456789")
            } else {
                bytes = sample
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0...2, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: place)
                    }
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let orders = GoogleOrder.read(text) { read += orders.count }
            _ = PercentEncoding.decodeForm(text)
            _ = GooglePurchaseID.original(of: text)
        }
        #expect(read > 40)
    }
}
