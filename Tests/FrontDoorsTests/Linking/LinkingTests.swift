import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@Suite("Link between an installation and a subscriber")
struct LinkingTests {
    private static let installation = "app_id=com.example.daily&user_id=\(StorefrontHarness.user)"

    @Test("Shares purchases and subscription in every front door until it is removed")
    func linking() async throws {
        try await withStorefrontHarness(policy: .issueBased) { storefrontHarness, client async throws in
            storefrontHarness.backend.response(
                Subscription(state: .active, entitlement: .editions([EditionID("ed-10")!])))
            let app = storefrontHarness.baker(client)
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-08",
                    receipt: storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))))
            let token = try await storefrontHarness.signIn()
            let linked = try await client.send("/daily/link", "\(Self.installation)&token=\(token)")
            #expect(linked.status == .ok && linked.text == #"{"linked":true}"#)
            try await app.showCatalogue()
            #expect(await app.products == ["ed-10", "ed-08"])
            #expect(await app.isSubscribed)
            for edition in ["ed-08", "ed-10"] {
                let response = try await client.send("/edition_credentials?token=\(token)&product_id=\(edition)")
                #expect(response.text.contains("<password>"))
                #expect(try await app.download(named: edition).status == 200)
            }
            let parted = try await client.send("/unlink", Self.installation)
            #expect(parted.status == .ok && parted.text == #"{"linked":false}"#)
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-08"])
            #expect(await !app.isSubscribed)
        }
    }

    @Test("Needs a valid token, an app of the publication and an installation, sent by POST")
    func rejections() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let token = try await storefrontHarness.signIn()
            for (path, body, status) in [
                ("/daily/link", "\(Self.installation)&token=x", HTTPResponse.Status.forbidden),
                ("/daily/link", Self.installation, .badRequest), ("/daily/link", "token=\(token)", .badRequest),
                ("/daily/link", "app_id=com.example.other&user_id=x&token=\(token)", .notFound),
                ("/other/link", "\(Self.installation)&token=\(token)", .notFound),
                ("/daily/unlink", "app_id=com.example.daily", .badRequest),
            ] {
                #expect(try await client.send(path, body).status == status, "\(path) \(body)")
            }
            let get = try await client.send("/daily/link?\(Self.installation)&token=\(token)")
            #expect(get.status == .methodNotAllowed)
            let json = #"{"app_id":"com.example.daily","user_id":"x","token":"\#(token)"}"#
            #expect(try await client.send("/link", json, type: "application/json").status == .ok)
        }
    }
}
