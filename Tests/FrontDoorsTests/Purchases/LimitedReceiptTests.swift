import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import State
import TestSupport
import Testing

@Suite("More receipts or push tokens than may be kept")
struct LimitedReceiptTests {
    @Test("are never answered as if they were: Baker says 503, keeps the purchase in its queue and comes again")
    func baker() async throws {
        try await withKiosk(limits: ReceiptLimits(perHour: 2)) { kiosk, client async throws in
            kiosk.store.isReachable = false
            for number in 1...3 {
                let receipt = kiosk.store.vouch("\(number)", kiosk.store.purchase("ed-08", id: "\(number)"))
                let answer = try await client.ask(
                    "/confirmpurchase/\(Kiosk.app)/user-\(number)", "receipt_data=\(receipt.formEncoded)")
                #expect(answer.status == (number < 3 ? .ok : .serviceUnavailable), "\(answer.text)")
                #expect(answer.headers[.retryAfter] == (number < 3 ? nil : "600"))
            }
            let app = kiosk.baker(client)
            let receipt = kiosk.store.vouch("mine", kiosk.store.purchase("ed-10", id: "9"))
            #expect(try await !app.buy(BakerClient.Transaction(productID: "ed-10", receipt: receipt)))
            #expect(await app.queue.count == 1)
            #expect(try await kiosk.state.standings(in: PublicationID("daily")!).stores.values.map(\.waiting) == [2])
        }
    }

    @Test("are never answered as if they were: Cloud Softphone says so in its own form")
    func softphone() async throws {
        try await SoftphoneRig.run(limits: ReceiptLimits(ofOwner: 1)) { rig in
            rig.store.isReachable = false
            let client = CloudSoftphoneClient()
            #expect(try await client.call("credit5", receipt: "MIIBAAAA", port: rig.port).status == 200)
            let answer = try await client.call("credit5", receipt: "MIIBBBBB", port: rig.port)
            #expect(answer.status == 503 && answer["Retry-After"] == "3600")
            #expect(answer.text.contains("<message>"), "\(answer.text)")
        }
    }

    @Test("of tokens: 503, and those that are known go on being taken")
    func pushTokens() async throws {
        try await withKiosk(pushTokensPerHour: 2) { kiosk, client async throws in
            func launch(_ digit: String) async throws -> Int {
                try await kiosk.baker(client).launch(pushToken: String(repeating: digit, count: 64)).status
            }
            #expect(try await launch("1") == 200)
            #expect(try await launch("2") == 200)
            #expect(try await launch("3") == 503)
            #expect(try await launch("1") == 200)
            kiosk.clock.advance(by: 3_600)
            #expect(try await launch("3") == 200)
            #expect(try await kiosk.state.countPushTokens(of: Kiosk.app, in: .production, after: 0) == 3)
        }
    }
}
