import Accounts
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Primitives
import TestSupport
import Testing

/// Decodes every document of the front door with the models of every SDK that reads it.
@Suite("Documents of the InPlayer front door")
struct InPlayerSDKTests {
    struct Prices: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fees: [InPlayerFee]
    }

    private static let term = InPlayerFee.Term(period: "month")
    private static let prices = [
        Prices(testDescription: "no fees", fees: []),
        Prices(
            testDescription: "a one-time fee",
            fees: [InPlayerFee(product: "*", amount: .init("2.50")!, currency: "EUR", text: "Single issue")]),
        Prices(
            testDescription: "a subscription's fee",
            fees: [
                InPlayerFee(
                    product: "*", amount: .init("4.99")!, currency: "EUR", text: "A month", term: term,
                    trial: .init(period: "day", quantity: 14), setupFee: .init("1.49")!)
            ]),
        Prices(
            testDescription: "a fee of nothing",
            fees: [InPlayerFee(product: "*", amount: .init("0")!, currency: "EUR", term: term, setupFee: .init("0")!)]),
    ]

    @Test("The models of the iOS, Android and web SDKs decode them", arguments: prices)
    func decodes(_ prices: Prices) async throws {
        try await InPlayerHarness.run({ $0.settings = { $0.fees = prices.fees } }) {
            (harness: InPlayerHarness) async throws in
            try await Walk(harness, items: [43929, 200], products: ["43929_1", "200_1"]).removeAll()
        }
    }

    @Test("They decode for random catalogues and fees", arguments: 0..<12 as Range<UInt64>)
    func generated(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let editions = (1...Int.random(in: 1...6, using: &random)).map { Self.edition($0, &random) }
        let patterns = ["*", "4*", "200_1", "200_*", "4390\(seed % 6 + 1)_1"]
        let fees = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Self.fee(patterns.randomElement(using: &random)!, &random)
        }
        try await InPlayerHarness.run({ $0.settings = { $0.fees = fees } }) { (harness: InPlayerHarness) async throws in
            harness.catalogue.replace(with: Catalogue(editions))
            for edition in editions {
                let item = try await harness.call("/items/assets/external/edition/\(edition.id)")
                _ = try item.decoded(IOSModels.Item.self)
                _ = try item.decoded(AndroidModels.Item.self)
            }
            // A free edition is not sold, so no product names its number.
            let sold = editions.compactMap(\.storeProductID)
            try await Walk(
                harness, items: sold.compactMap { Int($0.prefix(5)) } + [200], products: sold + ["200_1", "200_2"]
            ).removeAll()
        }
    }

    private static func edition(_ number: Int, _ random: inout SeededRandom) -> Edition {
        let texts = ["", "a", "\u{0}\u{1F}", "\"\\</script>", "日本語 \u{1F600}", String(repeating: "x", count: 600)]
        return Edition(
            id: EditionID("ed-\(number)")!, title: texts.randomElement(using: &random)! + "\(number)",
            published: CivilTime.date("2026-0\(number)-01")!, isFree: Bool.random(using: &random),
            product: "4390\(number)_1",
            details: EditionDetails(
                summary: texts.randomElement(using: &random)!, author: texts.randomElement(using: &random)!,
                cover: "covers/\(number).jpg", categories: [texts.randomElement(using: &random)!]))
    }

    private static func fee(_ product: String, _ random: inout SeededRandom) -> InPlayerFee {
        func amount() -> InPlayerFee.Amount {
            let whole = [0, 1, 4, 999, 999_999_999].randomElement(using: &random)!
            let rest = ["", ".0", ".00", ".5", ".49", ".99", ".9999"].randomElement(using: &random)!
            return .init("\(whole)\(rest)")!
        }
        func term() -> InPlayerFee.Term? {
            Bool.random(using: &random)
                ? .init(period: ["day", "week", "month", "year"].randomElement(using: &random)!, quantity: 3) : nil
        }
        return InPlayerFee(
            product: product, amount: amount(), currency: "EUR",
            text: ["", "A \"month\""].randomElement(using: &random)!,
            term: term(), trial: term(), setupFee: Bool.random(using: &random) ? amount() : nil)
    }

    @Test("Prices are exact, and rounded for the SDK that reads no fractions")
    func cents() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let receipt = harness.store.accept("month", harness.store.purchase("200_1", id: "2", until: "2026-11-15"))
            try await harness.call(
                "/external-payments/apple/validate", "receipt=\(receipt.formEncoded)&product_name=200_1",
                token: session.access)
            let list = try await harness.call("/subscriptions", token: session.access)
            let ios = try #require(try list.decoded(IOSModels.Subscriptions.self).collection?.first)
            #expect(ios.charged_amount == 4.99 && ios.formatted_amount == "4.99 EUR")
            let android = try #require(try list.decoded(AndroidModels.Subscriptions.self).collection.first)
            #expect(android.amount == 5 && android.action_type == "recurrent")
            let web = try #require(try list.decoded(WebModels.Subscriptions.self).collection.first)
            #expect(web.charged_amount == 4.99 && web.subscription_price == 4.99 && web.access_type.period == "month")
            #expect(web.subscription_id == "2" && web.payment_method_name == "apple")
            let fees: [IOSModels.AccessFee] = try await harness.call("/v2/items/200/access-fees").decoded()
            #expect(fees[0].amount == 4.99 && fees[0].item_type == "subscription")
            #expect(fees[0].setup_fee?.fee_amount == 1 && fees[0].setup_fee?.description == "1 EUR")
            let item: IOSModels.Item = try await harness.call("/items/43929").decoded()
            #expect(item.access_fees?.map(\.item_type) == ["edition"] && item.access_fees?.map(\.amount) == [2.5])
        }
    }

    @Test("A subscription states its action: renewed, ended or revoked")
    func actionTypes() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            for (product, purchase) in [
                ("200_1", harness.store.purchase("200_1", id: "1", until: "2026-11-15")),
                ("200_2", harness.store.purchase("200_2", id: "2", until: "2026-10-20")),
                (
                    "com.example.weekly",
                    harness.store.purchase("com.example.weekly", id: "3", until: "2026-11-15", revoked: "2026-10-20")
                ),
            ] {
                let other = harness.store.purchase(
                    product, id: "other \(product)", at: "2026-01-01", until: "2026-01-02")
                let receipt = harness.store.accept(product, purchase, other)
                #expect(
                    try await harness.call(
                        "/external-payments/apple/validate", "receipt=\(receipt.formEncoded)&product_name=\(product)",
                        token: session.access
                    ).status == 200)
            }
            let list: WebModels.Subscriptions = try await harness.call("/subscriptions", token: session.access)
                .decoded()
            let types = Dictionary(uniqueKeysWithValues: list.collection.map { ($0.subscription_id, $0.action_type) })
            #expect(types["1"] == .recurrent && types["2"] == .ended && types["3"] == .canceled)
        }
    }
}

/// Calls every endpoint that responds with a document, as a reader's app does.
private struct Walk {
    let harness: InPlayerHarness
    let items: [Int]
    let products: [String]

    init(_ harness: InPlayerHarness, items: [Int], products: [String]) {
        self.harness = harness
        self.items = items
        self.products = products
    }

    func removeAll() async throws {
        try await all("/accounts/register-fields/\(InPlayerHarness.merchant)") {
            _ = try $0.decoded(IOSModels.RegisterFields.self)
            _ = try $0.decoded(AndroidModels.RegisterFields.self)
        }
        try await all("/accounts/social?state=e30") {
            _ = try $0.decoded(IOSModels.SocialAddresses.self)
            _ = try $0.decoded(AndroidModels.SocialAddresses.self)
        }
        let session = try await harness.register()
        for response in [
            try await harness.call("/accounts/authenticate", harness.signInForm()),
            try await harness.renew(session.refresh),
        ] {
            _ = try response.decoded(IOSModels.Authorization.self)
            _ = try response.decoded(AndroidModels.Authorization.self)
        }
        try await all("/accounts", session.access) {
            _ = try $0.decoded(IOSModels.Account.self)
            _ = try $0.decoded(AndroidModels.Account.self)
        }
        for path in ["/v2/accounts/media/favorites", "/v2/accounts/media/watch-history?filter=currently_watching"] {
            try await all(path, session.access) {
                let media = try $0.decoded(WebModels.Media.self)
                #expect(media.collection.isEmpty)
            }
        }
        try await shop()
        for product in products {
            let until = product.hasPrefix("200") ? "2026-11-15" : nil
            let receipt = harness.store.accept(
                product, harness.store.purchase(product, id: "id \(product)", until: until))
            let response = try await harness.call(
                "/v2/external-payments/apple/validate", "receipt=\(receipt.formEncoded)&product_name=\(product)",
                token: session.access)
            _ = try response.decoded(AndroidModels.Response.self)
        }
        try await harness.call(
            "/v2/external-payments/apple/validate", "receipt=Zm9yZ2Vk&product_name=200_1", token: session.access)
        try await account(session)
        try await notifications()
    }

    private func shop() async throws {
        for item in items {
            try await all("/items/\(InPlayerHarness.merchant)/\(item)") {
                _ = try $0.decoded(IOSModels.Item.self)
                _ = try $0.decoded(AndroidModels.Item.self)
            }
            for version in ["", "/v2"] {
                try await all("\(version)/items/\(item)/access-fees") {
                    _ = try $0.decoded([IOSModels.AccessFee].self)
                    _ = try $0.decoded([AndroidModels.AccessFee].self)
                    _ = try $0.decoded([WebModels.Offer].self)
                }
            }
        }
    }

    private func account(_ session: AppSession) async throws {
        for item in items {
            try await all("/items/\(item)/access", session.access) {
                _ = try $0.decoded(IOSModels.ItemAccess.self)
                _ = try $0.decoded(AndroidModels.ItemAccess.self)
            }
        }
        try await all("/items/access/customers?status=all&page=0&size=100", session.access) {
            let ios = try $0.decoded(IOSModels.PurchaseHistory.self)
            let android = try $0.decoded(AndroidModels.PurchaseHistory.self)
            #expect(ios.total == products.count && android.collection.count == products.count)
        }
        try await all("/subscriptions?page=0&size=15", session.access) {
            _ = try $0.decoded(IOSModels.Subscriptions.self)
            _ = try $0.decoded(AndroidModels.Subscriptions.self)
            _ = try $0.decoded(WebModels.Subscriptions.self)
        }
        for (path, form) in [
            ("/accounts/forgot-password", "email=ada@example.com"), ("/accounts/export", "password=right horse"),
            ("/accounts/change-password", "old_password=right horse&password=left horse"),
        ] {
            let response = try await harness.call(path, form, token: session.access)
            #expect(response.status == 200, "\(path) \(response.text)")
            _ = try response.decoded(AndroidModels.Response.self)
        }
    }

    private func notifications() async throws {
        try await harness.forwardChanges()
        let payloads = harness.notifications.withLock { $0.map { Data($0.payload) } }
        let types = try payloads.map { payload in
            let ios = try JSONDecoder().decode(IOSModels.Notification.self, from: payload)
            switch ios.type {
            case "external.payment.success":
                _ = try JSONDecoder().decode(
                    AndroidModels.Notification<AndroidModels.PaymentSuccess>.self, from: payload)
            case "external.payment.failed":
                _ = try JSONDecoder().decode(
                    AndroidModels.Notification<AndroidModels.PaymentFailed>.self, from: payload)
            case "access.granted":
                _ = try JSONDecoder().decode(AndroidModels.Notification<AndroidModels.ItemAccess>.self, from: payload)
            default: break
            }
            return ios.type
        }
        #expect(Set(types) == ["external.payment.success", "external.payment.failed", "access.granted"])
    }

    private func all(
        _ path: String, _ token: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ decode: (InPlayerTestResponse) throws -> Void
    ) async throws {
        let response = try await harness.call(path, token: token)
        #expect(response.status == 200, "\(path) \(response.text)", sourceLocation: sourceLocation)
        #expect(throws: Never.self, "\(path) \(response.text.prefix(2000))", sourceLocation: sourceLocation) {
            try decode(response)
        }
    }
}
