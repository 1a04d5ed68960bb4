import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import TestSupport
import Testing

@Suite("While a publication's catalogue has not come yet")
struct AwaitedCatalogueTests {
    @Test("a Baker app keeps its shelf, what it downloaded and what it bought")
    func baker() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-08", receipt: kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))))
            try await app.showShelf()
            #expect(try await app.download(named: "ed-08").status == 200)
            kiosk.catalogue.replace(with: .awaited)
            try await app.showShelf()
            #expect(await app.issues.count == 4)
            #expect(await app.library == ["ed-08"])
            #expect(await app.products == ["ed-08"])
            #expect(try await app.download(named: "ed-08").status == 503)
            #expect(try await app.download(named: "sampler").status == 503)
            // What is bought now is on record all the same.
            let receipt = kiosk.store.vouch("two", kiosk.store.purchase("ed-10", id: "2"))
            #expect(try await app.buy(BakerClient.Transaction(productID: "ed-10", receipt: receipt)))
            kiosk.catalogue.replace(with: Catalogue(Kiosk.editions))
            try await app.showShelf()
            #expect(await app.products == ["ed-08", "ed-10"])
        }
    }

    @Test(
        "the answer is 503 in the door's own form, and when to ask again",
        arguments: [
            "/issues/com.example.daily/x", "/purchases/com.example.daily/x", "/issue/com.example.daily/x/ed-08",
            "/issue/com.example.daily/x/sampler", "/api/protocol.json?id=com.example.daily",
            "/api/receipt.json?id=com.example.daily&data=QUJD",
            "/api/receipt.json?id=com.example.daily&product_identifier=sampler",
        ])
    func unavailable(target: String) async throws {
        try await withKiosk { kiosk, client async throws in
            kiosk.catalogue.replace(with: .awaited)
            let answer = try await client.ask(target)
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30")
            #expect(try JSONParser.parse(Array(answer.text.utf8))["error"]?.text != nil)
            #expect(answer.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            #expect(answer.headers[.eTag] == nil)
        }
    }

    @Test("no Basispress receipt is refused")
    func basispress() async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))
            kiosk.catalogue.replace(with: .awaited)
            await #expect(throws: BasispressClient.Broken.status(503)) {
                try await kiosk.basispress(client).offer(receipt)
            }
        }
    }

    @Test("no list of editions is told without those that only the catalogue knows, and no edition is opened")
    func pugpig() async throws {
        for (policy, status) in [
            (EntitlementPolicy.periodBased, HTTPResponse.Status.serviceUnavailable),
            (.issueBased, .serviceUnavailable), (.accessBased, .ok),
        ] {
            try await withKiosk(policy: policy, sells: false) { kiosk, client async throws in
                kiosk.backend.answer(Subscription(state: .active, entitlement: .editions([EditionID("ed-10")!])))
                let token = try await kiosk.signIn()
                kiosk.catalogue.replace(with: .awaited)
                #expect(try await client.ask("/verify_subscription?token=\(token)").status == status)
                let refused = try await client.ask("/edition_credentials?token=\(token)&product_id=ed-10")
                #expect(refused.status == .ok && !refused.text.contains("<password>"))
                #expect(refused.headers[.retryAfter] == "30")
                kiosk.catalogue.replace(with: Catalogue(Kiosk.editions))
                let granted = try await client.ask("/edition_credentials?token=\(token)&product_id=ed-10")
                #expect(granted.text.contains("<password>"))
            }
        }
    }
}
