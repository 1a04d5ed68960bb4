import Foundation
import JSON
import StoreFixtures
import TestSupport
import Testing

@Suite("Refund notification from Apple")
struct RefundTests {
    /// Returns Apple's transaction for the single purchase of ``StoreSuiteHarness/purchases``.
    private func word(revoked: Date?) throws -> JSONValue {
        SignedFormats.transaction(
            "3001", product: StoreSuiteHarness.month(6),
            purchased: try Date("2026-07-01T00:00:00Z", strategy: .iso8601),
            expires: nil, signed: .now,
            with: [
                "type": "Non-Consumable", "revocationDate": revoked.map { TestDates.milliseconds($0) } ?? .null,
            ])
    }

    private func opens(_ receipt: String, _ harness: StoreSuiteHarness) async throws -> Bool {
        let response = try await harness.http.post(
            "/api/receipt.json", [("Content-Type", "application/x-www-form-urlencoded")],
            Array(
                "id=\(StoreSuiteHarness.app)&data=\(receipt.formEncoded)&product_identifier=\(StoreSuiteHarness.month(6))"
                    .utf8))
        return response.text.contains(#""status":"ok""#)
    }

    @Test("Revokes the edition at every front door across a restart, and its reversal restores it")
    func refunded() async throws {
        try await StoreSuiteHarness.with { harness in
            let client = harness.baker("tablet")
            let receipt = try await harness.unified(StoreSuiteHarness.purchases)
            let all: Set = [StoreSuiteHarness.month(3), StoreSuiteHarness.month(4), StoreSuiteHarness.month(6)]
            try await withServer(harness.launch) { _ in
                try await client.showCatalogue()
                #expect(
                    try await client.buy(
                        BakerClient.Transaction(productID: StoreSuiteHarness.month(6), receipt: receipt)))
                #expect(await client.products == all)
                #expect(try await opens(receipt, harness))
                let reported = try await harness.notify("REFUND", of: try word(revoked: .now))
                #expect(reported.status == 200, "\(reported.text)")
            }
            try await withServer(harness.launch) { _ in
                try await client.refreshPurchases()
                #expect(await client.products == [StoreSuiteHarness.month(3), StoreSuiteHarness.month(4)])
                #expect(try await client.download(named: StoreSuiteHarness.month(6)).status == 403)
                // The receipt predates the refund and does not contain it.
                #expect(try await !opens(receipt, harness))
                let credentials = try await harness.http.post(
                    "/daily/edition_credentials/itunes?productid=\(StoreSuiteHarness.month(6))", [], Array(receipt.utf8)
                )
                #expect(credentials.text.contains("<error status=\"notentitled\""), "\(credentials.text)")

                let reversed = try await harness.notify("REFUND_REVERSED", of: try word(revoked: nil))
                #expect(reversed.status == 200, "\(reversed.text)")
                try await client.refreshPurchases()
                #expect(await client.products == all)
                #expect(try await client.download(named: StoreSuiteHarness.month(6)).status == 200)
                #expect(try await opens(receipt, harness))
            }
        }
    }

    @Test("Ignores and does not store a refund with a foreign signature")
    func forged() async throws {
        try await StoreSuiteHarness.served { harness in
            let client = harness.baker("tablet")
            let receipt = try await harness.unified(StoreSuiteHarness.purchases)
            #expect(
                try await client.buy(BakerClient.Transaction(productID: StoreSuiteHarness.month(6), receipt: receipt)))
            let reported = try await harness.notify("REFUND", of: try word(revoked: .now), signedBy: SigningAuthority())
            #expect(reported.status == 400, "\(reported.text)")
            try await client.refreshPurchases()
            #expect(await client.products?.contains(StoreSuiteHarness.month(6)) == true)
            #expect(try await harness.count("SELECT count(*) FROM store_event") == 0)
        }
    }
}
