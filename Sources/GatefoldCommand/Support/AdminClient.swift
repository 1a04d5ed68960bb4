import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Server

/// A client of the running server's admin listener.
struct AdminClient {
    struct AdminResponse {
        let status: UInt
        let text: String
    }

    private let base: String

    /// - Throws: ``CommandFailure`` if the configuration has no admin listener.
    init(_ configuration: GatefoldConfiguration) throws {
        guard let address = configuration.adminListen else {
            throw CommandFailure(.configuration, "expected server.admin_listen in the configuration")
        }
        let everywhere = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        let host = everywhere[address.host] ?? address.host
        base = "http://\(host.contains(":") ? "[\(host)]" : host):\(address.port)"
    }

    func get(_ path: String) async throws -> AdminResponse {
        try await send(HTTPClientRequest(url: base + path))
    }

    func post(_ path: String, form field: (name: String, value: String)) async throws -> AdminResponse {
        var request = HTTPClientRequest(url: base + path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: "\(field.name)=\(Self.escaped(field.value))"))
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws -> AdminResponse {
        do {
            var settings = HTTPClient.Configuration(timeout: .init(connect: .seconds(5)))
            // The client does not wait for a server that is not listening.
            settings.connectionPool.retryConnectionEstablishment = false
            return try await HTTPClient.withHTTPClient(configuration: settings) { client in
                // The health check may wait for a backend's deadline, which is at most five minutes.
                let response = try await client.execute(request, timeout: .seconds(310))
                let body = try await response.body.collect(upTo: 1 << 20)
                return AdminResponse(status: response.status.code, text: String(buffer: body))
            }
        } catch {
            throw CommandFailure(.unavailable, "no server responds at \(base): \(error); is `gatefold serve` running?")
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default: "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        }.joined()
    }
}
