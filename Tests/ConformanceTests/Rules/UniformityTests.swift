import Testing

@testable import Conformance

@Suite("Comparison of a response with others")
struct UniformityTests {
    private func response(_ body: String, _ fields: [String: String] = [:], status: Int = 200) -> ReceivedResponse {
        ReceivedResponse(status: status, fields: fields.map { Field($0.key, $0.value) }, body: Array(body.utf8))
    }

    @Test("allows the differences that the others have among themselves")
    func alike() {
        let others = [
            response("<a b=\"1\">x 2</a>", ["N": "1"]), response("<a b=\"2\">x 3</a>", ["N": "2", "M": "1"]),
        ]
        #expect(Uniformity.difference(of: response("<a b=\"7\">x 7</a>", ["N": "7"]), to: others) == nil)
        #expect(Uniformity.difference(of: response("<a b=\"7\">x 7</a>", ["N": "7", "M": "5"]), to: others) == nil)
        let dated = response("<a/>", ["Date": "now", "Content-Length": "4"])
        #expect(Uniformity.difference(of: dated, to: [response("<a/>", ["Date": "then"])]) == nil)
        let unsteady = [response("<a/><!-- 1 -->"), response("<a/><!-- 1 2 -->")]
        #expect(Uniformity.difference(of: response("<a/><!-- 1 2 3 -->"), to: unsteady) == nil)
    }

    @Test("finds any other difference")
    func unlike() {
        let others = [
            response("<a b=\"1\">x 2</a>", ["N": "1"]), response("<a b=\"2\">x 3</a>", ["N": "2", "M": "1"]),
        ]
        #expect(
            Uniformity.difference(of: response("<a b=\"7\">y 7</a>", ["N": "7"]), to: others) == "the bodies differ")
        #expect(
            Uniformity.difference(of: response("<a b=\"7\">x</a>", ["N": "7"]), to: others) == "the bodies differ")
        #expect(
            Uniformity.difference(of: response("<a b=\"7\">x 7</a>"), to: others) == "the header fields differ (n)")
        let more = response("<a b=\"7\">x 7</a>", ["N": "7", "K": "1"])
        #expect(Uniformity.difference(of: more, to: others) == "the header fields differ (k)")
        #expect(Uniformity.difference(of: response("", status: 401), to: others) == "the statuses differ (401 and 200)")
        let unsteady = [response("<a/><!-- 1 -->"), response("<a/><!-- 1 2 -->")]
        #expect(Uniformity.difference(of: response("<b/><!-- 1 2 3 -->"), to: unsteady) == "the bodies differ")
        let one = [response("", ["X-Reason": "nouser"])]
        #expect(
            Uniformity.difference(of: response("", ["X-Reason": "badpass"]), to: one)
                == "the header fields differ (x-reason)")
    }

    private func exchange(_ name: String, _ body: String, _ fields: [String: String] = [:]) throws -> Exchange {
        let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1/pub")))
        let probe = Probe(.wrongProof, .signIn, [Field("username", name), Field("password", "x")], .form, at: endpoint)
        return Exchange(probe, .success(response(body, fields)))
    }

    /// Returns the difference between the responses for an unknown name and for this name.
    private func difference(_ name: String, _ body: String, _ fields: [String: String] = [:]) throws -> String? {
        let nobody = try exchange(Self.nobody, "<a n=\"\(Self.nobody)\"/>can not, user", ["N": Self.nobody])
        return Uniformity.difference(of: try exchange(name, body, fields), to: [nobody])
    }

    private static let nobody = "nobody1f2e@example.com"

    @Test(
        "ignores the request's own name, in the usual encodings",
        arguments: [
            ("ann lee", "ann lee", "ann lee"), ("a&b c", "a&amp;b c", "a&b c"), ("o'hara", "o&#039;hara", "o'hara"),
            ("o'hara", "o&apos;hara", "o&#39;hara"),
            // Names that occur in the constant text, and the shortest names.
            ("user", "user", "user"), ("can", "can", "can"), ("a", "a", "a"),
        ])
    func repeated(name: String, inBody: String, inField: String) throws {
        #expect(try difference(name, "<a n=\"\(inBody)\"/>can not, user", ["N": inField]) == nil)
    }

    @Test("finds another repeated value or another encoding")
    func repeatedOtherwise() throws {
        #expect(try difference("ann", "<a n=\"bob\"/>can not, user", ["N": "ann"]) == "the bodies differ")
        #expect(try difference("ann", "<a n=\"YW5u\"/>can not, user", ["N": "ann"]) == "the bodies differ")
        // A wrong password in place of the unknown name.
        #expect(try difference("ann", "<a n=\"x\"/>can not, user", ["N": "ann"]) == "the bodies differ")
        #expect(
            try difference("ann", "<a n=\"ann\"/>can not, user", ["N": "Ann"]) == "the header fields differ (n)")
        // Longer than any error response, so it is not searched.
        let filler = String(repeating: " ", count: 70_000)
        let nobody = try exchange(Self.nobody, "\(Self.nobody)\(filler)")
        #expect(Uniformity.difference(of: try exchange("ann", "ann\(filler)"), to: [nobody]) == "the bodies differ")
    }
}
