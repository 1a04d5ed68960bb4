import Foundation
import JSON
import StoreBenches
import TestSupport
import Testing

@Suite("One person at three front doors")
struct OnePersonTests {
    /// The editions that a Basispress app gets with its receipts.
    private func basispress(_ receipts: [String], _ kiosk: Kiosk) async throws -> Set<String> {
        var editions: Set<String> = []
        for receipt in receipts {
            for number in 1...6 {
                let edition = Kiosk.month(number)
                let answer = try await kiosk.http.send(
                    "GET",
                    "/api/receipt.json?id=\(Kiosk.app)&data=\(receipt.formEncoded)&product_identifier=\(edition)")
                let value = try JSONParser.parse(answer.body)
                guard value["status"]?.text == "ok", let url = value["download_url"]?.text else { continue }
                let file = try await kiosk.http.send("GET", String(url.dropFirst(kiosk.base.count)))
                #expect(file.text == "the archive of month \(number)")
                editions.insert(edition)
            }
        }
        return editions
    }

    @Test("has the same by token, by installation once they are linked, and what was bought by receipt")
    func same() async throws {
        try await Kiosk.served { kiosk in
            let receipt = try await kiosk.unified(Kiosk.purchases)
            let bought: Set = [3, 4, 6].reduce(into: Set<String>()) { $0.insert(Kiosk.month($1)) }
            let client = kiosk.baker("tablet")
            #expect(try await client.buy(BakerClient.Transaction(productID: Kiosk.month(6), receipt: receipt)))
            #expect(await client.products == bought)
            // The free one needs no receipt.
            #expect(try await basispress([receipt], kiosk) == bought.union([Kiosk.free]))

            let token = try await kiosk.signIn()
            #expect(try await kiosk.issues(token: token) == [Kiosk.free, Kiosk.month(2)])
            let linked = try await kiosk.http.post(
                "/daily/link", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("token=\(token.formEncoded)&app_id=\(Kiosk.app)&user_id=tablet".utf8))
            #expect(linked.status == 200, "\(linked.text)")

            let all = bought.union([Kiosk.month(2)])
            #expect(try await kiosk.issues(token: token) == all.union([Kiosk.free]))
            try await client.refreshPurchases()
            #expect(await client.products == all)
            for edition in all {
                let answer = try await kiosk.http.send(
                    "GET", "/daily/edition_credentials?token=\(token.formEncoded)&product_id=\(edition)")
                #expect(answer.element("userid") != nil, "\(edition)")
            }
            // A second device that nobody linked has nothing of it.
            let other = kiosk.baker("unlinked")
            try await other.refreshPurchases()
            #expect(await other.products == [])

            let unlinked = try await kiosk.http.post(
                "/daily/unlink", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("app_id=\(Kiosk.app)&user_id=tablet".utf8))
            #expect(unlinked.status == 200, "\(unlinked.text)")
            #expect(try await kiosk.issues(token: token) == [Kiosk.free, Kiosk.month(2)])
            try await client.refreshPurchases()
            #expect(await client.products == bought)
        }
    }

    @Test("signs in with a receipt in a chain with an ordinary backend, each with what is theirs")
    func receiptAsCredential() async throws {
        try await Kiosk.served(change: { text in
            text.replacing(
                "  receipts: {kind",
                with: "  both: {kind: chain, members: [{backend: house}, {backend: receipts}]}\n  receipts: {kind"
            )
            .replacing("    backend: house", with: "    backend: both")
        }) { kiosk in
            let receipt = try await kiosk.unified(Kiosk.purchases)
            let answer = try await kiosk.http.post(
                "/daily/sign_in", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("receipt=\(receipt.formEncoded)".utf8))
            let token = try #require(answer.element("token"), "\(answer.text)")
            #expect(
                try await kiosk.issues(token: token) == [Kiosk.free, Kiosk.month(3), Kiosk.month(4), Kiosk.month(6)])
            #expect(try await kiosk.issues(token: try await kiosk.signIn()) == [Kiosk.free, Kiosk.month(2)])
        }
    }
}
