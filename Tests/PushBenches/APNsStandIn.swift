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

/// Answers like Apple's push notification service, over HTTP/2 and TLS on a loopback port, by a script for each token.
public final class APNsStandIn: Sendable {
    public enum Answer: Sendable {
        case status(Int, reason: String? = nil, timestamp: Int? = nil, retryAfter: Int? = nil)
        /// Cuts the connection, with everything on it.
        case cut
        /// Answers 200, and says that the connection is to be left.
        case goAway
        /// Does not answer until the door is opened.
        case wait(Door)
    }

    public struct Request: Sendable {
        public let method: String
        public let path: String
        public let fields: [String: [String]]
        public let body: String
        /// Which connection it came on, from 0.
        public let connection: Int

        /// The device token in the path.
        public var token: String { String(path.split(separator: "/").last ?? "") }

        public func field(_ name: String) -> String? { fields[name]?.first }
    }

    private struct State {
        var requests: [Request] = []
        var scripts: [String: [Answer]] = [:]
        /// Kept, so that none has the identity of one before.
        var connections: [any Channel] = []
        var underWay = 0
        var mostUnderWay = 0
        var meeting: (size: Int, door: Door)?
        var port = 0
    }

    private let state = Mutex(State())

    public var requests: [Request] { state.withLock(\.requests) }
    public var count: Int { state.withLock { $0.requests.count } }
    public var mostUnderWay: Int { state.withLock(\.mostUnderWay) }
    public var port: Int { state.withLock(\.port) }
    public var url: String { "https://localhost:\(port)" }
    /// How many requests came for each token.
    public var counts: [String: Int] { requests.reduce(into: [:]) { $0[$1.token, default: 0] += 1 } }
    /// On how many connections requests came.
    public var connections: Int { Set(requests.map(\.connection)).count }

    /// What the next requests for the token are answered; 200 after that.
    public func answer(_ token: String, _ answers: Answer...) {
        state.withLock { $0.scripts[token] = answers }
    }

    /// Holds all answers until so many requests are there at once.
    public func gather(_ size: Int) {
        state.withLock { $0.meeting = (size, Door()) }
    }

    fileprivate func didStart(_ port: Int) { state.withLock { $0.port = port } }

    fileprivate func respond(to request: HummingbirdCore.Request, _ channel: any Channel) async throws -> Response {
        let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
        let connection = channel.parent ?? channel
        let (answer, meeting) = state.withLock { state -> (Answer, Door?) in
            let known = state.connections.firstIndex { $0 === connection }
            let number = known ?? state.connections.count
            if known == nil { state.connections.append(connection) }
            var fields: [String: [String]] = [:]
            for field in request.headers { fields[field.name.canonicalName, default: []].append(field.value) }
            let seen = Request(
                method: request.method.rawValue, path: request.uri.path, fields: fields, body: body,
                connection: number)
            state.requests.append(seen)
            state.underWay += 1
            state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            var door: Door?
            if let meeting = state.meeting {
                door = meeting.door
                if state.underWay >= meeting.size {
                    state.meeting = nil
                    meeting.door.open()
                }
            }
            var answer = Answer.status(200)
            if var script = state.scripts[seen.token], !script.isEmpty {
                answer = script.removeFirst()
                state.scripts[seen.token] = script
            }
            return (answer, door)
        }
        await meeting?.pass()
        if case .wait(let door) = answer { await door.pass() }
        defer { state.withLock { $0.underWay -= 1 } }
        switch answer {
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

/// Gives a request's own channel to whoever answers it.
private struct StandInContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// Runs the body with a stand-in that has a certificate of the authority for `localhost`.
///
/// - Parameter clients: the file of the authority that must have issued the client's certificate; nil where none is asked.
public func withAPNsStandIn<Result: Sendable>(
    _ authority: TestAuthority, clients: String? = nil,
    _ body: @Sendable @escaping (APNsStandIn) async throws -> Result
) async throws -> Result {
    let issued = try await authority.issue("apns-\(UInt16.random(in: .min ... .max))", names: "DNS:localhost")
    var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(issued.certificate).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: issued.key, format: .pem)))
    if let clients {
        tls.trustRoots = .file(clients)
        tls.certificateVerification = .noHostnameVerification
    }
    let standIn = APNsStandIn()
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    var logger = Logger(label: "apns")
    logger.logLevel = .critical
    let application = Application(
        responder: CallbackResponder { request, context in
            try await standIn.respond(to: request, (context as StandInContext).channel)
        },
        server: try .http2Upgrade(tlsConfiguration: tls),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
            standIn.didStart(channel.localAddress?.port ?? 0)
            starting.finish()
        }, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await application.run() }
        for await _ in started {}
        defer { group.cancelAll() }
        return try await body(standIn)
    }
}
