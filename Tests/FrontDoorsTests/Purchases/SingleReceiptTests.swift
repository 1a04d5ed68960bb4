import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

/// Checks that the receipt of one issue unlocks no other, whatever grace subscribers get.
@Suite("Receipt of a single issue, which must not open another")
struct SingleReceiptTests {
    private static let grace = GraceRules(previousOfHeld: 2, newestForActive: 2)
    private static let others = ["ed-08", "ed-09", "ed-12"]

    private func itunes(_ receipt: String, _ edition: String, _ client: any TestClientProtocol) async throws -> Bool {
        let response = try await client.send(
            "/edition_credentials/itunes?productid=\(edition)", receipt, type: "text/plain")
        return try PugpigDocumentResponse(response, .credentials).isGranted
    }

    @Test("Basispress opens only the bought issue", arguments: EntitlementPolicy.allCases)
    func basispress(policy: EntitlementPolicy) async throws {
        try await withStorefrontHarness(policy: policy, grace: Self.grace) { storefrontHarness, client async throws in
            let app = storefrontHarness.basispress(client)
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-10", id: "1"))
            #expect(try await app.offer(receipt)?.contains("/ed-10.hpub?") == true)
            for other in ["com.example.september"] + Self.others {
                #expect(try await app.offer(receipt, for: other) == nil, "\(other)")
            }
        }
    }

    @Test("Baker lists and downloads only the bought issue", arguments: EntitlementPolicy.allCases)
    func baker(policy: EntitlementPolicy) async throws {
        try await withStorefrontHarness(policy: policy, grace: Self.grace) { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            try await app.showCatalogue()
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-10",
                    receipt: storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-10", id: "1"))))
            #expect(await app.products == ["ed-10"])
            #expect(try await app.download(named: "ed-10").status == 200)
            for other in ["ed-08", "ed-09"] {
                let issue = try #require(await app.issue(other))
                #expect(await !app.isUnlocked(issue))
                #expect(try await app.download(issue).status == 403)
            }
        }
    }

    @Test("Pugpig opens only the bought issue, by receipt and by the token of a linked reader")
    func pugpig() async throws {
        try await withStorefrontHarness(policy: .issueBased, grace: Self.grace) {
            storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-10", id: "1"))
            storefrontHarness.backend.response(Subscription(state: .inactive))
            let token = try await storefrontHarness.signIn()
            try await storefrontHarness.baker(client).buy(BakerClient.Transaction(productID: "ed-10", receipt: receipt))
            _ = try await client.send(
                "/daily/link", "app_id=\(StorefrontHarness.app)&user_id=\(StorefrontHarness.user)&token=\(token)")
            for edition in ["ed-10"] + Self.others {
                #expect(try await itunes(receipt, edition, client) == (edition == "ed-10"), "\(edition)")
                let response = try await client.send("/edition_credentials?token=\(token)&product_id=\(edition)")
                #expect(
                    try PugpigDocumentResponse(response, .credentials).isGranted == (edition == "ed-10"), "\(edition)")
            }
            let listed = try PugpigDocumentResponse(
                try await client.send("/verify_subscription?token=\(token)"), .subscription)
            #expect(listed.issues == ["ed-10", "sampler"])
        }
    }

    @Test("A subscription receipt, in contrast, gets the grace of subscribers")
    func subscription() async throws {
        try await withStorefrontHarness(policy: .issueBased, grace: Self.grace) {
            storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept(
                "monthly",
                storefrontHarness.store.purchase("com.example.monthly", id: "1", at: "2026-09-15", until: "2026-10-15"))
            let app = storefrontHarness.basispress(client)
            for edition in ["ed-10", "com.example.september", "ed-08"] {
                #expect(try await app.offer(receipt, for: edition) != nil, "\(edition)")
                #expect(try await itunes(receipt, edition, client), "\(edition)")
            }
        }
    }
}
