import Foundation
import TestSupport
import Testing

@testable import Conformance

/// Checks that a server cannot make the checker do something else.
@Suite("Hostile server")
struct HostileServerTests {
    @Test("cannot inject headers into the requests that use its credentials")
    func credentials() async throws {
        let record = RequestRecord()
        let report = try await check(
            FakePublisherServer { request, response in
                if request.isContent { record.add(request) }
                guard request.isCredentials else { return }
                response.text = response.text
                    .replacing("</password>", with: "\r\nX-Injected: 1</password>")
                    .replacing("<header ", with: "<header name=\"Transfer-Encoding\">chunked</header><header ")
            })
        #expect(report.broken.keys.contains("credentials-password-form"))
        let requests = record.requests
        #expect(!requests.isEmpty)
        for request in requests {
            #expect(request.header("X-Injected") == nil && request.header("Transfer-Encoding") == nil)
        }
        #expect(requests.contains { $0.header("X-Edge") == "a&b" })
    }

    @Test("ends the check when parsing its responses needs too much memory")
    func room() async throws {
        let large = "<x>\(String(repeating: "<y a='b'/>", count: 9_000))</x>"
        await #expect(throws: CheckRun.CheckFailure.self) {
            try await check(
                FakePublisherServer { _, response in
                    response.status = 200
                    response.text = large
                })
        }
    }

    @Test("cannot write long texts or an end of quotation into the report")
    func texts() throws {
        let accents = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(Printable.quote(accents).unicodeScalars.count == 83)
        #expect(Printable.quote("a” and all is well “b") == "“a\\u{201d} and all is well \\u{201c}b”")
        #expect(Printable.quote(String(repeating: "a", count: 80)).hasSuffix("a”"))
        #expect(Printable.quote(String(repeating: "a", count: 81)).hasSuffix("a…”"))
        let name = "a" + String(repeating: "b", count: 10_000)
        let probe = Probe(
            .unknownReader, .signIn, [], .form, at: Endpoint(root: try #require(Address("http://127.0.0.1/test"))))
        let response = ReceivedResponse(
            status: 200, fields: [Field("Cache-Control", "no-store"), Field("Content-Type", "text/xml")],
            body: Array("<\(name)/>".utf8))
        let report = try judge(Exchange(probe, .success(response)))
        let texts = report.entries.flatMap(\.verdict.findings).map(\.text)
        #expect(texts.contains { $0.hasPrefix("the root element is <abbb") } && texts.allSatisfy { $0.count <= 501 })
    }
}
