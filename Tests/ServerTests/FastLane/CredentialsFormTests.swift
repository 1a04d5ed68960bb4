import Gatefold
import NIOCore
import Testing

@testable import Server

@Suite("The form of an answer with credentials")
struct CredentialsFormTests {
    private let first = EditionCredentials(userid: "abc", password: "0123")
    private let answer = ByteBuffer(string: "Length: 9\r\n\r\n<u>abc</u><p>0123</p>")

    @Test("has others written in their place, time and again")
    func filled() throws {
        let form = try #require(CredentialsForm(answer, with: first))
        for (userid, password) in [("xyz", "4567"), ("123", "abcd"), ("abc", "0123")] {
            let filled = try #require(form.filled(with: EditionCredentials(userid: userid, password: password)))
            #expect(String(buffer: filled) == "Length: 9\r\n\r\n<u>\(userid)</u><p>\(password)</p>")
        }
        #expect(String(buffer: answer).hasSuffix("<u>abc</u><p>0123</p>"))
    }

    @Test("is made of what can be read of a buffer")
    func slice() throws {
        var longer = ByteBuffer(string: "abc 0123 ")
        longer.writeImmutableBuffer(answer)
        longer.moveReaderIndex(forwardBy: 9)
        let form = try #require(CredentialsForm(longer, with: first))
        let filled = try #require(form.filled(with: EditionCredentials(userid: "xyz", password: "4567")))
        #expect(String(buffer: filled) == "Length: 9\r\n\r\n<u>xyz</u><p>4567</p>")
    }

    @Test("takes no others than of its own lengths", arguments: [("ab", "0123"), ("abcd", "0123"), ("abc", "01234")])
    func lengths(userid: String, password: String) throws {
        let form = try #require(CredentialsForm(answer, with: first))
        #expect(form.filled(with: EditionCredentials(userid: userid, password: password)) == nil)
    }

    @Test(
        "is made of no answer in which they do not stand as they are, once each",
        arguments: ["<u>abc</u>", "<p>0123</p>", "<u>abc</u><p>0123</p><!-- abc -->", "<u>a&#98;c</u><p>0123</p>", ""])
    func doubtful(answer: String) {
        #expect(CredentialsForm(ByteBuffer(string: answer), with: first) == nil)
        #expect(CredentialsForm(self.answer, with: EditionCredentials(userid: "", password: "0123")) == nil)
    }
}
