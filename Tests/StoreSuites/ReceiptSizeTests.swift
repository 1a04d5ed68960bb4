import Foundation
import JSON
import StoreBenches
import TestSupport
import Testing

@Suite("The size of a receipt", .timeLimit(.minutes(10)))
struct ReceiptSizeTests {
    private static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"
    private static let product = Kiosk.month(5)
    private static let form = [("Content-Type", "application/x-www-form-urlencoded")]
    private static let longest = 256 << 10
    private static let largestBody = 1 << 20
    private static let confirmation = "/confirmpurchase/\(Kiosk.app)/3F2A-8"
    private static let pugpig = "/daily/edition_credentials/itunes?productid=\(product)"

    private static func configuration(_ text: String) -> String {
        Kiosk.withSoftphone(text)
            .replacing("    baker: {}", with: "    inplayer: {merchant: \(merchant)}\n    baker: {}")
    }

    /// A good receipt of so many letters, a multiple of four: the spaces behind what it tells say nothing.
    private static func receipt(_ letters: Int, transaction: String) -> String {
        let told = TestTransactionReceipt(bundle: Kiosk.app, product: product, transaction: transaction).bytes
        let spaces = [UInt8](repeating: 0x20, count: letters / 4 * 3 - told.count)
        return Data(told + spaces).base64EncodedString()
    }

    /// How a front door is given a receipt.
    private struct Door: Sendable {
        let name: String
        /// The longest that it takes, in letters.
        let most: Int
        let path: String
        var fields = ReceiptSizeTests.form
        /// The fields of the form before the receipt.
        let form: String
        let takes: @Sendable (RawResponse) -> Bool
        let refuses: @Sendable (RawResponse) -> Bool

        func answer(_ receipt: String, _ kiosk: Kiosk) async throws -> RawResponse {
            try await kiosk.http.post(path, fields, Array("\(form)=\(receipt.formEncoded)".utf8))
        }
    }

    private static func doors(_ token: String) -> [Door] {
        [
            Door(
                name: "Baker", most: longest, path: confirmation, form: "type=issue&receipt_data",
                takes: { $0.status == 200 && $0.text.contains("recorded") }, refuses: { $0.status == 400 }),
            Door(
                name: "Basispress", most: longest, path: "/api/receipt.json",
                form: "id=\(Kiosk.app)&product_identifier=\(product)&data",
                takes: { $0.text.contains(#""status":"ok""#) }, refuses: { $0.text == #"{"status":"failed"}"# }),
            Door(
                name: "InPlayer", most: longest, path: "/daily/external-payments/apple/validate",
                fields: form + [("Authorization", "Bearer \(token)")], form: "product_name=\(product)&receipt",
                takes: { $0.status == 200 }, refuses: { $0.status == 422 }),
            Door(
                name: "Cloud Softphone", most: 264 << 10, path: "/daily/iap",
                form: "productCode=\(product)&username=1001&receipt",
                takes: { $0.status == 200 }, refuses: { $0.status == 400 }),
        ]
    }

    private static func token(_ kiosk: Kiosk) async throws -> String {
        let answer = try await kiosk.http.post(
            "/daily/accounts/authenticate", form,
            Array(
                "client_id=\(merchant)&grant_type=password&username=\(Kiosk.ada.email)&password=\(Kiosk.ada.password.formEncoded)"
                    .utf8))
        return try #require(try JSONParser.parse(answer.body)["access_token"]?.text, "\(answer.text)")
    }

    @Test("is 256 KB where Baker, Basispress and InPlayer hand it in, 264 KB at Cloud Softphone, and not a byte more")
    func letters() async throws {
        try await Kiosk.served(change: Self.configuration) { kiosk in
            let token = try await Self.token(kiosk)
            for (number, door) in Self.doors(token).enumerated() {
                // A line end says nothing in a receipt, so that only its length can be what is wrong.
                let short = Self.receipt(4_000, transaction: "96\(number)1")
                let told = try await door.answer("\(short)\n", kiosk)
                #expect(door.takes(told), "\(door.name): \(told)")
                let long = Self.receipt(door.most, transaction: "96\(number)2")
                #expect(long.utf8.count == door.most)
                let refused = try await door.answer("\(long)\n", kiosk)
                #expect(door.refuses(refused), "\(door.name): \(refused)")
                let taken = try await door.answer(long, kiosk)
                #expect(door.takes(taken), "\(door.name): \(taken)")
            }
        }
    }

    /// The statuses that a body is answered with, once announced by its length and once in chunks.
    private func statuses(_ path: String, _ body: String, _ kiosk: Kiosk) async throws -> [Int] {
        let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        let size = String(body.utf8.count, radix: 16)
        var statuses: [Int] = []
        for rest in [
            "Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
            "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n",
        ] {
            statuses += try await kiosk.http.statuses(Array("\(head)\(rest)".utf8))
        }
        return statuses
    }

    @Test("makes a body of 1 MB at most, escaped or as it is; a byte more is 413")
    func bodies() async throws {
        try await Kiosk.served(change: Self.configuration) { kiosk in
            // As long as the longest receipt can get.
            let escaped = Self.receipt(Self.longest, transaction: "9701").utf8
                .map { "%" + String($0, radix: 16) }.joined()
            let form = "receipt_data=\(escaped)"
            let most = form + String(repeating: "&", count: Self.largestBody - form.utf8.count)
            #expect(try await statuses(Self.confirmation, most, kiosk) == [200, 200])
            #expect(try await statuses(Self.confirmation, "\(most)&", kiosk) == [413, 413])

            let receipt = Self.receipt(Self.longest, transaction: "9702")
            let lines = receipt + String(repeating: "\n", count: Self.largestBody - receipt.utf8.count)
            let opened = try await kiosk.http.post(Self.pugpig, [], Array(lines.utf8))
            #expect(opened.element("password") != nil, "\(opened)")
            #expect(try await statuses(Self.pugpig, "\(lines)\n", kiosk) == [413, 413])
        }
    }
}
