import Testing

@testable import Conformance

@Suite("An answer among others")
struct UniformityTests {
    private func answer(_ body: String, _ fields: [String: String] = [:], status: Int = 200) -> RawAnswer {
        RawAnswer(status: status, fields: fields.map { Field($0.key, $0.value) }, body: Array(body.utf8))
    }

    @Test("may differ from them in what differs among them")
    func alike() {
        let others = [answer("<a b=\"1\">x 2</a>", ["N": "1"]), answer("<a b=\"2\">x 3</a>", ["N": "2", "M": "1"])]
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x 7</a>", ["N": "7"]), to: others) == nil)
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x 7</a>", ["N": "7", "M": "5"]), to: others) == nil)
        let dated = answer("<a/>", ["Date": "now", "Content-Length": "4"])
        #expect(Uniformity.difference(of: dated, to: [answer("<a/>", ["Date": "then"])]) == nil)
        let unsteady = [answer("<a/><!-- 1 -->"), answer("<a/><!-- 1 2 -->")]
        #expect(Uniformity.difference(of: answer("<a/><!-- 1 2 3 -->"), to: unsteady) == nil)
    }

    @Test("may not differ in anything else")
    func unlike() {
        let others = [answer("<a b=\"1\">x 2</a>", ["N": "1"]), answer("<a b=\"2\">x 3</a>", ["N": "2", "M": "1"])]
        #expect(
            Uniformity.difference(of: answer("<a b=\"7\">y 7</a>", ["N": "7"]), to: others) == "their bodies differ")
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x</a>", ["N": "7"]), to: others) == "their bodies differ")
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x 7</a>"), to: others) == "their header fields differ (n)")
        let more = answer("<a b=\"7\">x 7</a>", ["N": "7", "K": "1"])
        #expect(Uniformity.difference(of: more, to: others) == "their header fields differ (k)")
        #expect(Uniformity.difference(of: answer("", status: 401), to: others) == "401 and 200")
        let unsteady = [answer("<a/><!-- 1 -->"), answer("<a/><!-- 1 2 -->")]
        #expect(Uniformity.difference(of: answer("<b/><!-- 1 2 3 -->"), to: unsteady) == "their bodies differ")
        let one = [answer("", ["X-Reason": "nouser"])]
        #expect(
            Uniformity.difference(of: answer("", ["X-Reason": "badpass"]), to: one)
                == "their header fields differ (x-reason)")
    }

    private func exchange(_ name: String, _ body: String, _ fields: [String: String] = [:]) throws -> Exchange {
        let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1/pub")))
        let probe = Probe(.wrongProof, .signIn, [Field("username", name), Field("password", "x")], .form, at: endpoint)
        return Exchange(probe, .success(answer(body, fields)))
    }

    /// Of nobody's answer with a name in it, and the same with theirs.
    private func difference(_ name: String, _ body: String, _ fields: [String: String] = [:]) throws -> String? {
        let nobody = try exchange(Self.nobody, "<a n=\"\(Self.nobody)\"/>can not, user", ["N": Self.nobody])
        return Uniformity.difference(of: try exchange(name, body, fields), to: [nobody])
    }

    private static let nobody = "nobody1f2e@example.com"

    @Test(
        "may repeat what it was asked with, in the usual ways of writing",
        arguments: [
            ("ann lee", "ann lee", "ann lee"), ("a&b c", "a&amp;b c", "a&b c"), ("o'hara", "o&#039;hara", "o'hara"),
            ("o'hara", "o&apos;hara", "o&#39;hara"),
            // What stands in what is always said, and what is as short as can be.
            ("user", "user", "user"), ("can", "can", "can"), ("a", "a", "a"),
        ])
    func repeated(name: String, inBody: String, inField: String) throws {
        #expect(try difference(name, "<a n=\"\(inBody)\"/>can not, user", ["N": inField]) == nil)
    }

    @Test("may not repeat something else, or in another way")
    func repeatedOtherwise() throws {
        #expect(try difference("ann", "<a n=\"bob\"/>can not, user", ["N": "ann"]) == "their bodies differ")
        #expect(try difference("ann", "<a n=\"YW5u\"/>can not, user", ["N": "ann"]) == "their bodies differ")
        // A wrong password in place of the unknown name.
        #expect(try difference("ann", "<a n=\"x\"/>can not, user", ["N": "ann"]) == "their bodies differ")
        #expect(
            try difference("ann", "<a n=\"ann\"/>can not, user", ["N": "Ann"]) == "their header fields differ (n)")
        // Longer than any refusal: not looked through.
        let filler = String(repeating: " ", count: 70_000)
        let nobody = try exchange(Self.nobody, "\(Self.nobody)\(filler)")
        #expect(Uniformity.difference(of: try exchange("ann", "ann\(filler)"), to: [nobody]) == "their bodies differ")
    }
}
