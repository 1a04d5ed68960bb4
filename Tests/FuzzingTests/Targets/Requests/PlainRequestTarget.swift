import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import Server

extension FuzzTarget {
    /// Protection against request smuggling: if the fast path parses a request, the general parser reads the same
    /// request with the same end (Pitfall 15).
    static let fastPathRequest = FuzzTarget("plain-request", upTo: 2048, of: "FastPathRequest") { bytes in
        guard let request = bytes.withUnsafeBytes({ FastPathRequest($0) }) else { return }
        promise((1...bytes.count).contains(request.length), "a request is longer than its bytes")
        guard let reported = parsed(Array(bytes.prefix(request.length))) else {
            promise(false, "an independent parser finds no request")
            return
        }
        promise(reported.method == .GET && reported.isKeepAlive, "an independent parser returns another request")
        promise(reported.uri == request.target, "an independent parser returns another target")
        for (name, value) in [
            ("authorization", request.authorization), ("accept-language", request.acceptLanguage),
            ("x-original-uri", request.originalURI), ("x-original-method", request.originalMethod),
            ("x-forwarded-for", request.forwardedFor),
        ] {
            promise(
                reported.headers[name] == [value].compactMap(\.self), "an independent parser returns another \(name)")
        }
    }

    /// Returns the head if these bytes are exactly one request, or nil.
    private static func parsed(_ bytes: [UInt8]) -> HTTPRequestHead? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish() }
        do {
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
            // Without its last byte the request is incomplete.
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
