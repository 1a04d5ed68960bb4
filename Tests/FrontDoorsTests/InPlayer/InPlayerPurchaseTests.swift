import Foundation
import FrontDoors
import Gatefold
import JSON
import TestSupport
import Testing

@Suite("Purchases at the InPlayer front door")
struct InPlayerPurchaseTests {
    private func hand(
        _ rig: InPlayerRig, _ receipt: String, _ session: AppSession,
        _ rest: String = "&item_id=43929&access_fee_id=1", store: String = "apple"
    ) async throws -> InPlayerAnswered {
        try await rig.call(
            "/v2/external-payments/\(store)/validate", "receipt=\(receipt.formEncoded)\(rest)", token: session.access)
    }

    @Test("go the way that apps expect: 402, the receipt, the notices, 200 (PROTOCOLS 5.5)")
    func flow() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            #expect(try await rig.call("/items/43929/access", token: session.access).status == 402)
            let purchase = rig.store.purchase("43929_1", id: "1")
            let answer = try await hand(rig, rig.store.vouch("one", purchase), session)
            #expect(
                answer.text
                    == #"{"code":200,"message":"Submitted for payment","explain":"Submitted for payment"}"#)
            let owner = rig.proxy.owner(of: Subscriber(backend: "house", key: "key of ada@example.com"))
            try await rig.front.tell(of: .proven(by: owner, [purchase]))
            let told = try rig.told()
            #expect(told.map(\.type) == ["external.payment.success", "access.granted"])
            #expect(rig.notices.withLock { $0.allSatisfy { $0.topic == session.account.uuid } })
            #expect(told[0].timestamp == rig.clock.now.timeIntervalSince1970)
            #expect(told[0].payment?.item_id == 43929 && told[0].payment?.access_fee_id == 1)
            #expect(told[0].payment?.amount == 2.5 && told[0].payment?.transaction == "1")
            // No link travels over the broker.
            #expect(told[1].access?.item.id == 43929 && told[1].access?.item.content == "")
            let access: AppAccess = try await rig.call("/items/43929/access", token: session.access).decoded()
            #expect(access.starts_at == Int(purchase.purchased.timeIntervalSince1970))
            #expect(told[1].access?.id == access.id)
        }
    }

    @Test("that are a subscription open what stands for one until it ends")
    func subscription() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let receipt = rig.store.vouch("month", rig.store.purchase("200_1", id: "2", until: "2026-11-15"))
            #expect(try await hand(rig, receipt, session, "&item_id=200&access_fee_id=1").status == 200)
            let access: AppAccess = try await rig.call("/items/200/access", token: session.access).decoded()
            #expect(access.expires_at == Int(CivilTime.date("2026-11-15")!.timeIntervalSince1970))
            let list: AppSubscriptions = try await rig.call("/subscriptions", token: session.access).decoded()
            #expect(list.collection.map(\.status) == ["active"])
            rig.clock.set(CivilTime.date("2026-12-15")!)
            let renewed: AppSession = try await rig.renew(session.refresh).decoded()
            #expect(try await rig.call("/items/200/access", token: renewed.access).status == 402)
        }
    }

    @Test("that prove nothing are refused at once, and by a notice")
    func refused() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let answer = try await hand(rig, "Zm9yZ2Vk", session)
            let fault = try AppFault(answer)
            #expect(answer.status == 422 && fault.errors == ["receipt": fault.message])
            #expect(fault.explain == "The store does not vouch for this receipt.")
            let owner = rig.proxy.owner(of: Subscriber(backend: "house", key: "key of ada@example.com"))
            try await rig.front.tell(
                of: .refused(to: owner, product: "43929_1", ReceiptRefusal(.forged)))
            let told = try rig.told()
            #expect(told.map(\.type) == ["external.payment.failed"])
            #expect(told[0].payment?.item_id == 43929 && told[0].payment?.explain == fault.explain)
            for (receipt, rest) in [
                ("12345", ""), ("", ""), ("Zm9yZ2Vk", "&item_id=x&access_fee_id=1"), ("Zm9yZ2Vk", "&item_id=1"),
            ] {
                #expect(try await hand(rig, receipt, session, rest).status == 422)
            }
            for store in ["roku", "google-play", "amazon", "nothing"] {
                let answer = try await hand(rig, "Zm9yZ2Vk", session, store: store)
                let fault = try AppFault(answer)
                #expect(answer.status == 422 && fault.explain == "Nothing is sold in this store.")
            }
            #expect(try await rig.call("/external-payments/apple/validate", "receipt=x").status == 401)
        }
    }

    @Test(
        "are refused, and by a notice, where the receipt is of something else",
        arguments: [
            // Of item 43929 at price 1, handed in as another item, price or product.
            ("&item_id=200&access_fee_id=1", "The receipt is for something else."),
            ("&item_id=43929&access_fee_id=2", "The receipt is for something else."),
            ("&item_id=777&access_fee_id=1", "The receipt is for something else."),
            ("&product_name=200_1", "The receipt is for something else."),
            ("&product_name=43929", "The receipt is for something else."),
            ("&product_name=nothing", "The receipt is for something else."),
        ])
    func mismatched(_ rest: String, _ words: String) async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let receipt = rig.store.vouch("one", rig.store.purchase("43929_1", id: "1"))
            try await expectRefusal(rig, try await hand(rig, receipt, session, rest), words)
            #expect(try await rig.call("/items/43929/access", token: session.access).status == 402)
            // It is the reader's all the same, once it is handed in as what it is.
            #expect(try await hand(rig, receipt, session).status == 200)
            #expect(try await rig.call("/items/43929/access", token: session.access).status == 200)
        }
    }

    @Test(
        "are refused, and by a notice, where there is no receipt in what is handed in",
        arguments: [
            ("garbage", "The store does not vouch for this receipt."), ("not base64!", "This is no receipt."),
            ("12345", "This is no receipt."),
        ])
    func garbage(_ receipt: String, _ words: String) async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            try await expectRefusal(rig, try await hand(rig, receipt, session), words)
        }
    }

    private func expectRefusal(_ rig: InPlayerRig, _ answer: InPlayerAnswered, _ words: String) async throws {
        #expect(answer.status == 422, "\(answer.text)")
        #expect(try AppFault(answer).explain == words)
        try await rig.passOnChanges()
        let told = try rig.told()
        #expect(told.map(\.type) == ["external.payment.failed"] && told.first?.payment?.explain == words)
    }

    @Test("of one item among others are taken, and so are those whose names have more parts than the convention's two")
    func among() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let receipt = rig.store.vouch(
                "both", rig.store.purchase("43929_1", id: "1"),
                rig.store.purchase("200_1", id: "2", until: "2026-11-15"))
            #expect(try await hand(rig, receipt, session, "&item_id=200&access_fee_id=1").status == 200)
            for path in ["/items/43929/access", "/items/200/access"] {
                #expect(try await rig.call(path, token: session.access).status == 200)
            }
            let other = try await rig.register("bob@example.com")
            let spring = rig.store.vouch("spring", rig.store.purchase("200_1_spring", id: "3", until: "2026-11-15"))
            #expect(try await hand(rig, spring, other, "&item_id=200&access_fee_id=1").status == 200)
            #expect(try await hand(rig, spring, other, "&item_id=200&access_fee_id=2").status == 422)
        }
    }

    @Test("whose store could not be asked are refused by a notice once it says that they are of something else")
    func mismatchedLater() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let receipt = rig.store.vouch("one", rig.store.purchase("43929_1", id: "1"))
            rig.store.isReachable = false
            #expect(try await hand(rig, receipt, session, "&item_id=200&access_fee_id=1").status == 200)
            rig.store.isReachable = true
            rig.clock.advance(by: 3600)
            _ = try await rig.proxy.purchases?.followUp()
            try await rig.passOnChanges()
            #expect(try rig.told().map(\.type) == ["external.payment.failed"])
        }
    }

    @Test("are kept while the store can not be asked")
    func kept() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            rig.store.isReachable = false
            let receipt = rig.store.vouch("one", rig.store.purchase("43929_1", id: "1"))
            #expect(try await hand(rig, receipt, session).status == 200)
            #expect(try await rig.call("/items/43929/access", token: session.access).status == 402)
        }
    }

    @Test("that are taken back are told to everybody who has them, and to nobody else")
    func takenBack() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let (ada, bob) = (try await rig.register(), try await rig.register("bob@example.com"))
            _ = try await rig.register("eve@example.com")
            let purchase = rig.store.purchase("43929_1", id: "1")
            let receipt = rig.store.vouch("one", purchase)
            for session in [ada, bob] { #expect(try await hand(rig, receipt, session).status == 200) }
            try await rig.front.tell(of: .takenBack([purchase]))
            #expect(try rig.told().map(\.revoked?.item_id) == [43929, 43929])
            #expect(
                Set(rig.notices.withLock { $0.map(\.topic) }) == [ada.account.uuid, bob.account.uuid])
        }
    }

    @Test("of readers without an account, and of what nothing is known, are told to nobody")
    func nobody() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let stranger = rig.proxy.owner(of: Subscriber(backend: "house", key: "stranger"))
            let purchase = rig.store.purchase("43929_1", id: "1")
            try await rig.front.tell(of: .proven(by: stranger, [purchase]))
            try await rig.front.tell(of: .refused(to: stranger, product: nil, ReceiptRefusal(.empty)))
            try await rig.front.tell(of: .takenBack([purchase, rig.store.purchase("nothing", id: "2")]))
            #expect(try rig.told().isEmpty)
        }
    }
}
