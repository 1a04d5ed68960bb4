import Foundation
import JSON
import StoreBenches
import TestSupport
import Testing

@Suite("A refund that Apple tells of")
struct RefundTests {
    /// Apple's word on the single purchase of ``Kiosk/purchases``.
    private func word(revoked: Date?) throws -> JSONValue {
        SignedForms.transaction(
            "3001", product: Kiosk.month(6), purchased: try Date("2026-07-01T00:00:00Z", strategy: .iso8601),
            expires: nil, signed: .now,
            with: [
                "type": "Non-Consumable", "revocationDate": revoked.map { Moments.milliseconds($0) } ?? .null,
            ])
    }

    private func opens(_ receipt: String, _ kiosk: Kiosk) async throws -> Bool {
        let answer = try await kiosk.http.post(
            "/api/receipt.json", [("Content-Type", "application/x-www-form-urlencoded")],
            Array("id=\(Kiosk.app)&data=\(receipt.formEncoded)&product_identifier=\(Kiosk.month(6))".utf8))
        return answer.text.contains(#""status":"ok""#)
    }

    @Test("takes the edition away at every front door, over a restart, and its reversal gives it back")
    func refunded() async throws {
        try await Kiosk.with { kiosk in
            let client = kiosk.baker("tablet")
            let receipt = try await kiosk.unified(Kiosk.purchases)
            let all: Set = [Kiosk.month(3), Kiosk.month(4), Kiosk.month(6)]
            try await withServer(kiosk.launch) { _ in
                try await client.showShelf()
                #expect(try await client.buy(BakerClient.Transaction(productID: Kiosk.month(6), receipt: receipt)))
                #expect(await client.products == all)
                #expect(try await opens(receipt, kiosk))
                let told = try await kiosk.notify("REFUND", of: try word(revoked: .now))
                #expect(told.status == 200, "\(told.text)")
            }
            try await withServer(kiosk.launch) { _ in
                try await client.refreshPurchases()
                #expect(await client.products == [Kiosk.month(3), Kiosk.month(4)])
                #expect(try await client.download(named: Kiosk.month(6)).status == 403)
                // The receipt is of before the refund, and says nothing of it.
                #expect(try await !opens(receipt, kiosk))
                let credentials = try await kiosk.http.post(
                    "/daily/edition_credentials/itunes?productid=\(Kiosk.month(6))", [], Array(receipt.utf8))
                #expect(credentials.text.contains("<error status=\"notentitled\""), "\(credentials.text)")

                let reversed = try await kiosk.notify("REFUND_REVERSED", of: try word(revoked: nil))
                #expect(reversed.status == 200, "\(reversed.text)")
                try await client.refreshPurchases()
                #expect(await client.products == all)
                #expect(try await client.download(named: Kiosk.month(6)).status == 200)
                #expect(try await opens(receipt, kiosk))
            }
        }
    }

    @Test("by somebody else's signature takes nothing away, and is not taken in")
    func forged() async throws {
        try await Kiosk.served { kiosk in
            let client = kiosk.baker("tablet")
            let receipt = try await kiosk.unified(Kiosk.purchases)
            #expect(try await client.buy(BakerClient.Transaction(productID: Kiosk.month(6), receipt: receipt)))
            let told = try await kiosk.notify("REFUND", of: try word(revoked: .now), signedBy: SigningAuthority())
            #expect(told.status == 400, "\(told.text)")
            try await client.refreshPurchases()
            #expect(await client.products?.contains(Kiosk.month(6)) == true)
            #expect(try await kiosk.count("SELECT count(*) FROM store_event") == 0)
        }
    }
}
