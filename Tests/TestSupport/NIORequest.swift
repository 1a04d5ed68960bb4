package import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A request as NIO's parser and codec read it.
package struct NIORequest {
    package let head: HTTPRequest
    package let body: [UInt8]
    package let isKeepAlive: Bool

    /// Returns the request if these bytes are exactly one request, or nil.
    package static func read(_ bytes: [UInt8]) -> NIORequest? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish() }
        do {
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
            var parts: [HTTPServerRequestPart] = []
            func read() throws {
                while let part = try channel.readInbound(as: HTTPServerRequestPart.self) { parts.append(part) }
            }
            try channel.writeInbound(ByteBuffer(bytes: bytes.dropLast()))
            try read()
            // All bytes except the last one are not yet a request.
            if case .end? = parts.last { return nil }
            try channel.writeInbound(ByteBuffer(bytes: bytes.suffix(1)))
            try read()
            guard case .head(let head)? = parts.first, case .end(nil)? = parts.last else { return nil }
            var body: [UInt8] = []
            for part in parts.dropFirst().dropLast() {
                guard case .body(let buffer) = part else { return nil }
                body += buffer.readableBytesView
            }
            return NIORequest(
                head: try HTTPRequest(head, secure: false, splitCookie: false), body: body,
                isKeepAlive: head.isKeepAlive)
        } catch {
            return nil
        }
    }
}
