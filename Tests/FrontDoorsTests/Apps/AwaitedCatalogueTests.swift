import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import TestSupport
import Testing

@Suite("A catalogue that is still pending")
struct AwaitedCatalogueTests {
    @Test("keeps the shelf, the downloads and the purchases of a Baker app")
    func baker() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-08",
                    receipt: storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))))
            try await app.showCatalogue()
            #expect(try await app.download(named: "ed-08").status == 200)
            storefrontHarness.catalogue.replace(with: .pending)
            try await app.showCatalogue()
            #expect(await app.issues.count == 4)
            #expect(await app.library == ["ed-08"])
            #expect(await app.products == ["ed-08"])
            #expect(try await app.download(named: "ed-08").status == 503)
            #expect(try await app.download(named: "sampler").status == 503)
            // A purchase made now is recorded all the same.
            let receipt = storefrontHarness.store.accept("two", storefrontHarness.store.purchase("ed-10", id: "2"))
            #expect(try await app.buy(BakerClient.Transaction(productID: "ed-10", receipt: receipt)))
            storefrontHarness.catalogue.replace(with: Catalogue(StorefrontHarness.editions))
            try await app.showCatalogue()
            #expect(await app.products == ["ed-08", "ed-10"])
        }
    }

    @Test(
        "yields 503 with Retry-After, in the format of the front door",
        arguments: [
            "/issues/com.example.daily/x", "/purchases/com.example.daily/x", "/issue/com.example.daily/x/ed-08",
            "/issue/com.example.daily/x/sampler", "/api/protocol.json?id=com.example.daily",
            "/api/receipt.json?id=com.example.daily&data=QUJD",
            "/api/receipt.json?id=com.example.daily&product_identifier=sampler",
        ])
    func unavailable(target: String) async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            storefrontHarness.catalogue.replace(with: .pending)
            let response = try await client.send(target)
            #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "30")
            #expect(try JSONParser.parse(Array(response.text.utf8))["error"]?.text != nil)
            #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            #expect(response.headers[.eTag] == nil)
        }
    }

    @Test("fails Basispress receipt requests with 503 instead of rejecting the receipt")
    func basispress() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            storefrontHarness.catalogue.replace(with: .pending)
            await #expect(throws: BasispressClient.SimulatedError.status(503)) {
                try await storefrontHarness.basispress(client).offer(receipt)
            }
        }
    }

    @Test("yields no issue list that depends on the catalogue, and opens no edition")
    func pugpig() async throws {
        for (policy, status) in [
            (EntitlementPolicy.periodBased, HTTPResponse.Status.serviceUnavailable),
            (.issueBased, .serviceUnavailable), (.accessBased, .ok),
        ] {
            try await withStorefrontHarness(policy: policy, sells: false) { storefrontHarness, client async throws in
                storefrontHarness.backend.response(
                    Subscription(state: .active, entitlement: .editions([EditionID("ed-10")!])))
                let token = try await storefrontHarness.signIn()
                storefrontHarness.catalogue.replace(with: .pending)
                #expect(try await client.send("/verify_subscription?token=\(token)").status == status)
                let rejected = try await client.send("/edition_credentials?token=\(token)&product_id=ed-10")
                #expect(rejected.status == .ok && !rejected.text.contains("<password>"))
                #expect(rejected.headers[.retryAfter] == "30")
                storefrontHarness.catalogue.replace(with: Catalogue(StorefrontHarness.editions))
                let granted = try await client.send("/edition_credentials?token=\(token)&product_id=ed-10")
                #expect(granted.text.contains("<password>"))
            }
        }
    }
}
