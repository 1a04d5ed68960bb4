import TestSupport

@testable import Server

extension FuzzTarget {
    /// Protection against request smuggling: if bytes are a plain request, NIO's parser reads the same request from them
    /// (Pitfall 15).
    static let plainRequest = FuzzTarget("plain-request", upTo: 2048, of: "PlainRequest", "PlainField") { bytes in
        guard let request = bytes.withUnsafeBytes({ PlainRequest($0) }) else { return }
        promise((1...bytes.count).contains(request.length), "a request is longer than its bytes")
        guard let expected = NIORequest.read(Array(bytes.prefix(request.length))) else {
            promise(false, "NIO's parser finds no request")
            return
        }
        promise(expected.isKeepAlive, "NIO's parser finds the last request of a connection")
        promise(expected.head == request.head, "NIO's parser finds another head")
        promise(expected.body == Array(bytes[request.body]), "NIO's parser finds another body")
    }
}
