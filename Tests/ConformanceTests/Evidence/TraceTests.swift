import TestSupport
import Testing

@testable import Conformance

@Suite("Looking for a text in an answer")
struct TraceTests {
    private let secret = "a<b> & \"c\"/9"

    private func place(of text: String, in answer: RawAnswer, without elements: [String] = []) throws -> String? {
        let address = try #require(Address("http://127.0.0.1/test/verify_subscription"))
        return Trace.place(of: text, in: Exchange(Probe(.ordinary, address), .success(answer)), without: elements)
    }

    private func answer(_ body: String, _ fields: Field...) -> RawAnswer {
        RawAnswer(status: 200, fields: fields, body: Array(body.utf8))
    }

    @Test(
        "finds it in every form that it is written in",
        arguments: [
            "a<b> & \"c\"/9", "a&lt;b&gt; &amp; &quot;c&quot;/9", "a%3Cb%3E%20%26%20%22c%22%2F9", "YTxiPiAmICJjIi85",
            "613c623e202620226322 2f39".filter { $0 != " " },
        ])
    func forms(form: String) throws {
        #expect(try place(of: secret, in: answer("<x>\(form)</x>")) == "the body")
        #expect(try place(of: secret, in: answer("", Field("X-Why", "of \(form)!"))) == "the header field X-Why")
    }

    @Test("says where it stands, and passes over what may hold it")
    func places() throws {
        #expect(try place(of: "secret", in: answer("<a><!-- secret --></a>")) == "a comment")
        #expect(try place(of: "secret", in: answer("<a><!-- 1 -->secret<!-- 2 --></a>")) == "the body")
        #expect(try place(of: "secret", in: answer("<!-- secret")) == "the body")
        let token = answer("<token a=\"b\">secret</token>")
        #expect(try place(of: "secret", in: token, without: ["userid", "token"]) == nil)
        #expect(try place(of: "secret", in: token, without: ["userid"]) == "the body")
        #expect(try place(of: "secret", in: answer("")) == nil)
        #expect(try place(of: "short", in: answer("short")) == nil, "it stands somewhere by chance")
    }

    /// By the square of their lengths, each of these would take hours.
    @Test("keeps nobody busy who checks a hostile server", .timeLimit(.minutes(5)))
    func hostile() throws {
        let comments = String(repeating: "<!--", count: 1 << 18)
        #expect(try place(of: "secret", in: answer("secret" + comments)) == "the body")
        let other = answer(String(repeating: "<!-- ", count: 200_000))
        #expect(Uniformity.difference(of: answer(comments), to: [other, answer("")]) == nil)
        let token = String(repeating: "a", count: 1 << 18)
        #expect(try place(of: token + "b", in: answer(token + token)) == nil)
    }

    @Test("takes for a comment what a reader of XML takes for one, wherever marks stand")
    func comments() {
        #expect(Comments.removed(from: "a<!-- b -->c<!---->d<!-->e--->f") == "acdf")
        #expect(Comments.removed(from: "a<!-- b") == "a<!-- b")
        #expect(Comments.removed(from: "--><!- --><!--") == "--><!- --><!--")
        var random = SeededRandom(seed: 8)
        for _ in 0..<2_000 {
            let bytes = random.hostileBytes(upTo: 30, spice: "<!---->a")
            let text = String(decoding: bytes, as: UTF8.self)
            let ranges = Comments.ranges(in: Array(text.utf8))
            #expect(ranges.allSatisfy { $0.count >= 7 })
            // As an expression says it, which takes the square of the length.
            let expected = text.replacing(/<!--(?:(?!-->).)*-->/.dotMatchesNewlines(), with: "")
            #expect(Array(Comments.removed(from: text).utf8) == Array(expected.utf8), "\(text.debugDescription)")
        }
    }
}
