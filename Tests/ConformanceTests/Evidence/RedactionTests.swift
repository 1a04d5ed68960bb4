import Foundation
import Primitives
import TestSupport
import Testing

@testable import Conformance

@Suite("Redaction of secrets in a report")
struct RedactionTests {
    private func redaction(_ secrets: String...) -> Redaction { Redaction(secrets.map { Array($0.utf8) }) }

    private func quote(_ text: String, _ redaction: Redaction) -> String {
        Redaction.$current.withValue(redaction) { Printable.quote(text) }
    }

    @Test("removes every encoded form of a secret as a whole, in any letter case")
    func forms() {
        let secret = "S3cret<&>Token+of a “reader”/\u{E4}"
        let redaction = redaction(secret, "Marker-5f0c")
        for form in TextSearch.forms(of: Array(secret.utf8)) {
            let text = String(decoding: form, as: UTF8.self)
            #expect(redaction.hidden("a \(text) b") == "a … b")
            #expect(quote(text, redaction) == "“…”", "\(text)")
        }
        #expect(redaction.hidden("marker-5f0c Marker-5f0cMarker-5f0c") == "… ……")
        #expect(redaction.hidden("Marker-5f and S3cret<&>") == "Marker-5f and S3cret<&>")
    }

    @Test("removes the beginning of a secret that a server truncated")
    func beginning() {
        #expect(redaction("0123456789abcdefghij").hidden("0123456789abcde, 0123456789a") == "…, 0123456789a")
        #expect(redaction("0123456789abcdef", "0123456789abXY").hidden("0123456789abXY!") == "…!")
    }

    @Test("happens before a quotation is truncated")
    func cut() {
        for secret in ["hunter2pw", "0123456789abcdefghij"] {
            for start in 60...80 {
                let quotation = quote(String(repeating: "x", count: start) + secret, redaction(secret))
                #expect(!quotation.contains(secret.prefix(3)), "\(quotation)")
            }
            for start in 980...1_000 {
                let text = String(repeating: "x", count: start) + secret
                let redacted = Redaction.$current.withValue(redaction(secret)) { Printable.redacted(text) }
                #expect(!redacted.contains(secret.prefix(3)), "\(redacted)")
            }
        }
    }

    @Test("also removes secrets that are not text")
    func bytes() {
        let secret: [UInt8] = [0xFF, 0x00, 0xC3, 0x28, 0x80, 0x99, 0xFE, 0x41]
        let redaction = Redaction([secret])
        let (base64, hexadecimal) = (Data(secret).base64EncodedString(), Hexadecimal.encode(secret))
        #expect(redaction.hidden("a \(base64) b \(hexadecimal)") == "a …= b …")
    }

    @Test("skips secrets so short that they match by chance, and leaves the report's own text alone")
    func short() throws {
        #expect(redaction("pan", "12345", "").hidden("pan 12345") == "pan 12345")
        let probe = Probe(
            .unknownReader, .signIn, [], .form, at: Endpoint(root: try #require(Address("http://127.0.0.1/test"))))
        let root = "<error status='notrecognised' global_auth_password='Cache-Control is missing'/>"
        let response = ReceivedResponse(
            status: 200, fields: [Field("Content-Type", "text/xml")], body: Array(root.utf8))
        let report = try judge(Exchange(probe, .success(response)))
        #expect(report["cache-refusal"]?.findings.map(\.text) == ["Cache-Control is missing"])
    }

    @Test("takes time independent of the number of secrets with the same beginning")
    func many() {
        let redaction = Redaction((0..<500).map { Array("the same beginning \($0)".utf8) })
        let text = String(repeating: "the same beginning 77 ", count: 40)
        #expect(redaction.hidden(text) == String(repeating: "… ", count: 40))
    }

    @Test("covers every place where a server can put a secret")
    func everywhere() async throws {
        let secrets = ["Marker-5f0c1d7e“x”", FakePublisherServer.secret]
        let report = try await check(
            FakePublisherServer { request, response in
                let words = [request["token"], request["password"], FakePublisherServer.secret].compactMap(\.self)
                guard request.path.hasPrefix("/test/"), response.status == 200 else { return }
                let kind = request.isCredentials ? FakePublisherServer.secret : words[0]
                response.text = response.text.replacing(
                    /state="[a-z]*"/, with: "state=\"\(FakePublisherServer.escape(kind))\""
                )
                .replacing(/status="[a-z]*"/, with: "status=\"\(FakePublisherServer.escape(kind))\"")
                response.set("Content-Type", "text/html; charset=\(kind.filter(\.isASCII))")
                response.set("Cache-Control", kind.filter(\.isASCII))
            },
            cases: { port in
                var cases = fakeServerCases(port)
                for index in cases.readers.indices {
                    cases.readers[index].signIn = cases.readers[index].signIn.map { fields in
                        fields.map { $0.name == "password" && $0.value != "pan" ? Field("password", secrets[0]) : $0 }
                    }
                }
                return cases
            })
        let texts = report.entries.flatMap(\.verdict.findings).map(\.text)
        for beginning in ["the state is “…”", "the status is “…”", "Content-Type is “text/html; charset=…”"] {
            #expect(texts.contains(beginning), "\(beginning) \(Set(texts))")
        }
        let encoder = JSONEncoder()
        let reports = [
            report.table(), report.html, String(decoding: report.junit(), as: UTF8.self),
            String(decoding: try encoder.encode(report), as: UTF8.self),
        ]
        for text in reports {
            for kind in ["llaevitca", "emosevitca", "5f0c1d7e", FakePublisherServer.secret] {
                #expect(!text.lowercased().contains(kind.lowercased()), "\(kind)")
            }
        }
    }
}
