import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import ServiceLifecycle
import Synchronization
public import TestSupport

/// A fake of Apple's push notification service, over HTTP/2 and TLS on a loopback port, with a script for each token.
public final class FakeAPNs: Sendable {
    public enum StubResponse: Sendable {
        case status(Int, reason: String? = nil, timestamp: Int? = nil, retryAfter: Int? = nil)
        /// Closes the connection with all of its streams.
        case cut
        /// Responds with 200 and sends GOAWAY.
        case goAway
        /// Responds after the latch is opened.
        case wait(ManualLatch)
    }

    public struct Request: Sendable {
        public let method: String
        public let path: String
        public let fields: [String: [String]]
        public let body: String
        /// The index of the connection, from 0.
        public let connection: Int

        /// The device token in the path.
        public var token: String { String(path.split(separator: "/").last ?? "") }

        public func field(_ name: String) -> String? { fields[name]?.first }
    }

    private struct State {
        var requests: [Request] = []
        var scripts: [String: [StubResponse]] = [:]
        /// Retained, so that no new connection has the identity of an earlier one.
        var connections: [any Channel] = []
        var inFlight = 0
        var maxInFlight = 0
        var meeting: (size: Int, latch: ManualLatch)?
        var port = 0
    }

    private let state = Mutex(State())

    public var requests: [Request] { state.withLock(\.requests) }
    public var count: Int { state.withLock { $0.requests.count } }
    public var maxInFlight: Int { state.withLock(\.maxInFlight) }
    public var port: Int { state.withLock(\.port) }
    public var url: String { "https://localhost:\(port)" }
    /// The number of requests for each token.
    public var counts: [String: Int] { requests.reduce(into: [:]) { $0[$1.token, default: 0] += 1 } }
    /// The number of connections with requests.
    public var connections: Int { Set(requests.map(\.connection)).count }

    /// Sets the responses to the next requests for the token. Later ones get 200.
    public func response(_ token: String, _ responses: StubResponse...) {
        state.withLock { $0.scripts[token] = responses }
    }

    /// Delays all responses until a number of concurrent requests have arrived.
    public func gather(_ size: Int) {
        state.withLock { $0.meeting = (size, ManualLatch()) }
    }

    fileprivate func didStart(_ port: Int) { state.withLock { $0.port = port } }

    fileprivate func respond(to request: HummingbirdCore.Request, _ channel: any Channel) async throws -> Response {
        let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
        let connection = channel.parent ?? channel
        let (response, meeting) = state.withLock { state -> (StubResponse, ManualLatch?) in
            let known = state.connections.firstIndex { $0 === connection }
            let number = known ?? state.connections.count
            if known == nil { state.connections.append(connection) }
            var fields: [String: [String]] = [:]
            for field in request.headers { fields[field.name.canonicalName, default: []].append(field.value) }
            let seen = Request(
                method: request.method.rawValue, path: request.uri.path, fields: fields, body: body,
                connection: number)
            state.requests.append(seen)
            state.inFlight += 1
            state.maxInFlight = max(state.maxInFlight, state.inFlight)
            var latch: ManualLatch?
            if let meeting = state.meeting {
                latch = meeting.latch
                if state.inFlight >= meeting.size {
                    state.meeting = nil
                    meeting.latch.open()
                }
            }
            var response = StubResponse.status(200)
            if var script = state.scripts[seen.token], !script.isEmpty {
                response = script.removeFirst()
                state.scripts[seen.token] = script
            }
            return (response, latch)
        }
        await meeting?.pass()
        if case .wait(let latch) = response { await latch.pass() }
        defer { state.withLock { $0.inFlight -= 1 } }
        switch response {
        case .cut:
            try await connection.close()
            return Response(status: .internalServerError)
        case .goAway:
            let frame = HTTP2Frame(
                streamID: .rootStream,
                payload: .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
            try await connection.writeAndFlush(frame)
            return Response(status: .ok)
        case .wait:
            return Response(status: .ok)
        case .status(let status, let reason, let timestamp, let retryAfter):
            var headers = HTTPFields()
            headers[.retryAfter] = retryAfter.map { "\($0)" }
            var members: [String] = []
            if let reason { members.append("\"reason\":\"\(reason)\"") }
            if let timestamp { members.append("\"timestamp\":\(timestamp)") }
            let text = members.isEmpty ? "" : "{\(members.joined(separator: ","))}"
            return Response(
                status: .init(code: status), headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }
}

/// A request context that provides the request's own channel.
private struct FakeServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// Runs the body with a fake APNs that has a certificate of the authority for `localhost`.
///
/// - Parameter clients: The file of the authority that must have issued the client's certificate, or nil if none is
///   required.
public func withFakeAPNs<Result: Sendable>(
    _ authority: TestAuthority, clients: String? = nil,
    _ body: @Sendable @escaping (FakeAPNs) async throws -> Result
) async throws -> Result {
    let issued = try await authority.issue("apns-\(UInt16.random(in: .min ... .max))", names: "DNS:localhost")
    var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(issued.certificate).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: issued.key, format: .pem)))
    if let clients {
        tls.trustRoots = .file(clients)
        tls.certificateVerification = .noHostnameVerification
    }
    let fake = FakeAPNs()
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    var logger = Logger(label: "apns")
    logger.logLevel = .critical
    let application = Application(
        responder: CallbackResponder { request, context in
            try await fake.respond(to: request, (context as FakeServerContext).channel)
        },
        server: try .http2Upgrade(tlsConfiguration: tls),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
            fake.didStart(channel.localAddress?.port ?? 0)
            starting.finish()
        }, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await application.run() }
        for await _ in started {}
        defer { group.cancelAll() }
        return try await body(fake)
    }
}
