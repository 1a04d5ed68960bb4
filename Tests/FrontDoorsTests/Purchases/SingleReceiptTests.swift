import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

/// PROTOCOLS 3: with the receipt of one issue no other must be unlocked, whatever grace subscribers get.
@Suite("The receipt of one issue opens no other, at every front door")
struct SingleReceiptTests {
    private static let grace = GraceRules(previousOfHeld: 2, newestForActive: 2)
    private static let others = ["ed-08", "ed-09", "ed-12"]

    private func itunes(_ receipt: String, _ edition: String, _ client: any TestClientProtocol) async throws -> Bool {
        let answer = try await client.ask(
            "/edition_credentials/itunes?productid=\(edition)", receipt, type: "text/plain")
        return try Answer(answer, .credentials).isGranted
    }

    @Test("Basispress", arguments: EntitlementPolicy.allCases)
    func basispress(policy: EntitlementPolicy) async throws {
        try await withKiosk(policy: policy, grace: Self.grace) { kiosk, client async throws in
            let app = kiosk.basispress(client)
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-10", id: "1"))
            #expect(try await app.offer(receipt)?.contains("/ed-10.hpub?") == true)
            for other in ["com.example.september"] + Self.others {
                #expect(try await app.offer(receipt, for: other) == nil, "\(other)")
            }
        }
    }

    @Test("Baker: listed and downloaded", arguments: EntitlementPolicy.allCases)
    func baker(policy: EntitlementPolicy) async throws {
        try await withKiosk(policy: policy, grace: Self.grace) { kiosk, client async throws in
            let app = kiosk.baker(client)
            try await app.showShelf()
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-10", receipt: kiosk.store.vouch("one", kiosk.store.purchase("ed-10", id: "1"))))
            #expect(await app.products == ["ed-10"])
            #expect(try await app.download(named: "ed-10").status == 200)
            for other in ["ed-08", "ed-09"] {
                let issue = try #require(await app.issue(other))
                #expect(await !app.isUnlocked(issue))
                #expect(try await app.download(issue).status == 403)
            }
        }
    }

    @Test("Pugpig: by the receipt, and by the token of whoever is linked with the buyer")
    func pugpig() async throws {
        try await withKiosk(policy: .issueBased, grace: Self.grace) { kiosk, client async throws in
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-10", id: "1"))
            kiosk.backend.answer(Subscription(state: .inactive))
            let token = try await kiosk.signIn()
            try await kiosk.baker(client).buy(BakerClient.Transaction(productID: "ed-10", receipt: receipt))
            _ = try await client.ask("/daily/link", "app_id=\(Kiosk.app)&user_id=\(Kiosk.user)&token=\(token)")
            for edition in ["ed-10"] + Self.others {
                #expect(try await itunes(receipt, edition, client) == (edition == "ed-10"), "\(edition)")
                let answer = try await client.ask("/edition_credentials?token=\(token)&product_id=\(edition)")
                #expect(try Answer(answer, .credentials).isGranted == (edition == "ed-10"), "\(edition)")
            }
            let listed = try Answer(try await client.ask("/verify_subscription?token=\(token)"), .subscription)
            #expect(listed.issues == ["ed-10", "sampler"])
        }
    }

    @Test("while a subscription's receipt has the grace of subscribers")
    func subscription() async throws {
        try await withKiosk(policy: .issueBased, grace: Self.grace) { kiosk, client async throws in
            let receipt = kiosk.store.vouch(
                "monthly", kiosk.store.purchase("com.example.monthly", id: "1", at: "2026-09-15", until: "2026-10-15"))
            let app = kiosk.basispress(client)
            for edition in ["ed-10", "com.example.september", "ed-08"] {
                #expect(try await app.offer(receipt, for: edition) != nil, "\(edition)")
                #expect(try await itunes(receipt, edition, client), "\(edition)")
            }
        }
    }
}
