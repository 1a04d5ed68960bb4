import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import State
import TestSupport
import Testing

/// Base64 with everything in it that queries spoil.
private let receipt = "MIIB+a/Zq8+xyz/AAAA=="

@Suite("The in-app-purchase service of Cloud Softphone")
struct CloudSoftphoneTests {
    @Test(
        "credits a purchase told by query, form or JSON, values raw as the app puts them in",
        arguments: [CloudSoftphoneClient(), .form, .json])
    func ways(_ client: CloudSoftphoneClient) async throws {
        try await SoftphoneRig.run { rig in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let answer = try await client.call("credit5", receipt: receipt, port: rig.port)
            #expect(answer.status == 200)
            // PROTOCOLS 6A row 21: an empty success has nothing that could not be parsed.
            #expect(answer.body.isEmpty && answer["Content-Type"] == nil && answer["Content-Length"] == "0")
            #expect(answer["Cache-Control"]?.contains("no-store") == true)
            let ordered = try await rig.ordered()
            #expect(ordered.map(\.id.description) == ["app-store/1000"])
            #expect(ordered.first?.credit == Credit(account: "1001", price: "4,99"))
            #expect(ordered.first?.product == "credit5")
        }
    }

    @Test("takes the account from the query and the receipt from the body, and the body's word where both have one")
    func mixed() async throws {
        try await SoftphoneRig.run({
            $0.methods = [.put]
        }) { (rig: SoftphoneRig) async throws in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let client = CloudSoftphoneClient(
                url: "/title/iap/?username=%account[username]%&productCode=wrong",
                postData: "receipt=%receipt%&productCode=%productCode%", method: "PUT")
            #expect(try await client.buy("credit5", receipt: receipt, port: rig.port) == .delivered)
            #expect(try await rig.ordered().map(\.credit.account) == ["1001"])
        }
    }

    @Test("takes the names that the provider chose")
    func names() async throws {
        try await SoftphoneRig.run({
            $0.fields.receipt = "r"
            $0.fields.product = "what"
            $0.fields.account = "who"
            $0.fields.currency = "cur"
        }) { (rig: SoftphoneRig) async throws in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let client = CloudSoftphoneClient(
                url: "/title/iap?r=%receipt%&what=%productCode%&who=%account[username]%&cur=EUR")
            #expect(try await client.buy("credit5", receipt: receipt, port: rig.port) == .delivered)
            #expect(try await rig.ordered().map(\.credit) == [Credit(account: "1001", currency: "EUR")])
        }
    }

    @Test("answers a receipt told again with success, and credits it once (PITFALLS row 18)")
    func replay() async throws {
        try await SoftphoneRig.run { rig in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcomes = await withTaskGroup(of: CloudSoftphoneClient.Outcome?.self) { group in
                for index in 0..<100 {
                    let client = [CloudSoftphoneClient(), .form, .json][index % 3]
                    group.addTask { try? await client.buy("credit5", receipt: receipt, port: rig.port) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count == 100 && outcomes.allSatisfy { $0 == .delivered })
            #expect(try await rig.ordered().count == 1)
            try await rig.state.delivered(Delivery.ID("app-store/1000")!, at: rig.clock.now)
            rig.clock.advance(by: 7200)
            #expect(try await CloudSoftphoneClient.form.buy("credit5", receipt: receipt, port: rig.port) == .delivered)
            #expect(try await rig.ordered().isEmpty)
        }
    }

    @Test("refuses the receipt of another account, in whatever wrapping it comes (PITFALLS row 18)")
    func otherAccount() async throws {
        try await SoftphoneRig.run { (rig: SoftphoneRig) async throws in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            rig.store.sell("credit5", receipt: "MIIBanotherReceiptOfIt==", transaction: "1000")
            #expect(try await CloudSoftphoneClient.form.buy("credit5", receipt: receipt, port: rig.port) == .delivered)
            let refusal = CloudSoftphoneClient.Outcome.failed(
                status: 403, message: "This purchase was already credited to another account.")
            for other in [receipt, "MIIBanotherReceiptOfIt=="] {
                #expect(
                    try await CloudSoftphoneClient().buy("credit5", receipt: other, as: "1002", port: rig.port)
                        == refusal)
            }
            #expect(try await rig.ordered().map(\.credit.account) == ["1001"])
        }
    }

    @Test("credits one of two accounts that tell the same receipt at the same moment")
    func race() async throws {
        try await SoftphoneRig.run { (rig: SoftphoneRig) async throws in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcomes = await withTaskGroup(of: CloudSoftphoneClient.Outcome?.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        try? await CloudSoftphoneClient.form.buy(
                            "credit5", receipt: receipt, as: "\(1000 + index)", port: rig.port)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .delivered } == 1)
            #expect(try await rig.ordered().count == 1)
        }
    }

    @Test("refuses a product that the receipt does not hold, whatever the app says")
    func product() async throws {
        try await SoftphoneRig.run { rig in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcome = try await CloudSoftphoneClient().buy("credit50", receipt: receipt, port: rig.port)
            #expect(
                outcome == .failed(status: 403, message: "The store does not confirm that this product was bought."))
            #expect(try await rig.ordered().isEmpty)
            #expect(try await CloudSoftphoneClient().buy("credit5", receipt: receipt, port: rig.port) == .delivered)
        }
    }

    @Test("refuses what the store does not vouch for")
    func forged() async throws {
        try await SoftphoneRig.run { rig in
            let outcome = try await CloudSoftphoneClient().buy("credit5", receipt: receipt, port: rig.port)
            #expect(outcome == .failed(status: 403, message: "This purchase could not be confirmed."))
            #expect(try await rig.ordered().isEmpty)
        }
    }

    @Test("takes a receipt while the store can not be asked, and credits it when it can")
    func storeDown() async throws {
        try await SoftphoneRig.run { rig in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            rig.store.isReachable = false
            #expect(try await CloudSoftphoneClient.json.buy("credit5", receipt: receipt, port: rig.port) == .delivered)
            #expect(try await rig.ordered().isEmpty)
            rig.store.isReachable = true
            rig.clock.advance(by: 3600)
            _ = try await rig.desk.followUp()
            #expect(try await rig.ordered().map(\.credit.account) == ["1001"])
        }
    }

    @Test("says that it could not be checked where it can not be written down")
    func ledgerDown() async throws {
        try await SoftphoneRig.run(broken: true) { rig in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let answer = try await CloudSoftphoneClient.form.call("credit5", receipt: receipt, port: rig.port)
            #expect(answer.status == 503 && answer["Retry-After"] != nil)
            #expect(answer.element("message") == "The purchase could not be checked. Please try again later.")
            #expect(rig.store.asked == 0)
        }
    }

    @Test("refuses a JSON body that a quote in a value broke, rather than guess")
    func brokenJSON() async throws {
        try await SoftphoneRig.run { rig in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let outcome = try await CloudSoftphoneClient.json.buy(
                "credit5", receipt: receipt, as: #"the "big" one"#, port: rig.port)
            guard case .failed(400, let message?) = outcome else { return #expect(Bool(false), "\(outcome)") }
            #expect(!message.isEmpty)
            #expect(rig.store.asked == 0)
        }
    }

    @Test(
        "asks for what is missing, placeholders that the app did not fill in included",
        arguments: [
            "/title/iap", "/title/iap?receipt=%receipt%&productCode=credit5&username=1001",
            "/title/iap?receipt=MIIB&username=1001", "/title/iap?receipt=MIIB&productCode=credit5",
            "/title/iap?receipt=MIIB&productCode=credit5&username=", "/title/iap?receipt=1000&productCode=a&username=b",
            "/title/iap?receipt=MIIB&productCode=a&username=%00b",
            // What the client of these tests fills in is called `account[username]`.
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
        try await SoftphoneRig.run { rig in
            let outcome = try await CloudSoftphoneClient(url: url).buy("credit5", receipt: nil, port: rig.port)
            #expect(
                outcome
                    == .failed(
                        status: 400, message: "The app did not send everything that is needed to check this purchase."))
            #expect(rig.store.asked == 0)
        }
    }

    @Test(
        "credits each account by its own name, with letters beyond ASCII, and with a percent sign that fills no variable"
    )
    func foreignNames() async throws {
        try await SoftphoneRig.run { (rig: SoftphoneRig) async throws in
            for (number, account) in ["Jörg", "Jürg", "100% Jörg", "100%"].enumerated() {
                rig.store.sell("credit5", receipt: "MIIB\(number)", transaction: "\(number)")
                let client = CloudSoftphoneClient.json
                #expect(
                    try await client.buy("credit5", receipt: "MIIB\(number)", as: account, port: rig.port) == .delivered
                )
            }
            #expect(Set(try await rig.ordered().map(\.credit.account)) == ["Jörg", "Jürg", "100% Jörg", "100%"])
        }
    }

    @Test(
        "takes prices in whatever notation, and believes none",
        arguments: ["4.99", "4,99 €", "٤٫٩٩", "-1", "free \"\""])
    func price(_ price: String) async throws {
        try await SoftphoneRig.run { (rig: SoftphoneRig) async throws in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let client = CloudSoftphoneClient.form
            #expect(try await client.buy("credit5", receipt: receipt, price: price, port: rig.port) == .delivered)
            #expect(try await rig.ordered().map(\.credit.price) == [price])
        }
    }

    @Test("keeps sixty-four bytes of a price, and whole letters")
    func longPrice() async throws {
        try await SoftphoneRig.run { (rig: SoftphoneRig) async throws in
            rig.store.sell("credit5", receipt: receipt, transaction: "1000")
            let price = String(repeating: "€", count: 1000)
            #expect(
                try await CloudSoftphoneClient.form.buy("credit5", receipt: receipt, price: price, port: rig.port)
                    == .delivered)
            #expect(try await rig.ordered().map(\.credit.price) == [String(repeating: "€", count: 21)])
        }
    }
}
