import Commerce
import Foundation
import FrontDoors
import Gatefold
import JSON
import Primitives
import TestSupport
import Testing

@Suite("Purchases at the InPlayer front door")
struct InPlayerPurchaseTests {
    private func hand(
        _ harness: InPlayerHarness, _ receipt: String, _ session: AppSession,
        _ rest: String = "&item_id=43929&access_fee_id=1", store: String = "apple"
    ) async throws -> InPlayerTestResponse {
        try await harness.call(
            "/v2/external-payments/\(store)/validate", "receipt=\(receipt.formEncoded)\(rest)", token: session.access)
    }

    @Test("A purchase follows the flow that apps expect: 402, receipt, notifications, 200")
    func flow() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            #expect(try await harness.call("/items/43929/access", token: session.access).status == 402)
            let purchase = harness.store.purchase("43929_1", id: "1")
            let response = try await hand(harness, harness.store.accept("one", purchase), session)
            #expect(
                response.text
                    == #"{"code":200,"message":"Submitted for payment","explain":"Submitted for payment"}"#)
            let owner = harness.authorizationService.owner(
                of: Subscriber(backend: "house", key: "key of ada@example.com"))
            try await harness.front.notify(of: .verified(by: owner, [purchase]))
            let reported = try harness.reported()
            #expect(reported.map(\.type) == ["external.payment.success", "access.granted"])
            #expect(harness.notifications.withLock { $0.allSatisfy { $0.topic == session.account.uuid } })
            #expect(reported[0].timestamp == harness.clock.now.timeIntervalSince1970)
            #expect(reported[0].payment?.item_id == 43929 && reported[0].payment?.access_fee_id == 1)
            #expect(reported[0].payment?.amount == 2.5 && reported[0].payment?.transaction == "1")
            // The broker never carries a link.
            #expect(reported[1].access?.item.id == 43929 && reported[1].access?.item.content == "")
            let access: AppAccess = try await harness.call("/items/43929/access", token: session.access).decoded()
            #expect(access.starts_at == Int(purchase.purchased.timeIntervalSince1970))
            #expect(reported[1].access?.id == access.id)
        }
    }

    @Test("A subscription purchase opens its item until it ends")
    func subscription() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let receipt = harness.store.accept("month", harness.store.purchase("200_1", id: "2", until: "2026-11-15"))
            #expect(try await hand(harness, receipt, session, "&item_id=200&access_fee_id=1").status == 200)
            let access: AppAccess = try await harness.call("/items/200/access", token: session.access).decoded()
            #expect(access.expires_at == Int(CivilTime.date("2026-11-15")!.timeIntervalSince1970))
            let list: AppSubscriptions = try await harness.call("/subscriptions", token: session.access).decoded()
            #expect(list.collection.map(\.status) == ["active"])
            harness.clock.set(CivilTime.date("2026-12-15")!)
            let renewed: AppSession = try await harness.renew(session.refresh).decoded()
            #expect(try await harness.call("/items/200/access", token: renewed.access).status == 402)
        }
    }

    @Test("A forged receipt is rejected in the response and by a notification")
    func rejected() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let response = try await hand(harness, "Zm9yZ2Vk", session)
            let fault = try AppFault(response)
            #expect(response.status == 422 && fault.errors == ["receipt": fault.message])
            #expect(fault.explain == "The receipt is not genuine.")
            let owner = harness.authorizationService.owner(
                of: Subscriber(backend: "house", key: "key of ada@example.com"))
            try await harness.front.notify(
                of: .rejected(to: owner, product: "43929_1", ReceiptRejection(.forged)))
            let reported = try harness.reported()
            #expect(reported.map(\.type) == ["external.payment.failed"])
            #expect(reported[0].payment?.item_id == 43929 && reported[0].payment?.explain == fault.explain)
            for (receipt, rest) in [
                ("12345", ""), ("", ""), ("Zm9yZ2Vk", "&item_id=x&access_fee_id=1"), ("Zm9yZ2Vk", "&item_id=1"),
            ] {
                #expect(try await hand(harness, receipt, session, rest).status == 422)
            }
            for store in ["roku", "google-play", "amazon", "nothing"] {
                let response = try await hand(harness, "Zm9yZ2Vk", session, store: store)
                let fault = try AppFault(response)
                #expect(response.status == 422 && fault.explain == "This publication does not sell in this store.")
            }
            #expect(try await harness.call("/external-payments/apple/validate", "receipt=x").status == 401)
        }
    }

    @Test(
        "A receipt for another product is rejected in the response and by a notification",
        arguments: [
            // A receipt of item 43929 with fee 1, submitted as another item, fee or product.
            ("&item_id=200&access_fee_id=1", "The receipt is for another product."),
            ("&item_id=43929&access_fee_id=2", "The receipt is for another product."),
            ("&item_id=777&access_fee_id=1", "The receipt is for another product."),
            ("&product_name=200_1", "The receipt is for another product."),
            ("&product_name=43929", "The receipt is for another product."),
            ("&product_name=nothing", "The receipt is for another product."),
        ])
    func mismatched(_ rest: String, _ explanation: String) async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let receipt = harness.store.accept("one", harness.store.purchase("43929_1", id: "1"))
            try await expectDenial(harness, try await hand(harness, receipt, session, rest), explanation)
            #expect(try await harness.call("/items/43929/access", token: session.access).status == 402)
            // The reader still gets it by submitting it with the right item.
            #expect(try await hand(harness, receipt, session).status == 200)
            #expect(try await harness.call("/items/43929/access", token: session.access).status == 200)
        }
    }

    @Test(
        "A malformed receipt is rejected in the response and by a notification",
        arguments: [
            ("garbage", "The receipt is not genuine."), ("not base64!", "This is not a valid receipt."),
            ("12345", "This is not a valid receipt."),
        ])
    func garbage(_ receipt: String, _ explanation: String) async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            try await expectDenial(harness, try await hand(harness, receipt, session), explanation)
        }
    }

    private func expectDenial(_ harness: InPlayerHarness, _ response: InPlayerTestResponse, _ explanation: String)
        async throws
    {
        #expect(response.status == 422, "\(response.text)")
        #expect(try AppFault(response).explain == explanation)
        try await harness.forwardChanges()
        let reported = try harness.reported()
        #expect(reported.map(\.type) == ["external.payment.failed"] && reported.first?.payment?.explain == explanation)
    }

    @Test("Receipts with several items, and names with more parts than the usual two, are accepted")
    func among() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let receipt = harness.store.accept(
                "both", harness.store.purchase("43929_1", id: "1"),
                harness.store.purchase("200_1", id: "2", until: "2026-11-15"))
            #expect(try await hand(harness, receipt, session, "&item_id=200&access_fee_id=1").status == 200)
            for path in ["/items/43929/access", "/items/200/access"] {
                #expect(try await harness.call(path, token: session.access).status == 200)
            }
            let other = try await harness.register("bob@example.com")
            let spring = harness.store.accept(
                "spring", harness.store.purchase("200_1_spring", id: "3", until: "2026-11-15"))
            #expect(try await hand(harness, spring, other, "&item_id=200&access_fee_id=1").status == 200)
            #expect(try await hand(harness, spring, other, "&item_id=200&access_fee_id=2").status == 422)
        }
    }

    @Test("A mismatch found after a store outage is reported by a notification")
    func mismatchedLater() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let receipt = harness.store.accept("one", harness.store.purchase("43929_1", id: "1"))
            harness.store.isReachable = false
            #expect(try await hand(harness, receipt, session, "&item_id=200&access_fee_id=1").status == 200)
            harness.store.isReachable = true
            harness.clock.advance(by: 3600)
            _ = try await harness.authorizationService.purchases?.followUp()
            try await harness.forwardChanges()
            #expect(try harness.reported().map(\.type) == ["external.payment.failed"])
        }
    }

    @Test("A receipt is accepted while the store is unreachable")
    func stored() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            harness.store.isReachable = false
            let receipt = harness.store.accept("one", harness.store.purchase("43929_1", id: "1"))
            #expect(try await hand(harness, receipt, session).status == 200)
            #expect(try await harness.call("/items/43929/access", token: session.access).status == 402)
        }
    }

    @Test("A refund is sent to every account that holds the purchase, and to no other")
    func refunded() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let (ada, bob) = (try await harness.register(), try await harness.register("bob@example.com"))
            _ = try await harness.register("eve@example.com")
            let purchase = harness.store.purchase("43929_1", id: "1")
            let receipt = harness.store.accept("one", purchase)
            for session in [ada, bob] { #expect(try await hand(harness, receipt, session).status == 200) }
            try await harness.front.notify(of: .refunded([purchase]))
            #expect(try harness.reported().map(\.revoked?.item_id) == [43929, 43929])
            #expect(
                Set(harness.notifications.withLock { $0.map(\.topic) }) == [ada.account.uuid, bob.account.uuid])
        }
    }

    @Test("Events of readers without an account or about unknown products are not sent")
    func nobody() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let stranger = harness.authorizationService.owner(of: Subscriber(backend: "house", key: "stranger"))
            let purchase = harness.store.purchase("43929_1", id: "1")
            try await harness.front.notify(of: .verified(by: stranger, [purchase]))
            try await harness.front.notify(of: .rejected(to: stranger, product: nil, ReceiptRejection(.empty)))
            try await harness.front.notify(of: .refunded([purchase, harness.store.purchase("nothing", id: "2")]))
            #expect(try harness.reported().isEmpty)
        }
    }
}
