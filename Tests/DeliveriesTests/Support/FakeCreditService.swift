import Crypto
import Foundation
import Hummingbird
import NIOCore
import TestSupport

/// Fake service of a provider: verifies the signature and credits each key once.
final class FakeCreditService: Sendable {
    struct Seen: Sendable {
        var requests = 0
        var credited: [String: Int] = [:]
        var keys: Set<String> = []
        var bodies: [String] = []
        var isWellSigned = true
        var authorizations: [String] = []
        var keysOfTheirs: [String] = []
    }

    let seen = Locked(Seen())
    /// The status to return instead of a credit. Nil credits.
    let status = Locked<Int?>(nil)
    let secret: String

    init(secret: String) { self.secret = secret }

    /// Runs the service on a port of 127.0.0.1.
    func run(_ body: @Sendable @escaping (Int) async throws -> Void) async throws {
        let router = Router()
        router.post("credit") { request, _ in try await self.response(request) }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            var opened = ports.makeAsyncIterator()
            guard let port = await opened.next() else { throw CancellationError() }
            defer { group.cancelAll() }
            try await body(port)
        }
    }

    private func response(_ request: Request) async throws -> Response {
        let body = Array(try await request.body.collect(upTo: 1 << 16).readableBytesView)
        func header(_ name: String) -> String { request.headers[.init(name)!] ?? "" }
        var code = HMAC<SHA256>(key: SymmetricKey(data: Data(secret.utf8)))
        code.update(data: Data((header("X-Gatefold-Timestamp") + ".").utf8))
        code.update(data: Data(body))
        let expected = "sha256=" + code.finalize().map { String(format: "%02x", $0) }.joined()
        let key = header("Idempotency-Key")
        let status = status.withLock { $0 }
        let isNew = seen.withLock { seen in
            seen.requests += 1
            seen.authorizations.append(header("Authorization"))
            seen.keysOfTheirs.append(header("X-Api-Key") + " " + header("X-Tenant"))
            seen.bodies.append(String(decoding: body, as: UTF8.self))
            seen.isWellSigned = seen.isWellSigned && header("X-Gatefold-Signature") == expected
            guard status == nil, seen.keys.insert(key).inserted else { return false }
            seen.credited[key, default: 0] += 1
            return true
        }
        if let status { return Response(status: .init(code: status), headers: [.retryAfter: "120"]) }
        return Response(status: isNew ? .created : .conflict)
    }
}
