import Foundation
import FrontDoors
import Gatefold
import JSON
import TestSupport
import Testing

@Suite("Items at the InPlayer front door")
struct InPlayerItemTests {
    @Test("have the numbers of their products' names, of the settings, or such as are given out")
    func numbers() async throws {
        try await InPlayerRig.run({
            $0.settings = { $0.numbers = [InPlayerNumber(.edition(EditionID("sampler")!), item: 7, fee: 8)] }
        }) { (rig: InPlayerRig) async throws in
            let byConvention: AppItem = try await rig.call("/items/43929").decoded()
            #expect(byConvention.title == "The ed-09" && byConvention.merchant_uuid == InPlayerRig.merchant)
            #expect(byConvention.metahash["summary"] == "All about ed-09")
            #expect(byConvention.metahash["cover"] == "https://editions.example.com/content/daily/covers/ed-09.jpg")
            #expect(byConvention.metadata.map(\.name) == ["edition", "summary", "cover"])
            #expect(byConvention.content.isEmpty && byConvention.is_active)
            let explicit: AppItem = try await rig.call("/items/\(InPlayerRig.merchant)/7/").decoded()
            #expect(explicit.title == "The sampler")
            let given: AppItem = try await rig.call(
                "/items/assets/external/ooyala/ed-10?merchant_uuid=\(InPlayerRig.merchant)"
            ).decoded()
            #expect(given.id == 900_000_001 && given.title == "The ed-10")
            let byName = try await rig.call("/items/assets/external/x/com.example.ten").bytes
            let byNumber = try await rig.call("/items/900000001").bytes
            #expect(byName == byNumber)
            let subscription: AppItem = try await rig.call("/items/200").decoded()
            #expect(subscription.title == "Monthly" && subscription.item_type.name == "subscription")
            let weekly: AppItem = try await rig.call("/items/assets/external/x/com.example.weekly").decoded()
            #expect(weekly.title == "Weekly" && weekly.id == 900_000_002)
            let withdrawn: AppItem = try await rig.call("/items/43926").decoded()
            #expect(!withdrawn.is_active && !withdrawn.active)
        }
    }

    @Test(
        "are not there that are not out, or were never given a number",
        arguments: [
            "43930", "0", "1", "-1", "900000001", "043929", "43929x", "99999999999999999999", "%2543929",
        ])
    func unknown(_ number: String) async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            #expect(try await rig.call("/items/\(number)").status == 404)
            #expect(try await rig.call("/items/\(number)/access-fees").status == 404)
            for name in ["ed-12", "draft", "nothing", "a%2Fb"] {
                #expect(try await rig.call("/items/assets/external/x/\(name)").status == 404)
            }
        }
    }

    @Test("have prices: those of subscriptions of one item are its own")
    func fees() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let fees: [AppFee] = try await rig.call("/v2/items/200/access-fees?expand%5Bvoucher%5D=1").decoded()
            #expect(fees.count == 1 && fees[0].id == 1 && fees[0].amount == 4.99 && fees[0].currency == "EUR")
            #expect(fees[0].access_type.name == "subscription" && fees[0].access_type.period == "month")
            #expect(fees[0].trial_period?.quantity == 14 && fees[0].setup_fee?.fee_amount == 1)
            #expect(fees[0].item?.id == 200 && fees[0].external_fees[0].external_id == "200_1")
            let single = try await rig.call("/items/43929/access-fees")
            #expect(single.bytes.first == UInt8(ascii: "["))
            let read: [AppFee] = try single.decoded()
            #expect(read.map(\.amount) == [2.5] && read[0].access_type.name == "ppv")
            let without = try await rig.call("/items/assets/external/x/ed-10")
            #expect(try without.decoded(AppItem.self).access_fees?.isEmpty == true)
        }
    }

    @Test("are opened with a link to the gate, 402 says that they are not, never 403 (PROTOCOLS 5.3)")
    func access() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let refused = try await rig.call("/items/43929/access", token: session.access)
            #expect(refused.status == 402)
            #expect(
                refused.text
                    == #"{"code":402,"message":"Your subscription does not include this edition.","#
                    + #""errors":{"access":"Your subscription does not include this edition."}}"#)
            rig.backend.give(
                "ada@example.com",
                Subscription(state: .inactive, entitlement: .editions([EditionID("ed-09")!])))
            let access: AppAccess = try await rig.call(
                "/items/43929/access?entry_id=1", token: session.access
            ).decoded()
            #expect(access.customer_uuid == session.account.uuid && access.account_id == session.account.id)
            #expect(access.starts_at == -62_135_596_800 && access.expires_at == 0 && access.item.id == 43929)
            let content = try JSONParser.parse(Array(access.item.content.utf8))
            #expect(content["edition"]?.text == "ed-09")
            let url = try #require(content["url"]?.text)
            #expect(url.hasPrefix("https://editions.example.com/content/daily/ed-09.hpub?ticket="))
            let free = try await rig.call("/items/assets/external/x/sampler").decoded(AppItem.self).id
            #expect(try await rig.call("/items/\(free)/access", token: session.access).status == 200)
            #expect(try await rig.call("/items/43930/access", token: session.access).status == 404)
        }
    }

    @Test("that stand for a subscription are open while there is one, however it was bought")
    func subscription() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            #expect(try await rig.call("/items/200/access", token: session.access).status == 402)
            rig.backend.give("ada@example.com", Subscription(state: .active))
            let access: AppAccess = try await rig.call("/items/200/access", token: session.access).decoded()
            #expect(access.item.content == #"{"subscription":"active"}"# && access.expires_at == 0)
            rig.backend.give("ada@example.com", Subscription(state: .suspended))
            #expect(try await rig.call("/items/200/access", token: session.access).status == 402)
        }
    }

    @Test("are refused with 401 to readers whom their system knows no longer")
    func unknownReader() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            rig.backend.readers.withLock { $0 = [:] }
            #expect(try await rig.call("/items/43929/access", token: session.access).status == 401)
            #expect(try await rig.call("/items/200/access", token: session.access).status == 401)
        }
    }

    @Test("fail open as the publication says, with a ticket that does not last")
    func failOpen() async throws {
        try await InPlayerRig.run({ $0.failsOpen = true }) { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            rig.backend.isReachable = false
            #expect(try await rig.call("/items/43929/access", token: session.access).status == 200)
            #expect(try await rig.call("/items/200/access", token: session.access).status == 503)
        }
    }

    @Test("in links have sealed salts that live minutes, whatever the publication's own are like")
    func tickets() async throws {
        try await InPlayerRig.run({ $0.change = { $0.saltForm = .plain } }) { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            rig.backend.give(
                "ada@example.com",
                Subscription(state: .inactive, entitlement: .editions([EditionID("ed-09")!])))
            let access: AppAccess = try await rig.call("/items/43929/access", token: session.access).decoded()
            let ticket = try #require(
                try JSONParser.parse(Array(access.item.content.utf8))["url"]?.text?.split(separator: "=").last)
            let pair = ticket.split(separator: ".").map(String.init)
            let sealer = SaltSealer(
                publication: PublicationID("daily")!, secrets: SecretRing(current: Secret(InPlayerRig.secret)),
                random: .system)
            let salt = try #require(sealer.open(pair[0], for: EditionID("ed-09")!))
            #expect(salt.expiresAt.timeIntervalSince(rig.clock.now) <= 600)
        }
    }

    @Test("that were bought are in the history, and nothing that was not")
    func history() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            for purchase in [
                rig.store.purchase("43929_1", id: "1", at: "2026-10-01"),
                rig.store.purchase("200_1", id: "2", at: "2026-08-01", until: "2026-09-01"),
                rig.store.purchase("com.example.ten", id: "3", at: "2026-10-02", revoked: "2026-10-03"),
            ] {
                let receipt = rig.store.vouch(
                    purchase.id, purchase, rig.store.purchase("43929_1", id: "1", at: "2026-10-01"))
                let product = purchase.revoked == nil ? purchase.product : "43929_1"
                #expect(
                    try await rig.call(
                        "/external-payments/apple/validate", "receipt=\(receipt.formEncoded)&product_name=\(product)",
                        token: session.access
                    ).status == 200)
            }
            // What the subscriber system opens is nothing that was bought.
            rig.backend.give(
                "ada@example.com",
                Subscription(state: .active, entitlement: .editions([EditionID("ed-06")!, EditionID("ed-09")!])))
            func ask(_ query: String) async throws -> AppHistory {
                try await rig.call("/items/access/customers\(query)", token: session.access).decoded()
            }
            let all = try await ask("")
            #expect(all.total == 3 && all.collection.map(\.item_id) == [900_000_001, 43929, 200])
            #expect(all.collection.map(\.revoked) == [1, 0, 0])
            #expect(all.collection.map(\.payment_method) == ["apple", "apple", "apple"])
            #expect(all.collection[1].purchased_amount == 2.5 && all.collection[1].purchased_access_fee_id == 1)
            #expect(all.collection[1].purchased_access_fee_description == "Single issue")
            #expect(all.collection[2].purchased_access_fee_type == "subscription")
            #expect(all.collection.allSatisfy { $0.type == "purchased" && $0.consumer_email == "ada@example.com" })
            #expect(all.collection.map(\.parent_resource_id) == ["3", "1", "2"])
            let access: AppAccess = try await rig.call("/items/43929/access", token: session.access).decoded()
            #expect(all.collection[1].item_access_id == Int(access.id) && all.collection[1].merchant_id == 1)
            #expect(try await ask("?status=active").collection.map(\.item_id) == [43929])
            #expect(try await ask("?status=inactive").collection.map(\.item_id) == [900_000_001, 200])
            #expect(try await ask("?status=all&type=subscription").collection.map(\.item_id) == [200])
            #expect(try await ask("?status=all&type=purchased").total == 3)
            let page = try await ask("?page=1&size=2")
            #expect(page.total == 3 && page.collection.map(\.item_id) == [200])
            #expect(try await ask("?page=-4&size=0").collection.count == 1)
            #expect(try await ask("?page=999999999999&size=x").collection.isEmpty)
            let subscriptions: AppSubscriptions = try await rig.call(
                "/subscriptions?page=0&limit=15", token: session.access
            ).decoded()
            #expect(subscriptions.total == 1 && subscriptions.collection[0].status == "canceled")
            #expect(subscriptions.collection[0].unsubscribe_url == nil)
        }
    }

    @Test("wait for the catalogue")
    func awaited() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            rig.catalogue.replace(with: .awaited)
            for path in ["/items/43929", "/items/43929/access", "/items/43929/access-fees", "/items/access/customers"] {
                #expect(try await rig.call(path, token: session.access).status == 503)
            }
            #expect(try await rig.call("/accounts", token: session.access).status == 200)
        }
    }
}
