import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

/// A middleware that rejects requests beyond the limits of the listener with status 503 and `Retry-After`. It
/// rejects a request at once if too many are in progress, and in the middle of a body if the memory for bodies is
/// exhausted. Source: Pitfall 15, “Request smuggling and parser exhaustion”. Source: Pitfall 24, “Buffered bytes
/// without a total limit”.
///
/// A request is in progress from the end of its body to the first byte of its response. A client that sends its
/// body slowly costs only a connection and the received bytes. The limit of open files bounds downloads.
struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = GatefoldRequestContext

    private let load: ListenerLoad
    private let client: @Sendable (Request, GatefoldRequestContext) -> ClientAddress?

    /// - Parameter client: Returns the client for which a request counts; nil for proxies and this machine, because
    ///   many clients share their addresses.
    init(_ limits: ListenerLimits, client: @escaping @Sendable (Request, GatefoldRequestContext) -> ClientAddress?) {
        load = ListenerLoad(limits)
        self.client = client
    }

    func handle(
        _ request: Request, context: GatefoldRequestContext,
        next: (Request, GatefoldRequestContext) async throws -> Response
    ) async throws -> Response {
        // The liveness of the process does not depend on its load.
        if request.uri.path == "/healthz" { return try await next(request, context) }
        let share = RequestLoad(
            of: load, connection: context.connectionIdentity, client: client(request, context),
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
            // The responder may have treated the rejection of the body as a connection failure.
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
    fileprivate var mayHaveBody: Bool { ![.get, .head].contains(method) && headers[.contentLength] != "0" }
}
