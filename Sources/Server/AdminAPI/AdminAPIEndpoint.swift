import AdminAPI
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

/// The route of the admin API on the admin listener.
struct AdminAPIEndpoint: Sendable {
    let api: AdminAPI<AdminServices>
    /// Whether the connections of the listener are encrypted.
    let isEncrypted: Bool
    /// Whether the listener is a Unix socket. The connection of another listener may have no address because it was closed.
    let isUnixSocket: Bool

    static let root = AdminAPI<AdminServices>.root

    /// Returns the response to a request; nil if the connection is neither local nor encrypted, as if there were no API:
    /// a token must not cross a network in clear.
    func respond(to request: Request, context: GatefoldRequestContext) async -> Response? {
        let isLocal = isUnixSocket || context.peer.map { Loopback.contains($0) } ?? false
        guard isLocal || isEncrypted else { return nil }
        let response = await api.respond(
            to: AdminRequest(
                method: request.method, path: String(request.uri.path.dropFirst(Self.root.count)),
                query: request.uri.query, fields: request.headers, address: context.peer?.description ?? "local",
                isLocal: isLocal
            ) { limit in
                do {
                    return Array(try await request.body.collect(upTo: limit).readableBytesView)
                } catch is NIOTooManyBytesError {
                    return nil
                }
            })
        context.route = response.route ?? Self.root
        return Response(
            status: .init(code: response.status), headers: response.fields,
            body: response.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: response.body)))
    }
}
