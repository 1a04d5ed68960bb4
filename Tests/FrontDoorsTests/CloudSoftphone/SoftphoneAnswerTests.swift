import Foundation
import Gatefold
import HTTPTypes
import TestSupport
import Testing

@testable import FrontDoors

@Suite("What Cloud Softphone is answered")
struct SoftphoneAnswerTests {
    private static let words = "A & B <c> \"d\" é=+"
    private static let messages = Messages(
        ["en": [.purchaseRefused: words], "de": [.purchaseRefused: "Der Kauf ließ sich nicht bestätigen."]])

    @Test("is a message in the form that was chosen", arguments: CloudSoftphone.Form.allCases)
    func forms(_ form: CloudSoftphone.Form) async throws {
        try await SoftphoneRig.run({ $0.form = form }, messages: Self.messages) { rig in
            let answer = try await CloudSoftphoneClient().call("credit5", receipt: "MIIB", port: rig.port)
            let expected: MessageForm =
                switch form {
                case .xml, .accept: .xml
                case .json: .json
                case .form: .form
                }
            #expect(answer["Content-Type"] == expected.type)
            #expect(
                try await CloudSoftphoneClient().buy("credit5", receipt: "MIIB", port: rig.port)
                    == .failed(status: 403, message: Self.words))
            #expect(answer["Cache-Control"]?.contains("no-store") == true)
        }
    }

    @Test(
        "is what the app accepts, where that is the choice",
        arguments: [
            ("application/json", MessageForm.json), ("text/html, application/x-www-form-urlencoded;q=0.9", .form),
            ("application/xml;q=0.1, application/json;q=0.2", .json), ("*/*", .xml), ("", .xml),
            ("application/json;q=0", .xml), ("application/json;q=nan", .xml), ("TEXT/XML", .xml),
            ("application/json;q=0.5, application/xml", .xml), (";;,,q=1", .xml),
        ])
    func accept(_ header: String, _ form: MessageForm) async throws {
        #expect(MessageForm(.accept, accept: header) == form)
        #expect(MessageForm(.xml, accept: header) == .xml)
    }

    @Test("is in the user's language")
    func languages() async throws {
        try await SoftphoneRig.run(messages: Self.messages) { (rig: SoftphoneRig) async throws in
            var client = CloudSoftphoneClient()
            client.headers = [("Accept-Language", "de-AT,en;q=0.5")]
            #expect(
                try await client.buy("credit5", receipt: "MIIB", port: rig.port)
                    == .failed(status: 403, message: "Der Kauf ließ sich nicht bestätigen."))
        }
    }

    @Test("names the methods there are")
    func methods() async throws {
        try await SoftphoneRig.run({ $0.methods = [.post] }) { rig in
            let answer = try await CloudSoftphoneClient().call("credit5", receipt: "MIIB", port: rig.port)
            #expect(answer.status == 405 && answer["Allow"] == "POST, OPTIONS")
            #expect(answer.element("message")?.isEmpty == false)
            var client = CloudSoftphoneClient(method: "OPTIONS")
            #expect(try await client.call("credit5", receipt: "MIIB", port: rig.port).status == 204)
            client = CloudSoftphoneClient(url: "/title/other", method: "GET")
            #expect(try await client.call("credit5", receipt: "MIIB", port: rig.port).status == 404)
        }
    }

    @Test("has a message also for a body that is too large or of another type")
    func bodies() async throws {
        try await SoftphoneRig.run { rig in
            var client = CloudSoftphoneClient.form
            client.contentType = "text/plain"
            guard case .failed(415, .some) = try await client.buy("credit5", receipt: "MIIB", port: rig.port) else {
                return #expect(Bool(false))
            }
            client = .form
            let large = String(repeating: "A", count: 1 << 20)
            guard case .failed(413, .some) = try await client.buy("credit5", receipt: large, port: rig.port) else {
                return #expect(Bool(false))
            }
            // Receipts of readers who bought often are this long.
            rig.store.sell("credit5", receipt: String(large.prefix(200_000)), transaction: "7")
            #expect(
                try await client.buy("credit5", receipt: String(large.prefix(200_000)), port: rig.port) == .delivered)
        }
    }
}
