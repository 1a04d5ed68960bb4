import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@Suite("Linking an installation with a subscriber")
struct LinkingTests {
    private static let installation = "app_id=com.example.daily&user_id=\(Kiosk.user)"

    @Test("gives each what the other has, in every front door, until they are parted")
    func linking() async throws {
        try await withKiosk(policy: .issueBased) { kiosk, client async throws in
            kiosk.backend.answer(Subscription(state: .active, entitlement: .editions([EditionID("ed-10")!])))
            let app = kiosk.baker(client)
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-08", receipt: kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))))
            let token = try await kiosk.signIn()
            let linked = try await client.ask("/daily/link", "\(Self.installation)&token=\(token)")
            #expect(linked.status == .ok && linked.text == #"{"linked":true}"#)
            try await app.showShelf()
            #expect(await app.products == ["ed-10", "ed-08"])
            #expect(await app.isSubscribed)
            for edition in ["ed-08", "ed-10"] {
                let answer = try await client.ask("/edition_credentials?token=\(token)&product_id=\(edition)")
                #expect(answer.text.contains("<password>"))
                #expect(try await app.download(named: edition).status == 200)
            }
            let parted = try await client.ask("/unlink", Self.installation)
            #expect(parted.status == .ok && parted.text == #"{"linked":false}"#)
            try await app.refreshPurchases()
            #expect(await app.products == ["ed-08"])
            #expect(await !app.isSubscribed)
        }
    }

    @Test("needs a good token, an app of the publication and an installation, by POST")
    func refusals() async throws {
        try await withKiosk { kiosk, client async throws in
            let token = try await kiosk.signIn()
            for (path, body, status) in [
                ("/daily/link", "\(Self.installation)&token=x", HTTPResponse.Status.forbidden),
                ("/daily/link", Self.installation, .badRequest), ("/daily/link", "token=\(token)", .badRequest),
                ("/daily/link", "app_id=com.example.other&user_id=x&token=\(token)", .notFound),
                ("/other/link", "\(Self.installation)&token=\(token)", .notFound),
                ("/daily/unlink", "app_id=com.example.daily", .badRequest),
            ] {
                #expect(try await client.ask(path, body).status == status, "\(path) \(body)")
            }
            let get = try await client.ask("/daily/link?\(Self.installation)&token=\(token)")
            #expect(get.status == .methodNotAllowed)
            let json = #"{"app_id":"com.example.daily","user_id":"x","token":"\#(token)"}"#
            #expect(try await client.ask("/link", json, type: "application/json").status == .ok)
        }
    }
}
