import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import TestSupport
import Testing

@testable import Server

/// Compares with NIO's codec, which works on a channel per stream.
@Suite("Fields of HTTP/2 requests and responses")
struct HTTP2FieldsTests {
    private func codecRequest(_ fields: HPACKHeaders) throws -> HTTPRequest? {
        let channel = EmbeddedChannel(handler: HTTP2FramePayloadToHTTPServerCodec())
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        do {
            try channel.writeInbound(HTTP2Frame.FramePayload.headers(.init(headers: fields)))
        } catch {
            return nil
        }
        guard case .head(let head)? = try channel.readInbound(as: HTTPRequestPart.self) else { return nil }
        return head
    }

    private func codecFields(_ response: Response) throws -> HPACKHeaders? {
        let channel = EmbeddedChannel(handler: HTTP2FramePayloadToHTTPServerCodec())
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.writeOutbound(HTTPResponsePart.head(response.head))
        guard case .headers(let headers)? = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) else {
            return nil
        }
        return headers.headers
    }

    @Test("Requests are those that NIO's codec makes of the same fields")
    func requests() throws {
        let names = [
            ":method", ":path", ":scheme", ":authority", ":status", ":unknown", "accept", "content-type", "cookie",
            "content-length", "x-custom", "te", "host", "a b", "", "X-Upper", "user-agent", "if-none-match",
        ]
        let values = ["", "GET", "POST", "get it", "/a?b=c", "https", "a:443", "12", " padded ", "é", "a\u{0}b", "x"]
        var random = SeededRandom(seed: 7540)
        var accepted = 0
        for round in 0..<20_000 {
            var fields = HPACKHeaders()
            // Half of the requests begin as they should.
            if round.isMultiple(of: 2) {
                fields.add(name: ":method", value: ["GET", "POST", "PUT"].randomElement(using: &random) ?? "")
                fields.add(name: ":path", value: "/a")
                fields.add(name: ":scheme", value: "https")
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let name = names.randomElement(using: &random) ?? ""
                // The codec retains the indexing of pseudo-header fields too, which means nothing to a server.
                let indexing: [HPACKIndexing] =
                    name.hasPrefix(":") ? [.indexable] : [.indexable, .nonIndexable, .neverIndexed]
                fields.add(
                    name: name, value: values.randomElement(using: &random) ?? "",
                    indexing: indexing.randomElement(using: &random) ?? .indexable)
            }
            let (own, other) = (HTTPRequest(fields: fields), try codecRequest(fields))
            #expect(own == other, "\(fields)")
            if own != nil { accepted += 1 }
        }
        #expect(accepted > 2_000, "\(accepted)")
    }

    @Test("Responses have the fields that NIO's codec makes of the same response")
    func responses() throws {
        var random = SeededRandom(seed: 7541)
        let names: [HTTPField.Name] = [.contentType, .contentLength, .date, .cacheControl, .setCookie, .location]
        for _ in 0..<1_000 {
            var headers = HTTPFields()
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                headers.append(
                    HTTPField(name: names.randomElement(using: &random) ?? .date, value: "\(random.next() % 1000)"))
            }
            let status = [200, 204, 206, 304, 403, 404, 500, 503].randomElement(using: &random) ?? 200
            let response = Response(status: .init(code: status), headers: headers)
            #expect(try codecFields(response) == HPACKHeaders(response))
        }
    }
}
