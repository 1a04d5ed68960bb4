import FrontDoors
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@Suite("No-cache headers on a connection")
struct NoCacheHandlerTests {
    private func sent(_ head: HTTPResponse) throws -> HTTPFields {
        let channel = EmbeddedChannel(handler: NoCacheHandler())
        defer { _ = try? channel.finish() }
        try channel.writeOutbound(HTTPResponsePart.head(head))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else { return [:] }
        return head.headerFields
    }

    @Test("Pitfall 16: a response without Cache-Control gets them, whatever its status", arguments: [200, 400, 500])
    func unsaid(status: Int) throws {
        let fields = try sent(
            HTTPResponse(status: .init(code: status), headerFields: [.eTag: "1", .lastModified: "x"]))
        #expect(fields[.cacheControl] == NoCacheHeaders.cacheControl)
        #expect(fields[.expires] == "0")
        #expect(fields[.eTag] == nil)
        #expect(fields[.lastModified] == nil)
    }

    @Test("A response with Cache-Control and an informational response pass unchanged")
    func givenCacheControl() throws {
        #expect(
            try sent(HTTPResponse(status: .ok, headerFields: [.cacheControl: "private", .eTag: "1"]))
                == [.cacheControl: "private", .eTag: "1"])
        #expect(try sent(HTTPResponse(status: .continue)) == [:])
    }
}
