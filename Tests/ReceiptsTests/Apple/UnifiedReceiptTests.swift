import Commerce
import Foundation
import PKCS7
import Primitives
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Unified receipt", .timeLimit(.minutes(10)))
struct UnifiedReceiptTests {
    @Test(
        "Verifies receipts of every encoding in use",
        arguments: [ReceiptAuthority.SigningMode.today, .sha1, .plain, .indefinite])
    func encodings(_ mode: ReceiptAuthority.SigningMode) async throws {
        let authority = try await ReceiptAuthority.shared.value
        let bytes = try await authority.sign(TestPayload().bytes, by: nil, mode)
        // X.690 section 8.1.3.6: an indefinite length.
        #expect((bytes[1] == 0x80) == (mode == .indefinite))
        let verdict = try await AppleFixture.local().verdict(.of(bytes))
        #expect(
            verdict
                == .genuine([
                    StoreTransaction(
                        store: AppleFixture.store, id: "1000", original: "1000", product: "com.example.daily.month",
                        purchased: AppleFixture.date("2024-03-01T00:00:00Z"), environment: .production,
                        reported: AppleFixture.date("2024-03-02T10:00:00Z"))
                ]))
    }

    @Test("Reads all fields of each purchase")
    func purchases() throws {
        var payload = TestPayload()
        payload.purchases = [
            .init(
                product: "a", transaction: "2", original: "1", purchased: "2024-01-01T00:00:00Z",
                expires: "2024-02-01T00:00:00Z", cancelled: "2024-01-05T00:00:00Z", quantity: 3),
            .init(product: "b", transaction: "3"),
            // An entry without a product is not a purchase.
            .init(product: "", transaction: "4"),
        ]
        let receipt = try UnifiedReceipt(payload.bytes)
        #expect(receipt.environment == "Production" && receipt.bundle == "com.example.daily")
        #expect(receipt.created == AppleFixture.date("2024-03-02T10:00:00Z"))
        #expect(
            receipt.purchases == [
                ApplePurchase(
                    product: "a", transaction: "2", original: "1", purchased: AppleFixture.date("2024-01-01T00:00:00Z"),
                    expires: AppleFixture.date("2024-02-01T00:00:00Z"),
                    cancelled: AppleFixture.date("2024-01-05T00:00:00Z"), quantity: 3),
                ApplePurchase(
                    product: "b", transaction: "3", original: "3", purchased: AppleFixture.date("2024-03-01T00:00:00Z")),
            ])
    }

    @Test("Accepts line breaks, the URL-safe alphabet, missing padding, and spaces instead of plus signs")
    func spellings() async throws {
        let authority = try await ReceiptAuthority.shared.value
        var payload = TestPayload()
        // Enough purchases to produce plus signs.
        payload.purchases = (0..<20).map { .init(transaction: "\($0)") }
        let bytes = try await authority.sign(payload.bytes)
        let plain = Data(bytes).base64EncodedString()
        #expect(plain.contains("+"))
        let store = try await AppleFixture.local()
        for text in [
            plain, Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn]),
            Data(bytes).base64EncodedString(options: .lineLength76Characters).replacing("\n", with: " \n"),
            plain.replacing("+", with: " "), plain.replacing("=", with: ""), Base64URL.encode(bytes), "\n\(plain)\n",
        ] {
            let receipt = StoreReceipt([.receipt: text])
            #expect(store.isPlausible(receipt))
            #expect(try await store.verdict(receipt).transactions.count == 20)
        }
    }

    @Test("Rejects a receipt of more than one megabyte without reading it")
    func large() async throws {
        #expect(throws: SignedMessageError.tooLarge(limit: 1 << 20)) {
            try SignedMessage(Array(repeating: 0x30, count: 1 << 20 + 1))
        }
        let store = try await AppleFixture.local()
        #expect(!store.isPlausible(StoreReceipt([.receipt: String(repeating: "MIAG", count: 400_000)])))
    }

    @Test("Parses or rejects any payload without a trap")
    func fuzz() async {
        var random = SeededRandom(seed: 18)
        let good = TestPayload().bytes
        var read = 0
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert([0x80, 0x00, 0xFF, 0x31, 0x24].randomElement(using: &random) ?? 0, at: place)
                }
            }
            if Bool.random(using: &random) { bytes = Array(bytes.prefix(Int.random(in: 0...80, using: &random))) }
            if (try? UnifiedReceipt(bytes)) != nil { read += 1 }
        }
        #expect(read > 0)
    }

    @Test("Parses or rejects any signed message without a trap")
    func fuzzMessages() async throws {
        var random = SeededRandom(seed: 7)
        let authority = try await ReceiptAuthority.shared.value
        let messages = [
            try await authority.sign(TestPayload().bytes),
            try await authority.sign(TestPayload().bytes, by: nil, .indefinite),
        ]
        var read = 0
        // OpenSSL parses and verifies each message, which takes time.
        for round in 0..<8_000 {
            if round.isMultiple(of: 5) { await Task.yield() }
            var bytes = messages[round % 2]
            // Mostly changes bytes of the structure.
            let reach = Bool.random(using: &random) ? 80 : bytes.count
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<reach, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if let message = try? SignedMessage(bytes) {
                read += 1
                _ = try? message.verifyByItsOwnCertificate()
            }
        }
        #expect(read > 0)
    }
}
