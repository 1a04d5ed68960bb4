import Commerce
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import State
import TestSupport
import Testing

@Suite("Receipts or push tokens beyond the limit")
struct LimitedReceiptTests {
    @Test("yield 503 in Baker, so that the app keeps the purchase queued and retries")
    func baker() async throws {
        try await withStorefrontHarness(limits: ReceiptLimits(perHour: 2)) { storefrontHarness, client async throws in
            storefrontHarness.store.isReachable = false
            for number in 1...3 {
                let receipt = storefrontHarness.store.accept(
                    "\(number)", storefrontHarness.store.purchase("ed-08", id: "\(number)"))
                let response = try await client.send(
                    "/confirmpurchase/\(StorefrontHarness.app)/user-\(number)", "receipt_data=\(receipt.formEncoded)")
                #expect(response.status == (number < 3 ? .ok : .serviceUnavailable), "\(response.text)")
                #expect(response.headers[.retryAfter] == (number < 3 ? nil : "600"))
            }
            let app = storefrontHarness.baker(client)
            let receipt = storefrontHarness.store.accept("mine", storefrontHarness.store.purchase("ed-10", id: "9"))
            #expect(try await !app.buy(BakerClient.Transaction(productID: "ed-10", receipt: receipt)))
            #expect(await app.queue.count == 1)
            #expect(
                try await storefrontHarness.state.receiptCounts(in: PublicationID("daily")!).stores.values.map(
                    \.pending) == [2])
        }
    }

    @Test("yield 503 in Cloud Softphone's own format")
    func softphone() async throws {
        try await SoftphoneHarness.run(limits: ReceiptLimits(perOwner: 1)) { harness in
            harness.store.isReachable = false
            let client = CloudSoftphoneClient()
            #expect(try await client.call("credit5", receipt: "MIIBAAAA", port: harness.port).status == 200)
            let response = try await client.call("credit5", receipt: "MIIBBBBB", port: harness.port)
            #expect(response.status == 503 && response["Retry-After"] == "3600")
            #expect(response.text.contains("<message>"), "\(response.text)")
        }
    }

    @Test("yield 503 for new push tokens, while known tokens are still accepted")
    func pushTokens() async throws {
        try await withStorefrontHarness(pushTokensPerHour: 2) { storefrontHarness, client async throws in
            func launch(_ digit: String) async throws -> Int {
                try await storefrontHarness.baker(client).launch(pushToken: String(repeating: digit, count: 64)).status
            }
            #expect(try await launch("1") == 200)
            #expect(try await launch("2") == 200)
            #expect(try await launch("3") == 503)
            #expect(try await launch("1") == 200)
            storefrontHarness.clock.advance(by: 3_600)
            #expect(try await launch("3") == 200)
            #expect(
                try await storefrontHarness.state.countPushTokens(of: StorefrontHarness.app, in: .production, after: 0)
                    == 3)
        }
    }
}
