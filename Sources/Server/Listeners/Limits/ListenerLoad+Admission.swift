import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

extension ListenerLoad {
    /// Returns the response of a handler, or status 503 with `Retry-After` beyond the limits of the listener. It
    /// rejects a request at once if too many are in progress, and in the middle of a body if the memory for bodies is
    /// exhausted. Source: Pitfall 15, “Request smuggling and parser exhaustion”. Source: Pitfall 24, “Buffered bytes
    /// without a total limit”.
    ///
    /// A request is in progress from the end of its body to the first byte of its response. A client that sends its
    /// body slowly costs only a connection and the received bytes. The limit of open files bounds downloads.
    ///
    /// - Parameters:
    ///   - client: The client for which the request counts; nil for proxies and this machine, because many clients
    ///     share their addresses.
    ///   - path: The path of the request.
    func admitting(
        _ request: Request, _ context: GatefoldRequestContext, path: String, client: ClientAddress?,
        to handler: (Request, GatefoldRequestContext) async throws -> Response
    ) async throws -> Response {
        let share = RequestLoad(
            of: self, connection: context.connectionIdentity, client: client,
            isNotification: path.utf8.starts(with: "/notifications/".utf8)
        ) { context.refuse(Refusal(.overloaded, .other, detail: $0)) }
        defer { share.end() }
        do {
            let response: Response
            if let body = context.receivedBody {
                if body.readableBytes > 0 { try share.take(body.readableBytes) }
                try share.beginWork()
                response = try await handler(request, context)
            } else if request.mayHaveBody {
                var request = request
                request.body = RequestBody(asyncSequence: CountedBody(body: request.body, load: share))
                response = try await handler(request, context)
            } else {
                try share.beginWork()
                response = try await handler(request, context)
            }
            // The handler may have treated the rejection of the body as a connection failure.
            return share.wasRejected ? Self.busy() : response
        } catch  where share.wasRejected {
            return Self.busy()
        }
    }

    private static func busy() -> Response {
        Response(
            status: .serviceUnavailable, headers: [.retryAfter: "5", .contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "Too many requests; please try again\n")))
    }
}

/// A body whose bytes are counted as they are read.
private struct CountedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let load: RequestLoad

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        let load: RequestLoad

        @concurrent
        mutating func next() async throws -> ByteBuffer? {
            guard let bytes = try await body.next() else {
                try load.beginWork()
                return nil
            }
            try load.take(bytes.readableBytes)
            return bytes
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), load: load)
    }
}

extension Request {
    /// A Boolean value that indicates whether the body is read. No call reads the body of a GET or HEAD request.
    fileprivate var mayHaveBody: Bool { ![.get, .head].contains(method) && headers.value(of: .contentLength) != "0" }
}
