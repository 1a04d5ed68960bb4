import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import State
import TestSupport
import Testing

@Suite("A Baker app's purchases")
struct PurchaseTests {
    private func issue(_ receipt: String, _ product: String = "ed-08") -> BakerClient.Transaction {
        BakerClient.Transaction(productID: product, receipt: receipt)
    }

    @Test(
        "bought, recorded, listed, downloaded through the gate, and still there for the next launch", arguments: 1...5)
    func wholeWay(seed: UInt64) async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client, seed: seed)
            try await app.showShelf()
            let edition = try #require(await app.issue("ed-09"))
            #expect(await !app.isUnlocked(edition))
            #expect(try await app.download(edition).status == 403)
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("com.example.september", id: "1"))
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
            let next = kiosk.baker(client, seed: seed + 100)
            try await next.showShelf()
            #expect(await next.products == ["com.example.september"])
        }
    }

    @Test("unlock what was published while a subscription ran, for ever, and nothing else")
    func subscription() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            let receipt = kiosk.store.vouch(
                "monthly", kiosk.store.purchase("com.example.monthly", id: "1", at: "2026-08-15", until: "2026-11-15"))
            try await app.buy(
                BakerClient.Transaction(
                    productID: "com.example.monthly", receipt: receipt, type: "auto-renewable-subscription"))
            #expect(await app.products == ["ed-10", "com.example.september"])
            #expect(await app.isSubscribed)
            kiosk.clock.set(CivilTime.date("2027-01-01")!)
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-10", "com.example.september"])
            #expect(await !app.isSubscribed)
        }
    }

    @Test("with a free subscription are subscribed for ever, whatever type the app says it is")
    func freeSubscription() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            let receipt = kiosk.store.vouch("free", kiosk.store.purchase("com.example.free", id: "1", at: "2026-09-30"))
            try await app.buy(BakerClient.Transaction(productID: "com.example.free", receipt: receipt, type: "issue"))
            kiosk.clock.set(CivilTime.date("2036-01-01")!)
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-10", "ed-12"])
            #expect(await app.isSubscribed)
        }
    }

    @Test("are kept and answered with 200 while Apple can not be asked, and listed once it could")
    func appleUnreachable() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))
            kiosk.store.isReachable = false
            #expect(try await app.buy(issue(receipt)))
            #expect(await app.products == [])
            kiosk.store.isReachable = true
            kiosk.clock.advance(by: 61)
            _ = try await kiosk.proxy.purchases?.followUp()
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-08"])
        }
    }

    @Test("refused at confirmation are never sent again but by restoring: limbo is finished with the shelf")
    func limbo() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            #expect(try await !app.buy(issue(KioskStore.receipt("unknown to the store"))))
            #expect(await app.queue.count == 1)
            #expect(await app.complaints.count == 1)
            try await app.showShelf()
            #expect(await app.queue.isEmpty)
            // The answer about purchases takes the mark of the device away.
            let edition = try #require(await app.issue("ed-08"))
            #expect(await !app.isUnlocked(edition))
        }
    }

    @Test("restored under a new identifier are there as before, and by a third person they are refused")
    func restoring() async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))
            for (user, recorded, products) in [
                (Kiosk.user, 1, ["ed-08"]), (Kiosk.user, 1, ["ed-08"]), ("REINSTALLED", 1, ["ed-08"]),
                ("STRANGER", 0, []),
            ] as [(String, Int, Set<String>)] {
                let app = kiosk.baker(client, user: user)
                #expect(try await app.restore([issue(receipt)]) == recorded)
                #expect(await app.products == products)
            }
        }
    }

    @Test("are the same however the parameters travel")
    func spellings() async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))
            let settings = BakerClient.Settings(base: Kiosk.url, appID: Kiosk.app, userID: Kiosk.user)
            let app = BakerClient(settings.withoutPlaceholders(), transport: AppTransport(client))
            #expect(try await app.buy(issue(receipt)))
            #expect(await app.products == ["ed-08"])
            let expected = #"{"issues":["ed-08"],"subscribed":false}"#
            for target in [
                "/purchases/com.example.daily/\(Kiosk.user)", "/purchases/com.example.daily/\(Kiosk.user)/",
                "/purchases/com.example.daily?user_id=\(Kiosk.user)",
                "/purchases?user_id=\(Kiosk.user)&app_id=com.example.daily&environment=debug&devicetype=phone&more=x",
                "/purchases//\(Kiosk.user)?app_id=com.example.daily",
                "/purchases/:app_id/\(Kiosk.user)?APP_ID=com.example.daily",
                "/purchases/com%2Eexample.daily/\(Kiosk.user)",
            ] {
                #expect(try await client.ask(target).text == expected, "\(target)")
            }
            let form = "app_id=com.example.daily&user_id=\(Kiosk.user)&issues=%5B%22x%22%5D"
            #expect(try await client.ask("/purchases", form).text == expected)
            #expect(
                try await client.ask("/purchases?app_id=com.example.daily", "User_ID=\(Kiosk.user)").text == expected)
            // What stands in the path comes first, and the body before the query.
            #expect(
                try await client.ask(
                    "/purchases/com.example.daily?user_id=x", "app_id=y&user_id=\(Kiosk.user)"
                ).text == expected)
        }
    }

    @Test("are confirmed in each dialect, with the damage that each does to base64")
    func dialects() async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))
            let path = "/confirmpurchase/com.example.daily/\(Kiosk.user)"
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
                let answer = try await client.ask(path, body, type: type)
                #expect(answer.status == .ok && answer.text == #"{"status":"recorded"}"#, "\(body) \(answer.text)")
            }
        }
    }

    @Test("whose receipt is too long or nonsense are refused, and a bare transaction identifier is no receipt")
    func nonsense() async throws {
        try await withKiosk { kiosk, client async throws in
            let path = "/confirmpurchase/com.example.daily/\(Kiosk.user)"
            for body in [
                "", "receipt_data=", "receipt_data=%21", "receipt_data=A", "receipt_data=%00%00%00%00", "type=issue",
                "receipt_data=2000000123456789", "receipt_data=(null)", "{", "{}", "{]", #"{"receipt_data":{"a":1}}"#,
                "receipt_data=a.b.c",
            ] {
                let answer = try await client.ask(path, body)
                #expect(answer.status == .badRequest, "\(body) \(answer.text)")
                #expect((try? JSONParser.parse(Array(answer.text.utf8)))?["error"]?.text != nil)
            }
            let longest = String(repeating: "QUJD", count: 64 << 10)
            #expect(try await client.ask(path, "receipt_data=\(longest)").status == .forbidden)
            #expect(try await client.ask(path, "receipt_data=\(longest)QUJD").status == .badRequest)
            #expect(try await client.ask(path, "receipt_data=\(longest)\(longest)").status == .badRequest)
            let huge = String(repeating: longest, count: 5)
            #expect(try await client.ask(path, "receipt_data=\(huge)").status == .contentTooLarge)
            #expect(try await client.ask(path).status == .methodNotAllowed)
            #expect(
                try await client.ask("/confirmpurchase/com.example.daily", "receipt_data=QUJD").status == .badRequest)
            let user = String(repeating: "u", count: 257)
            #expect(try await client.ask("/purchases/com.example.daily/\(user)").status == .badRequest)
        }
    }

    @Test("refused are never 200, and each refusal has its status", arguments: ReceiptRefusal.Reason.allCases)
    func refusals(reason: ReceiptRefusal.Reason) async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.decide("bad", .refused(ReceiptRefusal(reason)))
            let answer = try await client.ask(
                "/confirmpurchase/com.example.daily/x", "receipt_data=\(receipt.formEncoded)")
            #expect([.badRequest, .forbidden, .notFound].contains(answer.status))
            #expect(answer.text == #"{"error":"\#(reason.rawValue)"}"#)
            #expect(answer.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            #expect(try await client.ask("/purchases/com.example.daily/x").text == #"{"issues":[],"subscribed":false}"#)
        }
    }

    @Test("of test accounts do not count where only production does")
    func sandbox() async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.vouch("test", kiosk.store.purchase("ed-08", id: "1", .sandbox))
            let app = kiosk.baker(client)
            #expect(try await !app.buy(issue(receipt)))
            try await app.refreshPurchases()
            #expect(await app.products == [])
        }
    }

    @Test("that were refunded are locked again")
    func refund() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            try await app.buy(issue(kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))))
            try await kiosk.state.note(
                [
                    StoreTransaction(
                        store: kiosk.store.store, id: "1", original: "1", product: "ed-08",
                        purchased: CivilTime.date("2026-10-15")!, revoked: CivilTime.date("2026-11-01")!,
                        environment: .production, told: kiosk.clock.now)
                ], at: kiosk.clock.now)
            try await app.refreshPurchases()
            #expect(await app.products == [])
        }
    }

    @Test("of a linked reader are those of the subscription, too, and everything where that opens everything")
    func linked() async throws {
        try await withKiosk(policy: .backendDecides) { kiosk, client async throws in
            let app = kiosk.baker(client)
            #expect(try await kiosk.proxy.link(token: try await kiosk.signIn(), with: kiosk.owner))
            kiosk.backend.answer(Subscription(state: .active, entitlement: .allEditions))
            try await app.showShelf()
            #expect(await app.products == ["ed-10", "com.example.september", "ed-08"])
            #expect(await app.isSubscribed)
            #expect(try await app.download(named: "ed-08").status == 200)
            kiosk.backend.answer(Subscription(state: .inactive, entitlement: .allEditions))
            try await app.refreshPurchases()
            #expect(await app.products == [])
            #expect(await !app.isSubscribed)
            kiosk.backend.answer(Subscription(state: .suspended, entitlement: .allEditions))
            try await app.refreshPurchases()
            #expect(await app.products == [])
        }
    }

    @Test("have no answer while the subscriber system can not be asked: the app keeps what it knew (pitfall 9)")
    func outage() async throws {
        try await withKiosk(policy: .backendDecides) { kiosk, client async throws in
            let app = kiosk.baker(client)
            #expect(try await kiosk.proxy.link(token: try await kiosk.signIn(), with: kiosk.owner))
            kiosk.backend.answer(Subscription(state: .active, entitlement: .editions([EditionID("ed-08")!])))
            try await app.showShelf()
            kiosk.backend.breakDown()
            let answer = try await client.ask("/purchases/com.example.daily/\(Kiosk.user)")
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30")
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-08"])
            #expect(try await app.download(named: "ed-08").status == 503)
        }
    }

    @Test("where nothing is sold are none, and a receipt is not taken")
    func nothingSold() async throws {
        try await withKiosk(sells: false) { kiosk, client async throws in
            let app = kiosk.baker(client)
            #expect(try await !app.buy(issue(KioskStore.receipt("x"))))
            try await app.showShelf()
            #expect(await app.products == [])
            #expect(try await app.download(named: "sampler").status == 200)
            #expect(try await app.download(named: "ed-08").status == 403)
        }
    }
}
