import Foundation
import JSON
import StoreFixtures
import TestSupport
import Testing

@Suite("One person at three front doors")
struct OnePersonTests {
    /// Returns the editions that a Basispress app gets for its receipts.
    private func basispress(_ receipts: [String], _ harness: StoreSuiteHarness) async throws -> Set<String> {
        var editions: Set<String> = []
        for receipt in receipts {
            for number in 1...6 {
                let edition = StoreSuiteHarness.month(number)
                let response = try await harness.http.send(
                    "GET",
                    "/api/receipt.json?id=\(StoreSuiteHarness.app)&data=\(receipt.formEncoded)&product_identifier=\(edition)"
                )
                let value = try JSONParser.parse(response.body)
                guard value["status"]?.text == "ok", let url = value["download_url"]?.text else { continue }
                let file = try await harness.http.send("GET", String(url.dropFirst(harness.base.count)))
                #expect(file.text == "the archive of month \(number)")
                editions.insert(edition)
            }
        }
        return editions
    }

    @Test("Gets the same editions by token and by linked installation, and purchases by receipt")
    func same() async throws {
        try await StoreSuiteHarness.served { harness in
            let receipt = try await harness.unified(StoreSuiteHarness.purchases)
            let bought: Set = [3, 4, 6].reduce(into: Set<String>()) { $0.insert(StoreSuiteHarness.month($1)) }
            let client = harness.baker("tablet")
            #expect(
                try await client.buy(BakerClient.Transaction(productID: StoreSuiteHarness.month(6), receipt: receipt)))
            #expect(await client.products == bought)
            // The free edition needs no receipt.
            #expect(try await basispress([receipt], harness) == bought.union([StoreSuiteHarness.free]))

            let token = try await harness.signIn()
            #expect(try await harness.issues(token: token) == [StoreSuiteHarness.free, StoreSuiteHarness.month(2)])
            let linked = try await harness.http.post(
                "/daily/link", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("token=\(token.formEncoded)&app_id=\(StoreSuiteHarness.app)&user_id=tablet".utf8))
            #expect(linked.status == 200, "\(linked.text)")

            let all = bought.union([StoreSuiteHarness.month(2)])
            #expect(try await harness.issues(token: token) == all.union([StoreSuiteHarness.free]))
            try await client.refreshPurchases()
            #expect(await client.products == all)
            for edition in all {
                let response = try await harness.http.send(
                    "GET", "/daily/edition_credentials?token=\(token.formEncoded)&product_id=\(edition)")
                #expect(response.element("userid") != nil, "\(edition)")
            }
            // A second device that is not linked has no purchases.
            let other = harness.baker("unlinked")
            try await other.refreshPurchases()
            #expect(await other.products == [])

            let unlinked = try await harness.http.post(
                "/daily/unlink", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("app_id=\(StoreSuiteHarness.app)&user_id=tablet".utf8))
            #expect(unlinked.status == 200, "\(unlinked.text)")
            #expect(try await harness.issues(token: token) == [StoreSuiteHarness.free, StoreSuiteHarness.month(2)])
            try await client.refreshPurchases()
            #expect(await client.products == bought)
        }
    }

    @Test("Signs in with a receipt through a chain that includes an ordinary backend")
    func receiptAsCredential() async throws {
        try await StoreSuiteHarness.served(change: { text in
            text.replacing(
                "  receipts: {kind",
                with: "  both: {kind: chain, members: [{backend: house}, {backend: receipts}]}\n  receipts: {kind"
            )
            .replacing("    backend: house", with: "    backend: both")
        }) { harness in
            let receipt = try await harness.unified(StoreSuiteHarness.purchases)
            let response = try await harness.http.post(
                "/daily/sign_in", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("receipt=\(receipt.formEncoded)".utf8))
            let token = try #require(response.element("token"), "\(response.text)")
            #expect(
                try await harness.issues(token: token) == [
                    StoreSuiteHarness.free, StoreSuiteHarness.month(3), StoreSuiteHarness.month(4),
                    StoreSuiteHarness.month(6),
                ])
            #expect(
                try await harness.issues(token: try await harness.signIn()) == [
                    StoreSuiteHarness.free, StoreSuiteHarness.month(2),
                ])
        }
    }
}
