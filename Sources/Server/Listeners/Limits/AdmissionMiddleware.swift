import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers 503 with `Retry-After` to requests beyond the limits of the listener: at once where too many are worked on, and in the
/// midst of a body where all memory for bodies is in use (PITFALLS rows 15 and 24).
///
/// A request is worked on from the end of its body to the first byte of its response. A client that sends its body slowly costs
/// a connection and what it has sent, and a download is bounded by the files that may be open.
struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = GatefoldRequestContext

    private let load: ListenerLoad
    private let client: @Sendable (Request, GatefoldRequestContext) -> ClientAddress?

    /// - Parameter client: whom a request is counted for; nil for proxies and this machine, by which many come.
    init(_ limits: ListenerLimits, client: @escaping @Sendable (Request, GatefoldRequestContext) -> ClientAddress?) {
        load = ListenerLoad(limits)
        self.client = client
    }

    func handle(
        _ request: Request, context: GatefoldRequestContext,
        next: (Request, GatefoldRequestContext) async throws -> Response
    ) async throws -> Response {
        // Whether the process is alive does not depend on how busy it is.
        if request.uri.path == "/healthz" { return try await next(request, context) }
        let share = RequestLoad(
            of: load, connection: context.connection, client: client(request, context),
            isNotification: request.uri.path.hasPrefix("/notifications/"))
        defer { share.end() }
        do {
            var request = request
            if request.mayHaveBody {
                request.body = RequestBody(asyncSequence: CountedBody(body: request.body, load: share))
            } else {
                try share.beginWork()
            }
            let response = try await next(request, context)
            // What refused the body may have been taken for a failure of the connection.
            return share.wasRefused ? Self.busy() : response
        } catch  where share.wasRefused {
            return Self.busy()
        }
    }

    private static func busy() -> Response {
        Response(
            status: .serviceUnavailable, headers: [.retryAfter: "5", .contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "Too many requests are under way; please try again\n")))
    }
}

/// A body whose bytes are counted as they are taken.
private struct CountedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let load: RequestLoad

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        let load: RequestLoad

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
    /// Whether its body is read: no call reads that of a GET or HEAD.
    fileprivate var mayHaveBody: Bool { ![.get, .head].contains(method) && headers[.contentLength] != "0" }
}
