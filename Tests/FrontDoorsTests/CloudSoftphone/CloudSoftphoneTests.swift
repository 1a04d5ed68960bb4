import Commerce
import Foundation
import FrontDoors
import HTTPTypes
import State
import TestSupport
import Testing

/// Base64 with every character that queries corrupt.
private let receipt = "MIIB+a/Zq8+xyz/AAAA=="

@Suite("In-app purchase service for Cloud Softphone")
struct CloudSoftphoneTests {
    @Test(
        "credits a purchase sent by query, form or JSON with unescaped values",
        arguments: [CloudSoftphoneClient(), .form, .json])
    func ways(_ client: CloudSoftphoneClient) async throws {
        try await SoftphoneHarness.run { harness in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let response = try await client.call("credit5", receipt: receipt, port: harness.port)
            #expect(response.status == 200)
            // Cloud Softphone protocol, “Empty success responses”: an empty body cannot fail to parse.
            #expect(response.body.isEmpty && response["Content-Type"] == nil && response["Content-Length"] == "0")
            #expect(response["Cache-Control"]?.contains("no-store") == true)
            let ordered = try await harness.ordered()
            #expect(ordered.map(\.id.description) == ["app-store/1000"])
            #expect(ordered.first?.credit == Credit(account: "1001", price: "4,99"))
            #expect(ordered.first?.product == "credit5")
        }
    }

    @Test("takes the account from the query and the receipt from the body, and prefers the body if both hold a value")
    func mixed() async throws {
        try await SoftphoneHarness.run({
            $0.methods = [.put]
        }) { (harness: SoftphoneHarness) async throws in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let client = CloudSoftphoneClient(
                url: "/title/iap/?username=%account[username]%&productCode=wrong",
                postData: "receipt=%receipt%&productCode=%productCode%", method: "PUT")
            #expect(try await client.buy("credit5", receipt: receipt, port: harness.port) == .delivered)
            #expect(try await harness.ordered().map(\.credit.account) == ["1001"])
        }
    }

    @Test("accepts the configured field names")
    func names() async throws {
        try await SoftphoneHarness.run({
            $0.fields.receipt = "r"
            $0.fields.product = "what"
            $0.fields.account = "who"
            $0.fields.currency = "cur"
        }) { (harness: SoftphoneHarness) async throws in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let client = CloudSoftphoneClient(
                url: "/title/iap?r=%receipt%&what=%productCode%&who=%account[username]%&cur=EUR")
            #expect(try await client.buy("credit5", receipt: receipt, port: harness.port) == .delivered)
            #expect(try await harness.ordered().map(\.credit) == [Credit(account: "1001", currency: "EUR")])
        }
    }

    @Test("Pitfall 18: acknowledges a repeated receipt and credits it only once")
    func replay() async throws {
        try await SoftphoneHarness.run { harness in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcomes = await withTaskGroup(of: CloudSoftphoneClient.Outcome?.self) { group in
                for index in 0..<100 {
                    let client = [CloudSoftphoneClient(), .form, .json][index % 3]
                    group.addTask { try? await client.buy("credit5", receipt: receipt, port: harness.port) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count == 100 && outcomes.allSatisfy { $0 == .delivered })
            #expect(try await harness.ordered().count == 1)
            try await harness.state.delivered(Delivery.ID("app-store/1000")!, at: harness.clock.now)
            harness.clock.advance(by: 7200)
            #expect(
                try await CloudSoftphoneClient.form.buy("credit5", receipt: receipt, port: harness.port) == .delivered)
            #expect(try await harness.ordered().isEmpty)
        }
    }

    @Test("Pitfall 18: rejects a receipt credited to another account, even in another envelope")
    func otherAccount() async throws {
        try await SoftphoneHarness.run { (harness: SoftphoneHarness) async throws in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            harness.store.sell("credit5", receipt: "MIIBanotherReceiptOfIt==", transaction: "1000")
            #expect(
                try await CloudSoftphoneClient.form.buy("credit5", receipt: receipt, port: harness.port) == .delivered)
            let rejection = CloudSoftphoneClient.Outcome.failed(
                status: 403, message: "This purchase was already credited to another account.")
            for other in [receipt, "MIIBanotherReceiptOfIt=="] {
                #expect(
                    try await CloudSoftphoneClient().buy("credit5", receipt: other, as: "1002", port: harness.port)
                        == rejection)
            }
            #expect(try await harness.ordered().map(\.credit.account) == ["1001"])
        }
    }

    @Test("credits only one of the accounts that send the same receipt at the same time")
    func race() async throws {
        try await SoftphoneHarness.run { (harness: SoftphoneHarness) async throws in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcomes = await withTaskGroup(of: CloudSoftphoneClient.Outcome?.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        try? await CloudSoftphoneClient.form.buy(
                            "credit5", receipt: receipt, as: "\(1000 + index)", port: harness.port)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .delivered } == 1)
            #expect(try await harness.ordered().count == 1)
        }
    }

    @Test("rejects a product that the receipt does not contain")
    func product() async throws {
        try await SoftphoneHarness.run { harness in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcome = try await CloudSoftphoneClient().buy("credit50", receipt: receipt, port: harness.port)
            #expect(
                outcome == .failed(status: 403, message: "The store does not confirm that this product was bought."))
            #expect(try await harness.ordered().isEmpty)
            #expect(try await CloudSoftphoneClient().buy("credit5", receipt: receipt, port: harness.port) == .delivered)
        }
    }

    @Test("rejects a receipt that the store does not confirm")
    func forged() async throws {
        try await SoftphoneHarness.run { harness in
            let outcome = try await CloudSoftphoneClient().buy("credit5", receipt: receipt, port: harness.port)
            #expect(outcome == .failed(status: 403, message: "This purchase could not be confirmed."))
            #expect(try await harness.ordered().isEmpty)
        }
    }

    @Test("accepts a receipt while the store is unreachable, and credits it later")
    func storeDown() async throws {
        try await SoftphoneHarness.run { harness in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            harness.store.isReachable = false
            #expect(
                try await CloudSoftphoneClient.json.buy("credit5", receipt: receipt, port: harness.port) == .delivered)
            #expect(try await harness.ordered().isEmpty)
            harness.store.isReachable = true
            harness.clock.advance(by: 3600)
            _ = try await harness.purchaseService.followUp()
            #expect(try await harness.ordered().map(\.credit.account) == ["1001"])
        }
    }

    @Test("yields 503 when the ledger cannot be written")
    func ledgerDown() async throws {
        try await SoftphoneHarness.run(broken: true) { harness in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let response = try await CloudSoftphoneClient.form.call("credit5", receipt: receipt, port: harness.port)
            #expect(response.status == 503 && response["Retry-After"] != nil)
            #expect(response.element("message") == "The purchase could not be checked. Please try again later.")
            #expect(harness.store.queried == 0)
        }
    }

    @Test("rejects a JSON body broken by an unescaped quote instead of guessing its meaning")
    func brokenJSON() async throws {
        try await SoftphoneHarness.run { harness in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcome = try await CloudSoftphoneClient.json.buy(
                "credit5", receipt: receipt, as: #"the "big" one"#, port: harness.port)
            guard case .failed(400, let message?) = outcome else { return #expect(Bool(false), "\(outcome)") }
            #expect(!message.isEmpty)
            #expect(harness.store.queried == 0)
        }
    }

    @Test(
        "rejects missing fields and unfilled placeholders",
        arguments: [
            "/title/iap", "/title/iap?receipt=%receipt%&productCode=credit5&username=1001",
            "/title/iap?receipt=MIIB&username=1001", "/title/iap?receipt=MIIB&productCode=credit5",
            "/title/iap?receipt=MIIB&productCode=credit5&username=", "/title/iap?receipt=1000&productCode=a&username=b",
            "/title/iap?receipt=MIIB&productCode=a&username=%00b",
            // The client in this test fills in `account[username]` only.
            "/title/iap?receipt=MIIB&productCode=a&username=%account[authUsername]%",
            "/title/iap?receipt=MIIB&productCode=a&username=%25account%5Busername%5D%25",
            "/title/iap?receipt=MIIB&productCode=a&username=sip:%25account[username]%25@example.com",
            "/title/iap?receipt=MIIB&productCode=a&username=%2525account%255Busername%255D%2525",
            "/title/iap?receipt=MIIB&productCode=a&username=%25account[username]",
            "/title/iap?receipt=MIIB&productCode=a&username=%installid%",
            "/title/iap?receipt=MIIB&productCode=%25productCode%25&username=b",
            "/title/iap?receipt=MIIB&productCode=%appid%.credit5&username=b",
            "/title/iap?receipt=MIIB&productCode=a&username=J%F6rg",
            "/title/iap?receipt=MIIB&productCode=a&username=%AC",
            "/title/iap?receipt=MIIB&productCode=a&username=J%EF%BF%BDrg",
            "/title/iap?receipt=MIIB&productCode=cr%E9dit&username=b",
        ])
    func missing(_ url: String) async throws {
        try await SoftphoneHarness.run { harness in
            let outcome = try await CloudSoftphoneClient(url: url).buy("credit5", receipt: nil, port: harness.port)
            #expect(
                outcome
                    == .failed(
                        status: 400, message: "The app did not send all data needed to verify this purchase."))
            #expect(harness.store.queried == 0)
        }
    }

    @Test(
        "distinguishes accounts with letters beyond ASCII and with a percent sign that starts no variable"
    )
    func foreignNames() async throws {
        try await SoftphoneHarness.run { (harness: SoftphoneHarness) async throws in
            for (number, account) in ["Jörg", "Jürg", "100% Jörg", "100%"].enumerated() {
                harness.store.sell("credit5", receipt: "MIIB\(number)", transaction: "\(number)")
                let client = CloudSoftphoneClient.json
                #expect(
                    try await client.buy("credit5", receipt: "MIIB\(number)", as: account, port: harness.port)
                        == .delivered
                )
            }
            #expect(Set(try await harness.ordered().map(\.credit.account)) == ["Jörg", "Jürg", "100% Jörg", "100%"])
        }
    }

    @Test(
        "accepts prices in any notation and trusts none",
        arguments: ["4.99", "4,99 €", "٤٫٩٩", "-1", "free \"\""])
    func price(_ price: String) async throws {
        try await SoftphoneHarness.run { (harness: SoftphoneHarness) async throws in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let client = CloudSoftphoneClient.form
            #expect(try await client.buy("credit5", receipt: receipt, price: price, port: harness.port) == .delivered)
            #expect(try await harness.ordered().map(\.credit.price) == [price])
        }
    }

    @Test("truncates a price to 64 bytes without splitting a character")
    func longPrice() async throws {
        try await SoftphoneHarness.run { (harness: SoftphoneHarness) async throws in
            harness.store.sell("credit5", receipt: receipt, transaction: "1000")
            let price = String(repeating: "€", count: 1000)
            #expect(
                try await CloudSoftphoneClient.form.buy("credit5", receipt: receipt, price: price, port: harness.port)
                    == .delivered)
            #expect(try await harness.ordered().map(\.credit.price) == [String(repeating: "€", count: 21)])
        }
    }
}
