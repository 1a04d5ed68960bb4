import Gatefold
import NIOCore
import Testing

@testable import Server

@Suite("Template of a response with credentials")
struct CredentialsFormatTests {
    private let first = EditionCredentials(userid: "abc", password: "0123")
    private let response = ByteBuffer(string: "Length: 9\r\n\r\n<u>abc</u><p>0123</p>")

    @Test("Inserts other credentials repeatedly")
    func filled() throws {
        let form = try #require(CredentialsTemplate(response, with: first))
        for (userid, password) in [("xyz", "4567"), ("123", "abcd"), ("abc", "0123")] {
            let filled = try #require(form.filled(with: EditionCredentials(userid: userid, password: password)))
            #expect(String(buffer: filled) == "Length: 9\r\n\r\n<u>\(userid)</u><p>\(password)</p>")
        }
        #expect(String(buffer: response).hasSuffix("<u>abc</u><p>0123</p>"))
    }

    @Test("Uses the readable part of a buffer only")
    func slice() throws {
        var longer = ByteBuffer(string: "abc 0123 ")
        longer.writeImmutableBuffer(response)
        longer.moveReaderIndex(forwardBy: 9)
        let form = try #require(CredentialsTemplate(longer, with: first))
        let filled = try #require(form.filled(with: EditionCredentials(userid: "xyz", password: "4567")))
        #expect(String(buffer: filled) == "Length: 9\r\n\r\n<u>xyz</u><p>4567</p>")
    }

    @Test("Rejects credentials of another length", arguments: [("ab", "0123"), ("abcd", "0123"), ("abc", "01234")])
    func lengths(userid: String, password: String) throws {
        let form = try #require(CredentialsTemplate(response, with: first))
        #expect(form.filled(with: EditionCredentials(userid: userid, password: password)) == nil)
    }

    @Test(
        "Rejects a response that does not hold the credentials verbatim exactly once",
        arguments: ["<u>abc</u>", "<p>0123</p>", "<u>abc</u><p>0123</p><!-- abc -->", "<u>a&#98;c</u><p>0123</p>", ""])
    func doubtful(response: String) {
        #expect(CredentialsTemplate(ByteBuffer(string: response), with: first) == nil)
        #expect(CredentialsTemplate(self.response, with: EditionCredentials(userid: "", password: "0123")) == nil)
    }
}
