import Foundation
import Gatefold
import HTTPTypes
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Cloud Softphone responses")
struct SoftphoneResponseTests {
    private static let rejectionMessage = "A & B <c> \"d\" é=+"
    private static let messages = Messages(
        [
            "en": [.purchaseRejected: rejectionMessage],
            "de": [.purchaseRejected: "Der Kauf ließ sich nicht bestätigen."],
        ])

    @Test("hold a message in the configured format", arguments: CloudSoftphone.Format.allCases)
    func forms(_ form: CloudSoftphone.Format) async throws {
        try await SoftphoneHarness.run({ $0.form = form }, messages: Self.messages) { harness in
            let response = try await CloudSoftphoneClient().call("credit5", receipt: "MIIB", port: harness.port)
            let expected: MessageFormat =
                switch form {
                case .xml, .accept: .xml
                case .json: .json
                case .form: .form
                }
            #expect(response["Content-Type"] == expected.type)
            #expect(
                try await CloudSoftphoneClient().buy("credit5", receipt: "MIIB", port: harness.port)
                    == .failed(status: 403, message: Self.rejectionMessage))
            #expect(response["Cache-Control"]?.contains("no-store") == true)
        }
    }

    @Test(
        "follow the Accept header if so configured",
        arguments: [
            ("application/json", MessageFormat.json), ("text/html, application/x-www-form-urlencoded;q=0.9", .form),
            ("application/xml;q=0.1, application/json;q=0.2", .json), ("*/*", .xml), ("", .xml),
            ("application/json;q=0", .xml), ("application/json;q=nan", .xml), ("TEXT/XML", .xml),
            ("application/json;q=0.5, application/xml", .xml), (";;,,q=1", .xml),
        ])
    func accept(_ header: String, _ form: MessageFormat) async throws {
        #expect(MessageFormat(.accept, accept: header) == form)
        #expect(MessageFormat(.xml, accept: header) == .xml)
    }

    @Test("use the language of the user")
    func languages() async throws {
        try await SoftphoneHarness.run(messages: Self.messages) { (harness: SoftphoneHarness) async throws in
            var client = CloudSoftphoneClient()
            client.headers = [("Accept-Language", "de-AT,en;q=0.5")]
            #expect(
                try await client.buy("credit5", receipt: "MIIB", port: harness.port)
                    == .failed(status: 403, message: "Der Kauf ließ sich nicht bestätigen."))
        }
    }

    @Test("list the allowed methods")
    func methods() async throws {
        try await SoftphoneHarness.run({ $0.methods = [.post] }) { harness in
            let response = try await CloudSoftphoneClient().call("credit5", receipt: "MIIB", port: harness.port)
            #expect(response.status == 405 && response["Allow"] == "POST, OPTIONS")
            #expect(response.element("message")?.isEmpty == false)
            var client = CloudSoftphoneClient(method: "OPTIONS")
            #expect(try await client.call("credit5", receipt: "MIIB", port: harness.port).status == 204)
            client = CloudSoftphoneClient(url: "/title/other", method: "GET")
            #expect(try await client.call("credit5", receipt: "MIIB", port: harness.port).status == 404)
        }
    }

    @Test("hold a message for a body that is too large or of another type")
    func bodies() async throws {
        try await SoftphoneHarness.run { harness in
            var client = CloudSoftphoneClient.form
            client.contentType = "text/plain"
            guard case .failed(415, .some) = try await client.buy("credit5", receipt: "MIIB", port: harness.port) else {
                return #expect(Bool(false))
            }
            client = .form
            let large = String(repeating: "A", count: 1 << 20)
            guard case .failed(413, .some) = try await client.buy("credit5", receipt: large, port: harness.port) else {
                return #expect(Bool(false))
            }
            // Receipts of readers with many purchases reach this length.
            harness.store.sell("credit5", receipt: String(large.prefix(200_000)), transaction: "7")
            #expect(
                try await client.buy("credit5", receipt: String(large.prefix(200_000)), port: harness.port)
                    == .delivered)
        }
    }
}
