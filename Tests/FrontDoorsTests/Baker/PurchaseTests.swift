import Commerce
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import Primitives
import State
import TestSupport
import Testing

@Suite("Purchases of a Baker app")
struct PurchaseTests {
    private func issue(_ receipt: String, _ product: String = "ed-08") -> BakerClient.Transaction {
        BakerClient.Transaction(productID: product, receipt: receipt)
    }

    @Test(
        "A purchase is recorded, listed, downloaded through the gate and kept after a restart", arguments: 1...5)
    func endToEnd(seed: UInt64) async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client, seed: seed)
            try await app.showCatalogue()
            let edition = try #require(await app.issue("ed-09"))
            #expect(await !app.isUnlocked(edition))
            #expect(try await app.download(edition).status == 403)
            let receipt = storefrontHarness.store.accept(
                "one", storefrontHarness.store.purchase("com.example.september", id: "1"))
            #expect(receipt.contains("+"))
            #expect(try await app.buy(issue(receipt, "com.example.september")))
            #expect(await app.queue.isEmpty)
            #expect(await app.products == ["com.example.september"])
            #expect(await !app.isSubscribed)
            #expect(await app.isUnlocked(edition))
            let archive = try await app.download(edition)
            #expect(archive.status == 200 && archive.text == "archive of ed-09/whole issue.hpub")
            let rest = try await app.download(edition, [("Range", "bytes=8-")])
            #expect(rest.status == 206 && rest.text == "of ed-09/whole issue.hpub")
            let next = storefrontHarness.baker(client, seed: seed + 100)
            try await next.showCatalogue()
            #expect(await next.products == ["com.example.september"])
        }
    }

    @Test("A subscription permanently unlocks the editions published while it ran, and no others")
    func subscription() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            let receipt = storefrontHarness.store.accept(
                "monthly",
                storefrontHarness.store.purchase("com.example.monthly", id: "1", at: "2026-08-15", until: "2026-11-15"))
            try await app.buy(
                BakerClient.Transaction(
                    productID: "com.example.monthly", receipt: receipt, type: "auto-renewable-subscription"))
            #expect(await app.products == ["ed-10", "com.example.september"])
            #expect(await app.isSubscribed)
            storefrontHarness.clock.set(CivilTime.date("2027-01-01")!)
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-10", "com.example.september"])
            #expect(await !app.isSubscribed)
        }
    }

    @Test("A free subscription never expires, whatever type the app sends")
    func freeSubscription() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            let receipt = storefrontHarness.store.accept(
                "free", storefrontHarness.store.purchase("com.example.free", id: "1", at: "2026-09-30"))
            try await app.buy(BakerClient.Transaction(productID: "com.example.free", receipt: receipt, type: "issue"))
            storefrontHarness.clock.set(CivilTime.date("2036-01-01")!)
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-10", "ed-12"])
            #expect(await app.isSubscribed)
        }
    }

    @Test("Purchases are accepted with 200 while Apple is unreachable, and listed after the follow-up")
    func appleUnreachable() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            storefrontHarness.store.isReachable = false
            #expect(try await app.buy(issue(receipt)))
            #expect(await app.products == [])
            storefrontHarness.store.isReachable = true
            storefrontHarness.clock.advance(by: 61)
            _ = try await storefrontHarness.authorizationService.purchases?.followUp()
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-08"])
        }
    }

    @Test("A purchase rejected at confirmation is resent only by a restore, and the shelf clears its pending state")
    func limbo() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            #expect(try await !app.buy(issue(FakeReceiptStore.receipt("unknown to the store"))))
            #expect(await app.queue.count == 1)
            #expect(await app.complaints.count == 1)
            try await app.showCatalogue()
            #expect(await app.queue.isEmpty)
            // The purchases response removes the device's own marker.
            let edition = try #require(await app.issue("ed-08"))
            #expect(await !app.isUnlocked(edition))
        }
    }

    @Test("Restoring under a new user id succeeds, and a third user is rejected")
    func restoring() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            for (user, recorded, products) in [
                (StorefrontHarness.user, 1, ["ed-08"]), (StorefrontHarness.user, 1, ["ed-08"]),
                ("REINSTALLED", 1, ["ed-08"]),
                ("STRANGER", 0, []),
            ] as [(String, Int, Set<String>)] {
                let app = storefrontHarness.baker(client, user: user)
                #expect(try await app.restore([issue(receipt)]) == recorded)
                #expect(await app.products == products)
            }
        }
    }

    @Test("All ways to pass the parameters yield the same purchases")
    func spellings() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            let settings = BakerClient.Settings(
                base: StorefrontHarness.url, appID: StorefrontHarness.app, userID: StorefrontHarness.user)
            let app = BakerClient(settings.withoutPlaceholders(), transport: AppTransport(client))
            #expect(try await app.buy(issue(receipt)))
            #expect(await app.products == ["ed-08"])
            let expected = #"{"issues":["ed-08"],"subscribed":false}"#
            for target in [
                "/purchases/com.example.daily/\(StorefrontHarness.user)",
                "/purchases/com.example.daily/\(StorefrontHarness.user)/",
                "/purchases/com.example.daily?user_id=\(StorefrontHarness.user)",
                "/purchases?user_id=\(StorefrontHarness.user)&app_id=com.example.daily&environment=debug&devicetype=phone&more=x",
                "/purchases//\(StorefrontHarness.user)?app_id=com.example.daily",
                "/purchases/:app_id/\(StorefrontHarness.user)?APP_ID=com.example.daily",
                "/purchases/com%2Eexample.daily/\(StorefrontHarness.user)",
            ] {
                #expect(try await client.send(target).text == expected, "\(target)")
            }
            let form = "app_id=com.example.daily&user_id=\(StorefrontHarness.user)&issues=%5B%22x%22%5D"
            #expect(try await client.send("/purchases", form).text == expected)
            #expect(
                try await client.send("/purchases?app_id=com.example.daily", "User_ID=\(StorefrontHarness.user)").text
                    == expected)
            // The path precedes the body, and the body precedes the query.
            #expect(
                try await client.send(
                    "/purchases/com.example.daily?user_id=x", "app_id=y&user_id=\(StorefrontHarness.user)"
                ).text == expected)
        }
    }

    @Test("Confirmation accepts every body format and repairs the damage each one does to base64")
    func dialects() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            let path = "/confirmpurchase/com.example.daily/\(StorefrontHarness.user)"
            let lines = receipt.prefix(12) + "\r\n" + receipt.dropFirst(12)
            for (body, type) in [
                ("receipt_data=\(receipt)&type=issue", "application/x-www-form-urlencoded; charset=utf-8"),
                ("type=issue&receipt_data=\(receipt.formEncoded)", "application/x-www-form-urlencoded"),
                ("receipt_data=\(String(lines).formEncoded)", "application/x-www-form-urlencoded"),
                ("receipt_data=\(receipt)", "text/plain"), ("receipt_data=\(receipt.replacing("=", with: ""))", ""),
                (#"{"receipt_data":"\#(receipt)","type":"issue"}"#, "application/json"),
                (#"{"receipt-data":"\#(receipt)"}"#, "application/x-www-form-urlencoded"),
                ("{\n \"receipt-data\" = \"\(receipt)\";\n \"type\" = issue;\n}", "application/json"),
                ("{receipt-data=\(receipt)}", "text/plain"), ("{ \"receipt-data\"=\(receipt); }", "text/plain"),
            ] {
                let response = try await client.send(path, body, type: type)
                #expect(
                    response.status == .ok && response.text == #"{"status":"recorded"}"#, "\(body) \(response.text)")
            }
        }
    }

    @Test("Overlong and malformed receipts and bare transaction ids are rejected")
    func nonsense() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let path = "/confirmpurchase/com.example.daily/\(StorefrontHarness.user)"
            for body in [
                "", "receipt_data=", "receipt_data=%21", "receipt_data=A", "receipt_data=%00%00%00%00", "type=issue",
                "receipt_data=2000000123456789", "receipt_data=(null)", "{", "{}", "{]", #"{"receipt_data":{"a":1}}"#,
                "receipt_data=a.b.c",
            ] {
                let response = try await client.send(path, body)
                #expect(response.status == .badRequest, "\(body) \(response.text)")
                #expect((try? JSONParser.parse(Array(response.text.utf8)))?["error"]?.text != nil)
            }
            let maxLengthReceipt = String(repeating: "QUJD", count: 64 << 10)
            #expect(try await client.send(path, "receipt_data=\(maxLengthReceipt)").status == .forbidden)
            #expect(try await client.send(path, "receipt_data=\(maxLengthReceipt)QUJD").status == .badRequest)
            #expect(
                try await client.send(path, "receipt_data=\(maxLengthReceipt)\(maxLengthReceipt)").status == .badRequest
            )
            let huge = String(repeating: maxLengthReceipt, count: 5)
            #expect(try await client.send(path, "receipt_data=\(huge)").status == .contentTooLarge)
            #expect(try await client.send(path).status == .methodNotAllowed)
            #expect(
                try await client.send("/confirmpurchase/com.example.daily", "receipt_data=QUJD").status == .badRequest)
            let user = String(repeating: "u", count: 257)
            #expect(try await client.send("/purchases/com.example.daily/\(user)").status == .badRequest)
        }
    }

    @Test("Each rejection reason yields its status, never 200", arguments: ReceiptRejection.Reason.allCases)
    func rejections(reason: ReceiptRejection.Reason) async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.decide("bad", .rejected(ReceiptRejection(reason)))
            let response = try await client.send(
                "/confirmpurchase/com.example.daily/x", "receipt_data=\(receipt.formEncoded)")
            #expect([.badRequest, .forbidden, .notFound].contains(response.status))
            #expect(response.text == #"{"error":"\#(reason.rawValue)"}"#)
            #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            #expect(
                try await client.send("/purchases/com.example.daily/x").text == #"{"issues":[],"subscribed":false}"#)
        }
    }

    @Test("Sandbox purchases are rejected where only production counts")
    func sandbox() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept(
                "test", storefrontHarness.store.purchase("ed-08", id: "1", .sandbox))
            let app = storefrontHarness.baker(client)
            #expect(try await !app.buy(issue(receipt)))
            try await app.refreshPurchases()
            #expect(await app.products == [])
        }
    }

    @Test("A refunded purchase is locked again")
    func refund() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            try await app.buy(
                issue(storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))))
            try await storefrontHarness.state.record(
                [
                    StoreTransaction(
                        store: storefrontHarness.store.store, id: "1", original: "1", product: "ed-08",
                        purchased: CivilTime.date("2026-10-15")!, revoked: CivilTime.date("2026-11-01")!,
                        environment: .production, reported: storefrontHarness.clock.now)
                ], at: storefrontHarness.clock.now)
            try await app.refreshPurchases()
            #expect(await app.products == [])
        }
    }

    @Test("A linked reader also gets the editions of the subscription, or all of them if it opens everything")
    func linked() async throws {
        try await withStorefrontHarness(policy: .backendDecides) { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            #expect(
                try await storefrontHarness.authorizationService.link(
                    token: try await storefrontHarness.signIn(), with: storefrontHarness.owner))
            storefrontHarness.backend.response(Subscription(state: .active, entitlement: .allEditions))
            try await app.showCatalogue()
            #expect(await app.products == ["ed-10", "com.example.september", "ed-08"])
            #expect(await app.isSubscribed)
            #expect(try await app.download(named: "ed-08").status == 200)
            storefrontHarness.backend.response(Subscription(state: .inactive, entitlement: .allEditions))
            try await app.refreshPurchases()
            #expect(await app.products == [])
            #expect(await !app.isSubscribed)
            storefrontHarness.backend.response(Subscription(state: .suspended, entitlement: .allEditions))
            try await app.refreshPurchases()
            #expect(await app.products == [])
        }
    }

    @Test("Pitfall 9: the list yields 503 during a backend outage, and the app keeps its purchases")
    func outage() async throws {
        try await withStorefrontHarness(policy: .backendDecides) { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            #expect(
                try await storefrontHarness.authorizationService.link(
                    token: try await storefrontHarness.signIn(), with: storefrontHarness.owner))
            storefrontHarness.backend.response(
                Subscription(state: .active, entitlement: .editions([EditionID("ed-08")!])))
            try await app.showCatalogue()
            storefrontHarness.backend.startOutage()
            let response = try await client.send("/purchases/com.example.daily/\(StorefrontHarness.user)")
            #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "30")
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-08"])
            #expect(try await app.download(named: "ed-08").status == 503)
        }
    }

    @Test("A publication without sales lists no purchases and rejects receipts")
    func nothingSold() async throws {
        try await withStorefrontHarness(sells: false) { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            #expect(try await !app.buy(issue(FakeReceiptStore.receipt("x"))))
            try await app.showCatalogue()
            #expect(await app.products == [])
            #expect(try await app.download(named: "sampler").status == 200)
            #expect(try await app.download(named: "ed-08").status == 403)
        }
    }
}
