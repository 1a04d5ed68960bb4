import Gatefold
import HTTPTypes
import Server
import Testing

@Suite("The client's address")
struct ClientAddressResolverTests {
    private let proxy = ClientAddress("10.0.0.1")
    private let stranger = ClientAddress("203.0.113.9")

    private func fields(_ values: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in values { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return fields
    }

    private func resolver(_ blocks: String...) throws -> ClientAddressResolver {
        ClientAddressResolver(trusted: try blocks.map { try #require(AddressBlock($0)) })
    }

    @Test("is the peer's when nobody is trusted, whatever headers say")
    func nobodyTrusted() throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.7"), ("Forwarded", "for=192.0.2.8")])
        #expect(try resolver().client(peer: stranger, headers: headers) == stranger)
    }

    @Test("is what the trusted proxy saw: the right end of the list")
    func trusted() throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.66, 192.0.2.7")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == ClientAddress("192.0.2.7"))
    }

    @Test("passes over trusted proxies in the list, up to the first stranger")
    func chains() throws {
        let headers = try fields([
            ("X-Forwarded-For", "192.0.2.66, 192.0.2.7, 10.9.9.9"), ("X-Forwarded-For", "10.0.0.2"),
        ])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == ClientAddress("192.0.2.7"))
    }

    @Test(
        "Pitfall 11: other spellings and other headers change nothing",
        arguments: [
            "X_Forwarded_For", "X-Real-IP", "X-Client-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP",
            "X-Forwarded-For-Original",
        ])
    func spellings(name: String) throws {
        let headers = try fields([(name, "192.0.2.7")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == proxy)
    }

    @Test("stops at what is no address", arguments: ["unknown", "", "192.0.2.7:80", "1.2.3.4.5", "-"])
    func nonsense(text: String) throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.66, \(text)")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == proxy)
    }
}
