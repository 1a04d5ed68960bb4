import Foundation
import Gatefold
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("Purchase data that Google signed", .timeLimit(.minutes(10)))
struct GoogleSignedDataTests {
    /// The verdict on data that the app's key signed.
    private func verdict(
        _ data: String, allowing allowed: Set<StoreEnvironment> = [.production],
        change: (inout [StoreReceipt.Part: String]) -> Void = { _ in }
    ) async throws -> ReceiptVerdict {
        try await withTemporaryFolder { folder in
            let key = try await SigningKey("app", in: folder)
            var parts: [StoreReceipt.Part: String] = [.receipt: data, .signature: try await key.sign(data)]
            change(&parts)
            return try await GoogleBench.local(key).verify(
                StoreReceipt(parts), allowing: allowed, at: GoogleBench.now)
        }
    }

    @Test("proves a purchase, as a single order and as one of several")
    func genuine() async throws {
        let single = try await verdict(GoogleBench.data(more: "\"quantity\":2,"))
        let play = try #require(StoreName("play"))
        let purchased = Date(timeIntervalSince1970: 1_793_500_000.123)
        #expect(
            single
                == .genuine([
                    StoreTransaction(
                        store: play, id: "GPA.3345-1234-5678-90123", original: "GPA.3345-1234-5678-90123",
                        product: "daily.2026-11-01", purchased: purchased, quantity: 2, environment: .production,
                        told: purchased)
                ]))
        let orders = [
            GoogleBench.data(order: "1.1", product: "a"), GoogleBench.data(order: "GPA.2..4", product: "b"),
            GoogleBench.data(package: "com.example.other"),
        ]
        let several = try await verdict("{\"nonce\":7,\"orders\":[\(orders.joined(separator: ","))]}").transactions
        #expect(several.map(\.product) == ["a", "b"])
        #expect(several.map(\.id) == ["1.1", "GPA.2..4"] && several.map(\.original) == ["1.1", "GPA.2"])
    }

    @Test("An order without a state was paid for, as Google's own library has it")
    func noState() async throws {
        #expect(try await verdict(GoogleBench.data(state: nil)).transactions.count == 1)
        #expect(try await verdict(GoogleBench.data(state: 0)).transactions.count == 1)
    }

    @Test("Hole of the reference: the state of the purchase was not checked")
    func purchaseState() async throws {
        #expect(try await verdict(GoogleBench.data(state: 1)).transactions.map { $0.revoked != nil } == [true])
        for state in [2, 4, -1, 99] { #expect(try await verdict(GoogleBench.data(state: state)).refusal == .empty) }
        let odd = GoogleBench.data(state: nil, more: "\"purchaseState\":\"0\",")
        #expect(try await verdict(odd).refusal == .empty)
    }

    @Test("Hole of the reference: the package name was not checked")
    func package() async throws {
        #expect(try await verdict(GoogleBench.data(package: "com.example.other")).refusal == .wrongApp)
        #expect(try await verdict(GoogleBench.data(package: "COM.example.daily")).refusal == .wrongApp)
    }

    @Test(
        "Hole of the reference: the end was not checked. Signed data names none, so a subscription covers nothing by it"
    )
    func expiry() async throws {
        let told = try await verdict(GoogleBench.data(product: "daily.monthly", more: "\"autoRenewing\":true,"))
        let transaction = try #require(told.transactions.first)
        #expect(transaction.expires == nil)
        var rules = ProductRules(subscriptions: [SubscriptionProduct(pattern: "daily.monthly")])
        #expect(rules.holdings(from: [transaction], in: Catalogue(), at: GoogleBench.now).isEmpty)
        rules.subscriptions = [SubscriptionProduct(pattern: "daily.monthly", term: .seconds(30 * 86_400))]
        #expect(rules.holdings(from: [transaction], in: Catalogue(), at: GoogleBench.now).isSubscribed)
        let later = GoogleBench.now.addingTimeInterval(40 * 86_400)
        #expect(!rules.holdings(from: [transaction], in: Catalogue(), at: later).isSubscribed)
    }

    @Test("Hole of the reference: the data was decoded a second time, which damaged every + and %")
    func secondDecoding() async throws {
        let data = GoogleBench.data(product: "daily+100%25", token: "a+b%2Bc")
        #expect(try await verdict(data).transactions.first?.product == "daily+100%25")
        // An app that encodes twice, because the historic server decoded twice.
        let encoded = try await verdict(data) { parts in
            parts[.receipt] = data.formEncoded
            parts[.signature] = parts[.signature]?.formEncoded
        }
        #expect(encoded.transactions.first?.product == "daily+100%25")
        // What decodes to something that was never signed is nobody's.
        let forged = try await verdict(data) { $0[.receipt] = GoogleBench.data(product: "other").formEncoded }
        #expect(forged.refusal == .forged)
    }

    @Test("A signature whose + became spaces on the way is read all the same")
    func spaces() async throws {
        let told = try await verdict(GoogleBench.data()) { parts in
            parts[.signature] = parts[.signature]?.replacing("+", with: " ")
        }
        #expect(told.transactions.count == 1)
    }

    @Test("Pitfall 18: changed, signed by another, with another digest, or not at all, it is refused")
    func forged() async throws {
        try await withTemporaryFolder { folder in
            let key = try await SigningKey("app", in: folder)
            let stranger = try await SigningKey("stranger", in: folder)
            let verifier = try GoogleBench.local(key)
            func refusal(_ parts: [StoreReceipt.Part: String]) async throws -> ReceiptRefusal.Reason? {
                try await verifier.verify(StoreReceipt(parts), allowing: [.production], at: GoogleBench.now).refusal
            }
            let data = GoogleBench.data()
            let signature = try await key.sign(data)
            #expect(try await refusal([.receipt: data + " ", .signature: signature]) == .forged)
            #expect(try await refusal([.receipt: String(data.dropLast()), .signature: signature]) == .forged)
            #expect(try await refusal([.receipt: data, .signature: try await stranger.sign(data)]) == .forged)
            let strong = try await key.sign(data, digest: "sha256")
            #expect(try await refusal([.receipt: data, .signature: strong]) == .forged)
            var bytes = [UInt8](Data(base64Encoded: signature) ?? Data())
            bytes[bytes.count - 1] ^= 1
            #expect(try await refusal([.receipt: data, .signature: Data(bytes).base64EncodedString()]) == .forged)
            for nonsense in ["", "AAAA", "no base64!", "%", "%ZZ", String(repeating: "A", count: 100_000)] {
                let told = try await refusal([.receipt: data, .signature: nonsense])
                #expect(told == .forged || (nonsense.isEmpty && told == .malformed))
            }
            // Without Google to ask, a token and a name say nothing.
            #expect(try await refusal([.receipt: data]) == .malformed)
            #expect(try await refusal([.token: "t", .product: "p"]) == .malformed)
            #expect(try await refusal([:]) == .malformed)
        }
    }

    @Test("What Google signed and is no purchase proves none")
    func noPurchase() async throws {
        for (data, reason) in [
            ("{}", ReceiptRefusal.Reason.malformed), ("[]", .malformed), ("x", .malformed),
            ("{\"orders\":[]}", .empty), ("{\"orders\":[{}]}", .empty), ("{\"orders\":7}", .malformed),
            ("{\"a\":1,\"a\":1}", .malformed),
        ] {
            #expect(try await verdict(data).refusal == reason, "\(data)")
        }
        let long = GoogleBench.data(token: String(repeating: "x", count: 70_000))
        #expect(try await verdict(long).refusal == .malformed)
    }

    @Test(
        "Hole of the reference: sandbox was honoured in production. What nobody paid for counts where that is allowed")
    func sandbox() async throws {
        for data in [
            GoogleBench.data(order: nil), GoogleBench.data(order: ""),
            GoogleBench.data(product: "android.test.purchased"),
        ] {
            #expect(try await verdict(data).refusal == .wrongEnvironment)
            let told = try await verdict(data, allowing: GoogleBench.both).transactions
            #expect(told.map(\.environment) == [.sandbox])
        }
        let unnumbered = try await verdict(GoogleBench.data(order: nil), allowing: GoogleBench.both).transactions
        #expect(unnumbered.first?.id.hasPrefix("token:") == true)
    }

    @Test("Any text is read without harm")
    func total() async {
        var random = SeededRandom(seed: 18)
        let sample = Array(GoogleBench.data().utf8)
        var read = 0
        // Each by three readers, of which the one of JSON takes its time.
        for round in 0..<8_000 {
            // Others of this process have something to do, too.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes: [UInt8]
            if !round.isMultiple(of: 4) {
                bytes = random.hostileBytes(upTo: 60, spice: "{}[]\":,%+orders0123456789")
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
            _ = PercentEncoded.decoded(text)
            _ = GooglePurchaseID.original(of: text)
        }
        #expect(read > 40)
    }
}
