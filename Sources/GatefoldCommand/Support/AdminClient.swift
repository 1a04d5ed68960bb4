import AdminAPI
import AsyncHTTPClient
import Foundation
import Gatefold
import JSON
import NIOCore
import NIOHTTP1
import NIOSSL
import Primitives
import Server

/// A client of the running server's admin listener, for a command on the same machine.
struct AdminClient {
    struct AdminResponse {
        let status: UInt
        let text: String
    }

    private let base: String
    private let address: AdminListenAddress
    private let key: PseudonymKey
    private let isEncrypted: Bool

    /// - Throws: ``CommandFailure`` if the configuration has no admin listener.
    init(_ configuration: GatefoldConfiguration) throws {
        guard let address = configuration.adminListen else {
            throw CommandFailure(.configuration, "expected server.admin_listen in the configuration")
        }
        self.address = address
        key = configuration.state.pseudonymKey
        isEncrypted = configuration.adminTLS != nil
        switch address {
        case .tcp(let address): base = Self.base(of: address, isEncrypted: isEncrypted)
        case .unix(let path): base = "\(isEncrypted ? "https" : "http")+unix://\(Self.escaped(path))"
        }
    }

    /// Returns the URL of a listener for a client on the same machine.
    static func base(of address: ListenAddress, isEncrypted: Bool) -> String {
        let everywhere = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        let host = everywhere[address.host] ?? address.host
        return "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(address.port)"
    }

    func get(_ path: String) async throws -> AdminResponse {
        try await send(HTTPClientRequest(url: base + path))
    }

    /// Sends a change to the admin API as the user of the command. It needs no token, see ``LocalOperatorPass``.
    func post(_ path: String, _ body: JSONValue) async throws -> AdminResponse {
        var request = HTTPClientRequest(url: base + "/admin/v1" + path)
        request.method = .POST
        let bytes = JSONWriter.bytes(body)
        let pass = LocalOperatorPass(
            CommandUser.actor(ProcessInfo.processInfo.environment).name, for: "POST \(path)",
            LocalOperatorPass.BodyDigest(bytes, key: key), at: Date())
        request.headers.add(name: "authorization", value: "Bearer \(try pass.sealed(with: key))")
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: bytes))
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws -> AdminResponse {
        do {
            var settings = HTTPClient.Configuration(timeout: .init(connect: .seconds(5)))
            // The client does not wait for a server that is not listening.
            settings.connectionPool.retryConnectionEstablishment = false
            if isEncrypted {
                // The certificate names the host for other machines. The connection does not leave this one.
                settings.tlsConfiguration = .makeClientConfiguration()
                settings.tlsConfiguration?.certificateVerification = .none
            }
            return try await HTTPClient.withHTTPClient(configuration: settings) { client in
                // The health check may wait for a backend's deadline, which is at most five minutes.
                let response = try await client.execute(request, timeout: .seconds(310))
                let body = try await response.body.collect(upTo: 1 << 20)
                return AdminResponse(status: response.status.code, text: String(buffer: body))
            }
        } catch {
            throw CommandFailure(
                .unavailable, "no server responds at \(address): \(error); is `gatefold serve` running?")
        }
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
