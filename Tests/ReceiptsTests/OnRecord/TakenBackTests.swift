import Foundation
import Gatefold
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("What a store takes back is taken back on record", .timeLimit(.minutes(10)))
struct TakenBackTests {
    private let hour: TimeInterval = 3600
    private let day: TimeInterval = 86_400

    private func withGoogle(
        _ body: (GoogleStandIn, LoopbackStore, ShopRecord) async throws -> Void, settings: String = ""
    ) async throws {
        try await withTemporaryFolder { folder in
            let google = try await GoogleStandIn(in: folder)
            try await google.run { store in
                let shop = try ShopRecord(try google.verifier(store, settings), at: GoogleBench.now, in: folder)
                try await body(google, store, shop)
            }
        }
    }

    private let token = StoreReceipt([.token: "t/1", .product: "daily.2026-11-01"])
    private let single = "products/daily.2026-11-01/tokens/t%2F1"
    private let subscription = "subscriptionsv2/tokens/t%2F1"

    @Test("when its receipt is shown again, with a refund or nothing but a 410 of Google's", arguments: [false, true])
    func googleShown(isGone: Bool) async throws {
        try await withGoogle { google, _, shop in
            google.tell(single, GoogleStandIn.single())
            guard case .recorded = try await shop.confirm(token) else { return #expect(Bool(false)) }
            #expect(try await shop.bought.map(\.revoked) == [nil])
            google.tell(single, isGone ? LoopbackStore.Word(410) : GoogleStandIn.single(state: 1))
            shop.clock.advance(by: hour)
            guard case .refused(let refusal) = try await shop.confirm(token) else { return #expect(Bool(false)) }
            #expect(refusal.reason == .revoked)
            #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
            // What was reversed is the buyer's again.
            google.tell(single, GoogleStandIn.single())
            shop.clock.advance(by: hour)
            _ = try await shop.confirm(token)
            #expect(try await shop.bought.map(\.revoked) == [nil])
        }
    }

    @Test("when nobody shows its receipt, by the daily look", arguments: [false, true])
    func googleLookedAt(isGone: Bool) async throws {
        try await withGoogle { google, store, shop in
            google.tell(single, GoogleStandIn.single())
            _ = try await shop.confirm(token)
            google.tell(single, isGone ? LoopbackStore.Word(410) : GoogleStandIn.single(state: 1))
            shop.clock.advance(by: day + 1)
            #expect(try await shop.desk.followUp() == 1)
            #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
            // Later than any refund nobody asks.
            let asked = store.questions.count
            shop.clock.advance(by: 90 * day)
            #expect(try await shop.desk.followUp() == 0)
            #expect(store.questions.count == asked)
        }
    }

    @Test("where it is a receipt that nobody claims, for those who have claimed it")
    func googleExamined() async throws {
        try await withGoogle { google, _, shop in
            google.tell(single, GoogleStandIn.single())
            _ = try await shop.confirm(token)
            google.tell(single, LoopbackStore.Word(410))
            let told = try await shop.desk.examine(token, from: .google)
            #expect(told == .refused(ReceiptRefusal(.revoked, code: 410)))
            #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
        }
    }

    @Test("A subscription that Google has forgotten is over, and what came out while it ran stays")
    func googleSubscription() async throws {
        try await withGoogle { google, _, shop in
            google.tell(subscription, GoogleStandIn.subscription("ACTIVE", product: "daily.2026-11-01"))
            _ = try await shop.confirm(token)
            google.tell(subscription, LoopbackStore.Word(410))
            shop.clock.advance(by: hour)
            #expect(try await shop.confirm(token) == .refused(ReceiptRefusal(.expired, code: 410)))
            let known = try #require(try await shop.bought.first)
            #expect(known.ends == shop.clock.now && known.revoked == nil)
        }
    }

    @Test("An entitlement that Amazon calls over, or cancelled, is taken back", arguments: [410, 200])
    func amazon(status: Int) async throws {
        try await withTemporaryFolder { folder in
            try await AmazonBench.run { verifier, answers, _ in
                let shop = try ShopRecord(verifier, at: AmazonBench.now, in: folder)
                answers.withLock { $0["verifyReceiptId"] = [AmazonBench.purchase("ENTITLED", renewal: nil)] }
                _ = try await shop.confirm(AmazonBench.receipt)
                #expect(try await shop.bought.map(\.revoked) == [nil])
                let cancelled = AmazonBench.purchase("ENTITLED", cancelled: AmazonBench.now, renewal: nil)
                answers.withLock { $0["verifyReceiptId"] = [status == 410 ? LoopbackStore.Word(410) : cancelled] }
                shop.clock.advance(by: hour)
                guard case .refused = try await shop.confirm(AmazonBench.receipt) else {
                    return #expect(Bool(false))
                }
                let moment = status == 410 ? shop.clock.now : AmazonBench.now
                #expect(try await shop.bought.map(\.revoked) == [moment])
            }
        }
    }

    @Test("A subscription that Amazon calls over ends, by the receipt shown or by the look", arguments: [true, false])
    func amazonSubscription(isShown: Bool) async throws {
        try await withTemporaryFolder { folder in
            try await AmazonBench.run { verifier, answers, _ in
                let shop = try ShopRecord(verifier, at: AmazonBench.now, in: folder)
                answers.withLock { $0["verifyReceiptId"] = [AmazonBench.purchase()] }
                _ = try await shop.confirm(AmazonBench.receipt)
                answers.withLock { $0["verifyReceiptId"] = [LoopbackStore.Word(410)] }
                shop.clock.advance(by: day + 1)
                if isShown {
                    _ = try await shop.confirm(AmazonBench.receipt)
                } else {
                    #expect(try await shop.desk.followUp() == 1)
                }
                let known = try #require(try await shop.bought.first)
                #expect(known.ends == shop.clock.now && known.revoked == nil)
            }
        }
    }

    @Test("A purchase is acknowledged once it is on record, and again when Google did not take that in")
    func acknowledged() async throws {
        try await withGoogle(
            { google, store, shop in
                func acknowledgements() -> Int { store.questions.count { $0.target.hasSuffix(":acknowledge") } }
                google.tell(single, GoogleStandIn.single())
                google.script.withLock { $0.acknowledging = LoopbackStore.Word(403) }
                guard case .recorded = try await shop.confirm(token) else { return #expect(Bool(false)) }
                #expect(acknowledgements() == 0)
                #expect(try await shop.desk.followUp() == 1)
                #expect(try await shop.desk.followUp() == 0)
                #expect(acknowledgements() == 1)
                #expect(try await shop.bought.map(\.revoked) == [nil], "no less the buyer's")
                google.script.withLock { $0.acknowledging = LoopbackStore.Word(204, "") }
                shop.clock.advance(by: hour)
                #expect(try await shop.desk.followUp() == 1)
                shop.clock.advance(by: hour)
                #expect(try await shop.desk.followUp() == 0)
                #expect(acknowledgements() == 2)
                #expect(try await shop.bought.map(\.awaitsAcknowledgement) == [false])
            }, settings: "acknowledge: true\n")
    }

    @Test("Unsigned data says what to ask about once it is on record, too", arguments: [false, true])
    func unsigned(hasKey: Bool) async throws {
        try await withTemporaryFolder { folder in
            let google = try await GoogleStandIn(in: folder)
            let key = hasKey ? "public_key: \(try await SigningKey("app", in: folder).licence)\n" : ""
            try await google.run { store in
                let verifier = try google.verifier(store, "acknowledge: true\n" + key)
                let shop = try ShopRecord(verifier, at: GoogleBench.now, in: folder)
                google.tell(single, GoogleStandIn.single())
                let data = GoogleBench.data(order: "GPA.9-9", token: "t/1")
                guard case .recorded = try await shop.confirm(StoreReceipt([.receipt: data])) else {
                    return #expect(Bool(false))
                }
                #expect(try await shop.bought.map(\.id) == ["GPA.9-9"])
                #expect(try await shop.desk.followUp() == 1)
                #expect(store.questions.count { $0.target.hasSuffix(":acknowledge") } == 1)
                google.tell(single, GoogleStandIn.single(state: 1))
                shop.clock.advance(by: day + 1)
                #expect(try await shop.desk.followUp() == 1)
                #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
            }
        }
    }

    @Test("The number of an unsigned order names nothing: Google's answer says which purchase it is")
    func swappedNumbers() async throws {
        try await withGoogle(
            { google, store, shop in
                let other = "products/daily.2026-11-01/tokens/t2"
                google.tell(single, GoogleStandIn.single())
                google.tell(
                    other,
                    LoopbackStore.Word(
                        200, #"{"purchaseTimeMillis":"1793500000123","purchaseState":0,"orderId":"GPA.8-8"}"#))
                let orders = [("GPA.8-8", "t/1"), ("GPA.9-9", "t2")].map { GoogleBench.data(order: $0, token: $1) }
                let receipt = StoreReceipt([.receipt: "{\"orders\":[\(orders.joined(separator: ","))]}"])
                guard case .recorded = try await shop.confirm(receipt) else { return #expect(Bool(false)) }
                #expect(try await shop.desk.followUp() == 1)
                let acknowledged = store.questions.map(\.target).filter { $0.hasSuffix(":acknowledge") }
                #expect(acknowledged.count == 1 && acknowledged.allSatisfy { $0.contains("t%2F1") })
                google.tell(single, GoogleStandIn.single(state: 1))
                shop.clock.advance(by: day + 1)
                #expect(try await shop.desk.followUp() == 2)
                let bought = try await shop.bought.sorted { $0.id < $1.id }
                #expect(bought.map(\.id) == ["GPA.8-8", "GPA.9-9"])
                #expect(bought.map(\.revoked) == [nil, shop.clock.now])
            }, settings: "acknowledge: true\n")
    }

    @Test("A purchase without a receipt that holds its token is not taken for acknowledged")
    func nothingToAsk() async throws {
        try await withGoogle(
            { google, store, shop in
                google.tell(single, GoogleStandIn.single())
                _ = try await shop.confirm(token)
                let bought = try #require(try await shop.bought.first)
                for receipt in [nil, StoreReceipt([.receipt: "{}"])] {
                    await #expect(throws: GoogleFailure.noPurchaseToken) {
                        try await shop.verifier.acknowledge(bought, receipt: receipt)
                    }
                }
                #expect(!store.questions.contains { $0.target.hasSuffix(":acknowledge") })
            }, settings: "acknowledge: true\n")
    }

    @Test("What others have claimed, or is of another environment, is acknowledged by nobody")
    func notAcknowledged() async throws {
        try await withGoogle(
            { google, store, shop in
                google.tell(single, GoogleStandIn.single(more: "\"purchaseType\":0,"))
                #expect(try await shop.confirm(token) == .refused(ReceiptRefusal(.wrongEnvironment)))
                google.tell(single, GoogleStandIn.single())
                let theirs = PurchaseOwner(bytes: [UInt8](repeating: 2, count: 16))!
                _ = try await shop.desk.confirm(token, from: .google, owner: theirs, claims: .exclusive)
                let confirmation = try await shop.desk.confirm(
                    token, from: .google, owner: ShopRecord.owner, claims: .exclusive)
                #expect(confirmation == .refused(ReceiptRefusal(.claimedByAnother)))
                #expect(!store.questions.contains { $0.target.hasSuffix(":acknowledge") })
                // Those who have it, have it.
                _ = try await shop.desk.followUp()
                #expect(store.questions.count { $0.target.hasSuffix(":acknowledge") } == 1)
            }, settings: "acknowledge: true\n")
    }

    @Test("A receipt that nobody claims is acknowledged when it is shown")
    func examinedAcknowledged() async throws {
        try await withGoogle(
            { google, store, shop in
                google.tell(single, GoogleStandIn.single())
                guard case .genuine = try await shop.desk.examine(token, from: .google) else {
                    return #expect(Bool(false))
                }
                #expect(store.questions.count { $0.target.hasSuffix(":acknowledge") } == 1)
            }, settings: "acknowledge: true\n")
    }
}
