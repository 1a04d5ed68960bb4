import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import Server

extension FuzzTarget {
    /// The property that keeps requests from being smuggled: what the fast lane understands, the parser of all other
    /// requests understands in the same way, and both see its end in the same place (PITFALLS row 15).
    static let plainRequest = FuzzTarget("plain-request", upTo: 2048, of: "PlainRequest") { bytes in
        guard let request = bytes.withUnsafeBytes({ PlainRequest($0) }) else { return }
        promise((1...bytes.count).contains(request.length), "a request is longer than its bytes")
        guard let told = parsed(Array(bytes.prefix(request.length))) else {
            promise(false, "another parser reads no request here")
            return
        }
        promise(told.method == .GET && told.isKeepAlive, "another parser reads another request")
        promise(told.uri == request.target, "another parser reads another target")
        for (name, value) in [
            ("authorization", request.authorization), ("accept-language", request.acceptLanguage),
            ("x-original-uri", request.originalURI), ("x-original-method", request.originalMethod),
            ("x-forwarded-for", request.forwardedFor),
        ] {
            promise(told.headers[name] == [value].compactMap(\.self), "another parser reads another \(name)")
        }
    }

    /// The head of the one request that these bytes are, all of them; nil for anything else.
    private static func parsed(_ bytes: [UInt8]) -> HTTPRequestHead? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish() }
        do {
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
            // All but the last byte are not yet a request.
            try channel.writeInbound(ByteBuffer(bytes: bytes.dropLast()))
            guard try channel.readInbound(as: HTTPServerRequestPart.self) == nil else { return nil }
            try channel.writeInbound(ByteBuffer(bytes: bytes.suffix(1)))
            guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self),
                case .end(nil)? = try channel.readInbound(as: HTTPServerRequestPart.self),
                try channel.readInbound(as: HTTPServerRequestPart.self) == nil
            else { return nil }
            return head
        } catch {
            return nil
        }
    }
}
