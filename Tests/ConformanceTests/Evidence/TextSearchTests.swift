import TestSupport
import Testing

@testable import Conformance

@Suite("Search for a text in a response")
struct TextSearchTests {
    private let secret = "a<b> & \"c\"/9"

    private func place(of text: String, in response: ReceivedResponse, without elements: [String] = []) throws
        -> String?
    {
        let address = try #require(Address("http://127.0.0.1/test/verify_subscription"))
        return TextSearch.place(
            of: text, in: Exchange(Probe(.ordinary, address), .success(response)), without: elements)
    }

    private func response(_ body: String, _ fields: Field...) -> ReceivedResponse {
        ReceivedResponse(status: 200, fields: fields, body: Array(body.utf8))
    }

    @Test(
        "finds every encoded form of the text",
        arguments: [
            "a<b> & \"c\"/9", "a&lt;b&gt; &amp; &quot;c&quot;/9", "a%3Cb%3E%20%26%20%22c%22%2F9", "YTxiPiAmICJjIi85",
            "613c623e202620226322 2f39".filter { $0 != " " },
        ])
    func forms(form: String) throws {
        #expect(try place(of: secret, in: response("<x>\(form)</x>")) == "the body")
        #expect(try place(of: secret, in: response("", Field("X-Why", "of \(form)!"))) == "the header field X-Why")
    }

    @Test("reports the location and skips elements that may hold the text")
    func positions() throws {
        #expect(try place(of: "secret", in: response("<a><!-- secret --></a>")) == "a comment")
        #expect(try place(of: "secret", in: response("<a><!-- 1 -->secret<!-- 2 --></a>")) == "the body")
        #expect(try place(of: "secret", in: response("<!-- secret")) == "the body")
        let token = response("<token a=\"b\">secret</token>")
        #expect(try place(of: "secret", in: token, without: ["userid", "token"]) == nil)
        #expect(try place(of: "secret", in: token, without: ["userid"]) == "the body")
        #expect(try place(of: "secret", in: response("")) == nil)
        #expect(try place(of: "short", in: response("short")) == nil, "a match by chance")
    }

    /// A quadratic algorithm would take hours for each of these.
    @Test("takes linear time on responses of a hostile server", .timeLimit(.minutes(5)))
    func hostile() throws {
        let comments = String(repeating: "<!--", count: 1 << 18)
        #expect(try place(of: "secret", in: response("secret" + comments)) == "the body")
        let other = response(String(repeating: "<!-- ", count: 200_000))
        #expect(Uniformity.difference(of: response(comments), to: [other, response("")]) == nil)
        let token = String(repeating: "a", count: 1 << 18)
        #expect(try place(of: token + "b", in: response(token + token)) == nil)
    }

    @Test("detects comments exactly as XML parsers do")
    func comments() {
        #expect(Comments.removed(from: "a<!-- b -->c<!---->d<!-->e--->f") == "acdf")
        #expect(Comments.removed(from: "a<!-- b") == "a<!-- b")
        #expect(Comments.removed(from: "--><!- --><!--") == "--><!- --><!--")
        var random = SeededRandom(seed: 8)
        for _ in 0..<2_000 {
            let bytes = random.hostileBytes(upTo: 30, specialCharacters: "<!---->a")
            let text = String(decoding: bytes, as: UTF8.self)
            let ranges = Comments.ranges(in: Array(text.utf8))
            #expect(ranges.allSatisfy { $0.count >= 7 })
            // The equivalent regular expression, which takes quadratic time.
            let expected = text.replacing(/<!--(?:(?!-->).)*-->/.dotMatchesNewlines(), with: "")
            #expect(Array(Comments.removed(from: text).utf8) == Array(expected.utf8), "\(text.debugDescription)")
        }
    }
}
