import Commerce
import Foundation
import JSON
import TestSupport
import Testing

@testable import Receipts

@Suite("Google responses")
struct GoogleResultTests {
    private let store = StoreName("play")!
    private let query = GoogleQuery(token: "t", product: "p", order: nil, mustBeProduct: false)

    @Test("Parses any text as a date or nil without a trap")
    func dates() async {
        #expect(GoogleSubscription.date("1970-01-01T00:00:01.500000000Z") == Date(timeIntervalSince1970: 1.5))
        for text in ["", "Z", "1970-01-01T00:00:01", "1970-13-01T00:00:01Z", "1970-01-01T00:00:01.Z"] {
            #expect(GoogleSubscription.date(text) == nil, "\(text)")
        }
        var random = SeededRandom(seed: 3339)
        for round in 0..<10_000 {
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes = Array("2026-12-01T00:00:00.25Z".utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    Array("0123456789-:T.Z9".utf8).randomElement(using: &random) ?? 0
            }
            _ = GoogleSubscription.date(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("Parses any response as a purchase or nil without a trap")
    func total() async {
        var random = SeededRandom(seed: 410)
        func scalar() -> JSONValue {
            switch Int.random(in: 0...5, using: &random) {
            case 0: .null
            case 1: .boolean(Bool.random(using: &random))
            case 2: .number(["0", "1", "-1", "2", "1e308", "9223372036854775808"].randomElement(using: &random)!)
            case 3: .string(["", "1793500000123", "99999999999999999999"].randomElement(using: &random)!)
            case 4: .string(["2026-12-01T00:00:00Z", "SUBSCRIPTION_STATE_EXPIRED"].randomElement(using: &random)!)
            default: .string(["GPA.1..2", "..", "p", "ACKNOWLEDGEMENT_STATE_PENDING"].randomElement(using: &random)!)
            }
        }
        func object(_ names: [String], _ more: [JSONValue.Member] = []) -> JSONValue {
            .object(
                names.filter { _ in Int.random(in: 0...4, using: &random) > 0 }.map { .init(name: $0, value: scalar()) }
                    + more)
        }
        var found = 0
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                object(["productId", "expiryTime", "latestSuccessfulOrderId"])
            }
            let subscription = object(
                ["subscriptionState", "startTime", "latestOrderId", "testPurchase", "acknowledgementState"],
                Int.random(in: 0...9, using: &random) == 0 ? [] : [.init(name: "lineItems", value: .array(items))])
            let single = object([
                "productId", "orderId", "purchaseTimeMillis", "purchaseState", "quantity", "purchaseType",
                "acknowledgementState",
            ])
            for result in [
                GoogleSubscription(subscription)?.result(query, in: store, at: GoogleFixture.now),
                GoogleSinglePurchase(single, requested: "p")?.result(query, in: store, at: GoogleFixture.now),
            ] {
                guard case .found(let transactions) = result else { continue }
                found += 1
                #expect(!transactions.isEmpty && transactions.allSatisfy { $0.quantity > 0 })
            }
        }
        #expect(found > 150)
    }
}
