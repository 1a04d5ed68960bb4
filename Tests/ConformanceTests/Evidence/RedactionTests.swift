import Foundation
import TestSupport
import Testing

@testable import Conformance

@Suite("What is secret is taken out of a report")
struct RedactionTests {
    @Test("whole, or the beginning of it where a quotation was cut, in every form it may be written in")
    func forms() {
        let redaction = Redaction(["s3cret<&>token of a reader", "marker-5f0c"])
        #expect(redaction.hidden("the state is s3cret<&>token of a reader, not active") == "the state is …, not active")
        #expect(redaction.hidden("“s3cret&lt;&amp;&gt;token of…”") == "“……”")
        #expect(redaction.hidden("“s3cret<&>token…”") == "“……”")
        for form in Trace.forms(of: "s3cret<&>token of a reader") {
            #expect(redaction.hidden("a \(String(decoding: form, as: UTF8.self)) b") == "a … b")
        }
        #expect(redaction.hidden("marker-5f0c marker-5f0c") == "… …")
        #expect(redaction.hidden("marker-5f and s3cret<&>") == "marker-5f and s3cret<&>")
    }

    @Test("but not where it is so short that it stands anywhere by chance")
    func short() {
        #expect(Redaction(["pan", "12345", ""]).hidden("pan 12345") == "pan 12345")
    }

    @Test("as a report prints it")
    func printed() {
        let secret = "one\ntwo\u{202E}three"
        #expect(Redaction([secret]).hidden(Printable.quote(secret)) == "“…”")
    }

    @Test("wherever a server puts it")
    func everywhere() async throws {
        let report = try await check(
            StandIn { request, answer in
                let words = [request["token"], request["password"]].compactMap(\.self).map(StandIn.escape)
                guard let word = words.first, request.path.hasPrefix("/test/"), answer.status == 200 else { return }
                answer.text = answer.text.replacing(/state="[a-z]*"/, with: "state=\"\(word)\"")
                    .replacing(/status="[a-z]*"/, with: "status=\"\(word)\"").replacing("<issues/>", with: "<\(word)/>")
                answer.set("Content-Type", word)
                answer.set("Cache-Control", word)
                answer.set("X-\(word.filter(\.isLetter))", word)
            })
        let encoder = JSONEncoder()
        let texts = [
            report.table(), report.html, String(decoding: report.junit(), as: UTF8.self),
            String(decoding: try encoder.encode(report), as: UTF8.self),
        ]
        #expect(report.count(.failed) > 5 && report.table().contains("…"))
        for text in texts {
            for word in ["llaevitca", "emosevitca", "marker-5f0c1d7e", StandIn.secret] {
                #expect(!text.contains(word), "\(word)")
            }
        }
    }
}
