import Foundation
import StoreBenches
import TestSupport
import Testing

/// PITFALLS row 18 through the whole program, in the front door's own way of saying no.
@Suite("Pitfall 18: a receipt that is not what it seems")
struct HostileReceiptTests {
    private func confirm(_ receipt: String, _ kiosk: Kiosk) async throws -> RawResponse {
        try await kiosk.http.post(
            "/confirmpurchase/\(Kiosk.app)/mallory", [("Content-Type", "application/x-www-form-urlencoded")],
            Array("receipt_data=\(receipt.formEncoded)&type=issue".utf8))
    }

    private func basispress(_ receipt: String, _ kiosk: Kiosk) async throws -> RawResponse {
        try await kiosk.http.post(
            "/api/receipt.json", [("Content-Type", "application/x-www-form-urlencoded")],
            Array("id=\(Kiosk.app)&data=\(receipt.formEncoded)".utf8))
    }

    @Test("is refused with its own status by Baker, fails at Basispress, and leaves nothing half-written")
    func refused() async throws {
        try await Kiosk.served { kiosk in
            let good = Array(Data(base64Encoded: try await kiosk.unified(Kiosk.purchases)) ?? Data())
            var changed = good
            changed[changed.count - 1] ^= 1
            let stranger = try await ReceiptAuthority()
            var payload = TestPayload(bundle: Kiosk.app, purchases: Kiosk.purchases)
            payload.created = "2026-11-20T10:00:00Z"
            kiosk.apple.statuses.withLock { $0 = ["6001": 21007, "6002": 21003, "6003": 21010] }
            let cases: [(String, String, Int)] = [
                ("of another app", try await kiosk.unified(Kiosk.purchases) { $0.bundle = "com.example.weekly" }, 404),
                (
                    "of the sandbox", try await kiosk.unified(Kiosk.purchases) { $0.environment = "ProductionSandbox" },
                    403
                ),
                ("with another last byte", Data(changed).base64EncodedString(), 403),
                (
                    "of a chain of somebody's own",
                    Data(try await stranger.sign(payload.bytes)).base64EncodedString(), 403
                ),
                ("that holds nothing", try await kiosk.unified([]), 400),
                ("that is rubbish", "bm90IGEgcmVjZWlwdA==", 400),
                ("that Apple knows as sandbox", Kiosk.single(Kiosk.month(5), transaction: "6001"), 403),
                ("that Apple did not sign", Kiosk.single(Kiosk.month(5), transaction: "6002"), 403),
                ("that Apple does not know", Kiosk.single(Kiosk.month(5), transaction: "6003"), 404),
                (
                    "of another app, of iOS 6",
                    Kiosk.single(Kiosk.month(5), transaction: "6004", bundle: "com.example.weekly"), 404
                ),
            ]
            for (name, receipt, status) in cases {
                let answer = try await confirm(receipt, kiosk)
                #expect(answer.status == status, "\(name): \(answer.text)")
                #expect(answer["Cache-Control"]?.contains("no-store") == true)
                let other = try await basispress(receipt, kiosk)
                #expect(other.status == 200, "\(name): \(other.text)")
                #expect(other.text == #"{"status":"failed"}"#, "\(name)")
            }
            for table in ["store_transaction", "claim", "delivery"] {
                #expect(try await kiosk.count("SELECT count(*) FROM \(table)") == 0)
            }
            let purchases = try await kiosk.http.send("GET", "/purchases/\(Kiosk.app)/mallory")
            #expect(purchases.text == #"{"issues":[],"subscribed":false}"#)
        }
    }

    @Test("the receipt of one issue does not open another at Basispress")
    func otherProduct() async throws {
        try await Kiosk.served { kiosk in
            let receipt = Kiosk.single(Kiosk.month(5), transaction: "7001")
            let own = try await kiosk.http.send(
                "GET", "/api/receipt.json?id=\(Kiosk.app)&data=\(receipt.formEncoded)")
            #expect(own.text.contains(#""status":"ok""#), "\(own.text)")
            let other = try await kiosk.http.send(
                "GET",
                "/api/receipt.json?id=\(Kiosk.app)&data=\(receipt.formEncoded)&product_identifier=\(Kiosk.month(6))")
            #expect(other.text == #"{"status":"failed"}"#)
        }
    }
}
