import Commerce
import Foundation
import Gatefold
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Revocation of recorded purchases", .timeLimit(.minutes(10)))
struct RevokedPurchaseTests {
    private let hour: TimeInterval = 3600
    private let day: TimeInterval = 86_400

    private func withGoogle(
        _ body: (FakeGooglePlay, LoopbackStore, StoreHarness) async throws -> Void, settings: String = ""
    ) async throws {
        try await withTemporaryFolder { folder in
            let google = try await FakeGooglePlay(in: folder)
            try await google.run { store in
                let shop = try StoreHarness(try google.verifier(store, settings), at: GoogleFixture.now, in: folder)
                try await body(google, store, shop)
            }
        }
    }

    private let token = StoreReceipt([.token: "t/1", .product: "daily.2026-11-01"])
    private let single = "products/daily.2026-11-01/tokens/t%2F1"
    private let subscription = "subscriptionsv2/tokens/t%2F1"

    @Test("A second submission revokes the purchase after a refund or a 410 from Google", arguments: [false, true])
    func googleShown(isGone: Bool) async throws {
        try await withGoogle { google, _, shop in
            google.notify(single, FakeGooglePlay.single())
            guard case .recorded = try await shop.confirm(token) else { return #expect(Bool(false)) }
            #expect(try await shop.bought.map(\.revoked) == [nil])
            google.notify(single, isGone ? LoopbackStore.Reply(410) : FakeGooglePlay.single(state: 1))
            shop.clock.advance(by: hour)
            guard case .rejected(let rejection) = try await shop.confirm(token) else { return #expect(Bool(false)) }
            #expect(rejection.reason == .revoked)
            #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
            // A reversed refund restores the purchase.
            google.notify(single, FakeGooglePlay.single())
            shop.clock.advance(by: hour)
            _ = try await shop.confirm(token)
            #expect(try await shop.bought.map(\.revoked) == [nil])
        }
    }

    @Test("The daily reverification revokes a purchase without a new submission", arguments: [false, true])
    func googleReverified(isGone: Bool) async throws {
        try await withGoogle { google, store, shop in
            google.notify(single, FakeGooglePlay.single())
            _ = try await shop.confirm(token)
            google.notify(single, isGone ? LoopbackStore.Reply(410) : FakeGooglePlay.single(state: 1))
            shop.clock.advance(by: day + 1)
            #expect(try await shop.purchaseService.followUp() == 1)
            #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
            // No query after the period in which refunds are possible.
            let requested = store.requests.count
            shop.clock.advance(by: 90 * day)
            #expect(try await shop.purchaseService.followUp() == 0)
            #expect(store.requests.count == requested)
        }
    }

    @Test("Examining an unclaimed receipt revokes the purchase for its recorded owners")
    func googleExamined() async throws {
        try await withGoogle { google, _, shop in
            google.notify(single, FakeGooglePlay.single())
            _ = try await shop.confirm(token)
            google.notify(single, LoopbackStore.Reply(410))
            let reported = try await shop.purchaseService.examine(token, from: .google)
            #expect(reported == .rejected(ReceiptRejection(.revoked, code: 410)))
            #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
        }
    }

    @Test("A subscription that Google no longer knows is expired, but not revoked")
    func googleSubscription() async throws {
        try await withGoogle { google, _, shop in
            google.notify(subscription, FakeGooglePlay.subscription("ACTIVE", product: "daily.2026-11-01"))
            _ = try await shop.confirm(token)
            google.notify(subscription, LoopbackStore.Reply(410))
            shop.clock.advance(by: hour)
            #expect(try await shop.confirm(token) == .rejected(ReceiptRejection(.expired, code: 410)))
            let known = try #require(try await shop.bought.first)
            #expect(known.ends == shop.clock.now && known.revoked == nil)
        }
    }

    @Test("Revokes an entitlement that Amazon reports as expired or cancelled", arguments: [410, 200])
    func amazon(status: Int) async throws {
        try await withTemporaryFolder { folder in
            try await AmazonFixture.run { verifier, responses, _ in
                let shop = try StoreHarness(verifier, at: AmazonFixture.now, in: folder)
                responses.withLock { $0["verifyReceiptId"] = [AmazonFixture.purchase("ENTITLED", renewal: nil)] }
                _ = try await shop.confirm(AmazonFixture.receipt)
                #expect(try await shop.bought.map(\.revoked) == [nil])
                let cancelled = AmazonFixture.purchase("ENTITLED", cancelled: AmazonFixture.now, renewal: nil)
                responses.withLock { $0["verifyReceiptId"] = [status == 410 ? LoopbackStore.Reply(410) : cancelled] }
                shop.clock.advance(by: hour)
                guard case .rejected = try await shop.confirm(AmazonFixture.receipt) else {
                    return #expect(Bool(false))
                }
                let timestamp = status == 410 ? shop.clock.now : AmazonFixture.now
                #expect(try await shop.bought.map(\.revoked) == [timestamp])
            }
        }
    }

    @Test("Ends a subscription that Amazon reports as expired", arguments: [true, false])
    func amazonSubscription(isShown: Bool) async throws {
        try await withTemporaryFolder { folder in
            try await AmazonFixture.run { verifier, responses, _ in
                let shop = try StoreHarness(verifier, at: AmazonFixture.now, in: folder)
                responses.withLock { $0["verifyReceiptId"] = [AmazonFixture.purchase()] }
                _ = try await shop.confirm(AmazonFixture.receipt)
                responses.withLock { $0["verifyReceiptId"] = [LoopbackStore.Reply(410)] }
                shop.clock.advance(by: day + 1)
                if isShown {
                    _ = try await shop.confirm(AmazonFixture.receipt)
                } else {
                    #expect(try await shop.purchaseService.followUp() == 1)
                }
                let known = try #require(try await shop.bought.first)
                #expect(known.ends == shop.clock.now && known.revoked == nil)
            }
        }
    }

    @Test("Acknowledges a recorded purchase and retries if Google rejects the acknowledgement")
    func acknowledged() async throws {
        try await withGoogle(
            { google, store, shop in
                func acknowledgements() -> Int { store.requests.count { $0.target.hasSuffix(":acknowledge") } }
                google.notify(single, FakeGooglePlay.single())
                google.script.withLock { $0.acknowledging = LoopbackStore.Reply(403) }
                guard case .recorded = try await shop.confirm(token) else { return #expect(Bool(false)) }
                #expect(acknowledgements() == 0)
                #expect(try await shop.purchaseService.followUp() == 1)
                #expect(try await shop.purchaseService.followUp() == 0)
                #expect(acknowledgements() == 1)
                #expect(try await shop.bought.map(\.revoked) == [nil], "still owned by the buyer")
                google.script.withLock { $0.acknowledging = LoopbackStore.Reply(204, "") }
                shop.clock.advance(by: hour)
                #expect(try await shop.purchaseService.followUp() == 1)
                shop.clock.advance(by: hour)
                #expect(try await shop.purchaseService.followUp() == 0)
                #expect(acknowledgements() == 2)
                #expect(try await shop.bought.map(\.awaitsAcknowledgement) == [false])
            }, settings: "acknowledge: true\n")
    }

    @Test("Reverifies and acknowledges a purchase recorded from unsigned data", arguments: [false, true])
    func unsigned(hasKey: Bool) async throws {
        try await withTemporaryFolder { folder in
            let google = try await FakeGooglePlay(in: folder)
            let key = hasKey ? "public_key: \(try await SigningKey("app", in: folder).licence)\n" : ""
            try await google.run { store in
                let verifier = try google.verifier(store, "acknowledge: true\n" + key)
                let shop = try StoreHarness(verifier, at: GoogleFixture.now, in: folder)
                google.notify(single, FakeGooglePlay.single())
                let data = GoogleFixture.data(order: "GPA.9-9", token: "t/1")
                guard case .recorded = try await shop.confirm(StoreReceipt([.receipt: data])) else {
                    return #expect(Bool(false))
                }
                #expect(try await shop.bought.map(\.id) == ["GPA.9-9"])
                #expect(try await shop.purchaseService.followUp() == 1)
                #expect(store.requests.count { $0.target.hasSuffix(":acknowledge") } == 1)
                google.notify(single, FakeGooglePlay.single(state: 1))
                shop.clock.advance(by: day + 1)
                #expect(try await shop.purchaseService.followUp() == 1)
                #expect(try await shop.bought.map(\.revoked) == [shop.clock.now])
            }
        }
    }

    @Test("Uses the order number of Google's response, not that of the unsigned data")
    func swappedNumbers() async throws {
        try await withGoogle(
            { google, store, shop in
                let other = "products/daily.2026-11-01/tokens/t2"
                google.notify(single, FakeGooglePlay.single())
                google.notify(
                    other,
                    LoopbackStore.Reply(
                        200, #"{"purchaseTimeMillis":"1793500000123","purchaseState":0,"orderId":"GPA.8-8"}"#))
                let orders = [("GPA.8-8", "t/1"), ("GPA.9-9", "t2")].map { GoogleFixture.data(order: $0, token: $1) }
                let receipt = StoreReceipt([.receipt: "{\"orders\":[\(orders.joined(separator: ","))]}"])
                guard case .recorded = try await shop.confirm(receipt) else { return #expect(Bool(false)) }
                #expect(try await shop.purchaseService.followUp() == 1)
                let acknowledged = store.requests.map(\.target).filter { $0.hasSuffix(":acknowledge") }
                #expect(acknowledged.count == 1 && acknowledged.allSatisfy { $0.contains("t%2F1") })
                google.notify(single, FakeGooglePlay.single(state: 1))
                shop.clock.advance(by: day + 1)
                #expect(try await shop.purchaseService.followUp() == 2)
                let bought = try await shop.bought.sorted { $0.id < $1.id }
                #expect(bought.map(\.id) == ["GPA.8-8", "GPA.9-9"])
                #expect(bought.map(\.revoked) == [nil, shop.clock.now])
            }, settings: "acknowledge: true\n")
    }

    @Test("Throws an error if the receipt holds no token for the acknowledgement")
    func nothingToQuery() async throws {
        try await withGoogle(
            { google, store, shop in
                google.notify(single, FakeGooglePlay.single())
                _ = try await shop.confirm(token)
                let bought = try #require(try await shop.bought.first)
                for receipt in [nil, StoreReceipt([.receipt: "{}"])] {
                    await #expect(throws: GoogleFailure.noPurchaseToken) {
                        try await shop.verifier.acknowledge(bought, receipt: receipt)
                    }
                }
                #expect(!store.requests.contains { $0.target.hasSuffix(":acknowledge") })
            }, settings: "acknowledge: true\n")
    }

    @Test("Does not acknowledge a purchase of another owner or of another environment")
    func notAcknowledged() async throws {
        try await withGoogle(
            { google, store, shop in
                google.notify(single, FakeGooglePlay.single(more: "\"purchaseType\":0,"))
                #expect(try await shop.confirm(token) == .rejected(ReceiptRejection(.wrongEnvironment)))
                google.notify(single, FakeGooglePlay.single())
                let theirs = PurchaseOwner(bytes: [UInt8](repeating: 2, count: 16))!
                _ = try await shop.purchaseService.confirm(token, from: .google, owner: theirs, claims: .exclusive)
                let confirmation = try await shop.purchaseService.confirm(
                    token, from: .google, owner: StoreHarness.owner, claims: .exclusive)
                #expect(confirmation == .rejected(ReceiptRejection(.claimedByAnother)))
                #expect(!store.requests.contains { $0.target.hasSuffix(":acknowledge") })
                // The recorded owner's purchase is acknowledged.
                _ = try await shop.purchaseService.followUp()
                #expect(store.requests.count { $0.target.hasSuffix(":acknowledge") } == 1)
            }, settings: "acknowledge: true\n")
    }

    @Test("Acknowledges an unclaimed receipt when it is submitted")
    func examinedAcknowledged() async throws {
        try await withGoogle(
            { google, store, shop in
                google.notify(single, FakeGooglePlay.single())
                guard case .genuine = try await shop.purchaseService.examine(token, from: .google) else {
                    return #expect(Bool(false))
                }
                #expect(store.requests.count { $0.target.hasSuffix(":acknowledge") } == 1)
            }, settings: "acknowledge: true\n")
    }
}
