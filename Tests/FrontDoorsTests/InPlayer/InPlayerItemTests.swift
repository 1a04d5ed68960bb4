import Commerce
import Foundation
import FrontDoors
import Gatefold
import JSON
import Primitives
import TestSupport
import Testing

@Suite("Items at the InPlayer front door")
struct InPlayerItemTests {
    @Test("Numbers come from the product name, from the settings or from an allocation")
    func numbers() async throws {
        try await InPlayerHarness.run({
            $0.settings = { $0.numbers = [InPlayerNumber(.edition(EditionID("sampler")!), item: 7, fee: 8)] }
        }) { (harness: InPlayerHarness) async throws in
            let byConvention: AppItem = try await harness.call("/items/43929").decoded()
            #expect(byConvention.title == "The ed-09" && byConvention.merchant_uuid == InPlayerHarness.merchant)
            #expect(byConvention.metahash["summary"] == "All about ed-09")
            #expect(byConvention.metahash["cover"] == "https://editions.example.com/content/daily/covers/ed-09.jpg")
            #expect(byConvention.metadata.map(\.name) == ["edition", "summary", "cover"])
            #expect(byConvention.content.isEmpty && byConvention.is_active)
            let explicit: AppItem = try await harness.call("/items/\(InPlayerHarness.merchant)/7/").decoded()
            #expect(explicit.title == "The sampler")
            let given: AppItem = try await harness.call(
                "/items/assets/external/ooyala/ed-10?merchant_uuid=\(InPlayerHarness.merchant)"
            ).decoded()
            #expect(given.id == 900_000_001 && given.title == "The ed-10")
            let byName = try await harness.call("/items/assets/external/x/com.example.ten").bytes
            let byNumber = try await harness.call("/items/900000001").bytes
            #expect(byName == byNumber)
            let subscription: AppItem = try await harness.call("/items/200").decoded()
            #expect(subscription.title == "Monthly" && subscription.item_type.name == "subscription")
            let weekly: AppItem = try await harness.call("/items/assets/external/x/com.example.weekly").decoded()
            #expect(weekly.title == "Weekly" && weekly.id == 900_000_002)
            let withdrawn: AppItem = try await harness.call("/items/43926").decoded()
            #expect(!withdrawn.is_active && !withdrawn.active)
        }
    }

    @Test(
        "Unpublished editions and unassigned numbers yield 404",
        arguments: [
            "43930", "0", "1", "-1", "900000001", "043929", "43929x", "99999999999999999999", "%2543929",
        ])
    func unknown(_ number: String) async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            #expect(try await harness.call("/items/\(number)").status == 404)
            #expect(try await harness.call("/items/\(number)/access-fees").status == 404)
            for name in ["ed-12", "draft", "nothing", "a%2Fb"] {
                #expect(try await harness.call("/items/assets/external/x/\(name)").status == 404)
            }
        }
    }

    @Test("Items list their access fees, and a subscription of one item has its own")
    func fees() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let fees: [AppFee] = try await harness.call("/v2/items/200/access-fees?expand%5Bvoucher%5D=1").decoded()
            #expect(fees.count == 1 && fees[0].id == 1 && fees[0].amount == 4.99 && fees[0].currency == "EUR")
            #expect(fees[0].access_type.name == "subscription" && fees[0].access_type.period == "month")
            #expect(fees[0].trial_period?.quantity == 14 && fees[0].setup_fee?.fee_amount == 1)
            #expect(fees[0].item?.id == 200 && fees[0].external_fees[0].external_id == "200_1")
            let single = try await harness.call("/items/43929/access-fees")
            #expect(single.bytes.first == UInt8(ascii: "["))
            let read: [AppFee] = try single.decoded()
            #expect(read.map(\.amount) == [2.5] && read[0].access_type.name == "ppv")
            let without = try await harness.call("/items/assets/external/x/ed-10")
            #expect(try without.decoded(AppItem.self).access_fees?.isEmpty == true)
        }
    }

    @Test("Access yields 200 with a link to the gate, or 402 without entitlement, never 403")
    func access() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let rejected = try await harness.call("/items/43929/access", token: session.access)
            #expect(rejected.status == 402)
            #expect(
                rejected.text
                    == #"{"code":402,"message":"Your subscription does not include this edition.","#
                    + #""errors":{"access":"Your subscription does not include this edition."}}"#)
            harness.backend.setSubscription(
                "ada@example.com",
                Subscription(state: .inactive, entitlement: .editions([EditionID("ed-09")!])))
            let access: AppAccess = try await harness.call(
                "/items/43929/access?entry_id=1", token: session.access
            ).decoded()
            #expect(access.customer_uuid == session.account.uuid && access.account_id == session.account.id)
            #expect(access.starts_at == -62_135_596_800 && access.expires_at == 0 && access.item.id == 43929)
            let content = try JSONParser.parse(Array(access.item.content.utf8))
            #expect(content["edition"]?.text == "ed-09")
            let url = try #require(content["url"]?.text)
            #expect(url.hasPrefix("https://editions.example.com/content/daily/ed-09.hpub?ticket="))
            let free = try await harness.call("/items/assets/external/x/sampler").decoded(AppItem.self).id
            #expect(try await harness.call("/items/\(free)/access", token: session.access).status == 200)
            #expect(try await harness.call("/items/43930/access", token: session.access).status == 404)
        }
    }

    @Test("A subscription item is accessible while a subscription is active, however it was bought")
    func subscription() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            #expect(try await harness.call("/items/200/access", token: session.access).status == 402)
            harness.backend.setSubscription("ada@example.com", Subscription(state: .active))
            let access: AppAccess = try await harness.call("/items/200/access", token: session.access).decoded()
            #expect(access.item.content == #"{"subscription":"active"}"# && access.expires_at == 0)
            harness.backend.setSubscription("ada@example.com", Subscription(state: .suspended))
            #expect(try await harness.call("/items/200/access", token: session.access).status == 402)
        }
    }

    @Test("Access yields 401 for a reader unknown to the backend")
    func unknownReader() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            harness.backend.readers.withLock { $0 = [:] }
            #expect(try await harness.call("/items/43929/access", token: session.access).status == 401)
            #expect(try await harness.call("/items/200/access", token: session.access).status == 401)
        }
    }

    @Test("Fail open grants access to editions, but not to subscription items")
    func failOpen() async throws {
        try await InPlayerHarness.run({ $0.failsOpen = true }) { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            harness.backend.isReachable = false
            #expect(try await harness.call("/items/43929/access", token: session.access).status == 200)
            #expect(try await harness.call("/items/200/access", token: session.access).status == 503)
        }
    }

    @Test("Download tokens in links use sealed salts that last minutes, whatever the publication's own salt format")
    func downloadTokens() async throws {
        try await InPlayerHarness.run({ $0.change = { $0.saltFormat = .plain } }) {
            (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            harness.backend.setSubscription(
                "ada@example.com",
                Subscription(state: .inactive, entitlement: .editions([EditionID("ed-09")!])))
            let access: AppAccess = try await harness.call("/items/43929/access", token: session.access).decoded()
            let downloadToken = try #require(
                try JSONParser.parse(Array(access.item.content.utf8))["url"]?.text?.split(separator: "=").last)
            let pair = downloadToken.split(separator: ".").map(String.init)
            let sealer = SaltSealer(
                publication: PublicationID("daily")!, secrets: SecretRing(current: Secret(InPlayerHarness.secret)),
                random: .system)
            let salt = try #require(sealer.open(pair[0], for: EditionID("ed-09")!))
            #expect(salt.expiresAt.timeIntervalSince(harness.clock.now) <= 600)
        }
    }

    @Test("The purchase history lists bought items and no others")
    func history() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            for purchase in [
                harness.store.purchase("43929_1", id: "1", at: "2026-10-01"),
                harness.store.purchase("200_1", id: "2", at: "2026-08-01", until: "2026-09-01"),
                harness.store.purchase("com.example.ten", id: "3", at: "2026-10-02", revoked: "2026-10-03"),
            ] {
                let receipt = harness.store.accept(
                    purchase.id, purchase, harness.store.purchase("43929_1", id: "1", at: "2026-10-01"))
                let product = purchase.revoked == nil ? purchase.product : "43929_1"
                #expect(
                    try await harness.call(
                        "/external-payments/apple/validate", "receipt=\(receipt.formEncoded)&product_name=\(product)",
                        token: session.access
                    ).status == 200)
            }
            // Editions opened by the subscriber backend are no purchases.
            harness.backend.setSubscription(
                "ada@example.com",
                Subscription(state: .active, entitlement: .editions([EditionID("ed-06")!, EditionID("ed-09")!])))
            func send(_ query: String) async throws -> AppHistory {
                try await harness.call("/items/access/customers\(query)", token: session.access).decoded()
            }
            let all = try await send("")
            #expect(all.total == 3 && all.collection.map(\.item_id) == [900_000_001, 43929, 200])
            #expect(all.collection.map(\.revoked) == [1, 0, 0])
            #expect(all.collection.map(\.payment_method) == ["apple", "apple", "apple"])
            #expect(all.collection[1].purchased_amount == 2.5 && all.collection[1].purchased_access_fee_id == 1)
            #expect(all.collection[1].purchased_access_fee_description == "Single issue")
            #expect(all.collection[2].purchased_access_fee_type == "subscription")
            #expect(all.collection.allSatisfy { $0.type == "purchased" && $0.consumer_email == "ada@example.com" })
            #expect(all.collection.map(\.parent_resource_id) == ["3", "1", "2"])
            let access: AppAccess = try await harness.call("/items/43929/access", token: session.access).decoded()
            #expect(all.collection[1].item_access_id == Int(access.id) && all.collection[1].merchant_id == 1)
            #expect(try await send("?status=active").collection.map(\.item_id) == [43929])
            #expect(try await send("?status=inactive").collection.map(\.item_id) == [900_000_001, 200])
            #expect(try await send("?status=all&type=subscription").collection.map(\.item_id) == [200])
            #expect(try await send("?status=all&type=purchased").total == 3)
            let page = try await send("?page=1&size=2")
            #expect(page.total == 3 && page.collection.map(\.item_id) == [200])
            #expect(try await send("?page=-4&size=0").collection.count == 1)
            #expect(try await send("?page=999999999999&size=x").collection.isEmpty)
            let subscriptions: AppSubscriptions = try await harness.call(
                "/subscriptions?page=0&limit=15", token: session.access
            ).decoded()
            #expect(subscriptions.total == 1 && subscriptions.collection[0].status == "canceled")
            #expect(subscriptions.collection[0].unsubscribe_url == nil)
        }
    }

    @Test("Item calls yield 503 while the catalogue is pending")
    func pending() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            harness.catalogue.replace(with: .pending)
            for path in ["/items/43929", "/items/43929/access", "/items/43929/access-fees", "/items/access/customers"] {
                #expect(try await harness.call(path, token: session.access).status == 503)
            }
            #expect(try await harness.call("/accounts", token: session.access).status == 200)
        }
    }
}
