import Foundation
import JSON
import StoreFixtures
import TestSupport
import Testing

@Suite("Size limits of receipts", .timeLimit(.minutes(10)))
struct ReceiptSizeTests {
    private static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"
    private static let product = StoreSuiteHarness.month(5)
    private static let form = [("Content-Type", "application/x-www-form-urlencoded")]
    private static let maxLength = 256 << 10
    private static let maxBodySize = 1 << 20
    private static let confirmation = "/confirmpurchase/\(StoreSuiteHarness.app)/3F2A-8"
    private static let pugpig = "/daily/edition_credentials/itunes?productid=\(product)"

    private static func configuration(_ text: String) -> String {
        StoreSuiteHarness.withSoftphone(text)
            .replacing("    baker: {}", with: "    inplayer: {merchant: \(merchant)}\n    baker: {}")
    }

    /// Returns a valid receipt of the given length, a multiple of four, padded with insignificant spaces.
    private static func receipt(_ letters: Int, transaction: String) -> String {
        let reported = TestTransactionReceipt(bundle: StoreSuiteHarness.app, product: product, transaction: transaction)
            .bytes
        let spaces = [UInt8](repeating: 0x20, count: letters / 4 * 3 - reported.count)
        return Data(reported + spaces).base64EncodedString()
    }

    /// A front door's entry point for receipts.
    private struct ReceiptEntryPoint: Sendable {
        let name: String
        /// The maximum receipt length in letters.
        let limit: Int
        let path: String
        var fields = ReceiptSizeTests.form
        /// The fields of the form before the receipt.
        let form: String
        let takes: @Sendable (RawResponse) -> Bool
        let rejects: @Sendable (RawResponse) -> Bool

        func response(_ receipt: String, _ harness: StoreSuiteHarness) async throws -> RawResponse {
            try await harness.http.post(path, fields, Array("\(form)=\(receipt.formEncoded)".utf8))
        }
    }

    private static func entryPoints(_ token: String) -> [ReceiptEntryPoint] {
        [
            ReceiptEntryPoint(
                name: "Baker", limit: maxLength, path: confirmation, form: "type=issue&receipt_data",
                takes: { $0.status == 200 && $0.text.contains("recorded") }, rejects: { $0.status == 400 }),
            ReceiptEntryPoint(
                name: "Basispress", limit: maxLength, path: "/api/receipt.json",
                form: "id=\(StoreSuiteHarness.app)&product_identifier=\(product)&data",
                takes: { $0.text.contains(#""status":"ok""#) }, rejects: { $0.text == #"{"status":"failed"}"# }),
            ReceiptEntryPoint(
                name: "InPlayer", limit: maxLength, path: "/daily/external-payments/apple/validate",
                fields: form + [("Authorization", "Bearer \(token)")], form: "product_name=\(product)&receipt",
                takes: { $0.status == 200 }, rejects: { $0.status == 422 }),
            ReceiptEntryPoint(
                name: "Cloud Softphone", limit: 264 << 10, path: "/daily/iap",
                form: "productCode=\(product)&username=1001&receipt",
                takes: { $0.status == 200 }, rejects: { $0.status == 400 }),
        ]
    }

    private static func token(_ harness: StoreSuiteHarness) async throws -> String {
        let response = try await harness.http.post(
            "/daily/accounts/authenticate", form,
            Array(
                "client_id=\(merchant)&grant_type=password&username=\(StoreSuiteHarness.ada.email)&password=\(StoreSuiteHarness.ada.password.formEncoded)"
                    .utf8))
        return try #require(try JSONParser.parse(response.body)["access_token"]?.text, "\(response.text)")
    }

    @Test("Accepts exactly 256 KB at Baker, Basispress and InPlayer, and 264 KB at Cloud Softphone")
    func letters() async throws {
        try await StoreSuiteHarness.served(change: Self.configuration) { harness in
            let token = try await Self.token(harness)
            for (number, entryPoint) in Self.entryPoints(token).enumerated() {
                // A line end is insignificant in a receipt, so only the length can cause a rejection.
                let short = Self.receipt(4_000, transaction: "96\(number)1")
                let reported = try await entryPoint.response("\(short)\n", harness)
                #expect(entryPoint.takes(reported), "\(entryPoint.name): \(reported)")
                let long = Self.receipt(entryPoint.limit, transaction: "96\(number)2")
                #expect(long.utf8.count == entryPoint.limit)
                let rejected = try await entryPoint.response("\(long)\n", harness)
                #expect(entryPoint.rejects(rejected), "\(entryPoint.name): \(rejected)")
                let taken = try await entryPoint.response(long, harness)
                #expect(entryPoint.takes(taken), "\(entryPoint.name): \(taken)")
            }
        }
    }

    /// Returns the statuses for a body sent once with Content-Length and once in chunks.
    private func statuses(_ path: String, _ body: String, _ harness: StoreSuiteHarness) async throws -> [Int] {
        let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        let size = String(body.utf8.count, radix: 16)
        var statuses: [Int] = []
        for rest in [
            "Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
            "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n",
        ] {
            statuses += try await harness.http.statuses(Array("\(head)\(rest)".utf8))
        }
        return statuses
    }

    @Test("Accepts a body of 1 MB, escaped or not, and rejects one more byte with 413")
    func bodies() async throws {
        try await StoreSuiteHarness.served(change: Self.configuration) { harness in
            // The longest form of the longest receipt.
            let escaped = Self.receipt(Self.maxLength, transaction: "9701").utf8
                .map { "%" + String($0, radix: 16) }.joined()
            let form = "receipt_data=\(escaped)"
            let limit = form + String(repeating: "&", count: Self.maxBodySize - form.utf8.count)
            #expect(try await statuses(Self.confirmation, limit, harness) == [200, 200])
            #expect(try await statuses(Self.confirmation, "\(limit)&", harness) == [413, 413])

            let receipt = Self.receipt(Self.maxLength, transaction: "9702")
            let lines = receipt + String(repeating: "\n", count: Self.maxBodySize - receipt.utf8.count)
            let opened = try await harness.http.post(Self.pugpig, [], Array(lines.utf8))
            #expect(opened.element("password") != nil, "\(opened)")
            #expect(try await statuses(Self.pugpig, "\(lines)\n", harness) == [413, 413])
        }
    }
}
