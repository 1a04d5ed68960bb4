import AdminAPI
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore

/// The route of the admin API on the admin listener.
struct AdminAPIEndpoint: Sendable {
    let api: AdminAPI<AdminServices>
    /// The connections of the listener.
    let transport: Transport

    enum Transport: Sendable, Equatable {
        /// A Unix socket, with or without TLS.
        case unixSocket(isEncrypted: Bool)
        case encrypted
        /// - Parameter host: The host in the configuration.
        case plain(host: String)

        var isEncrypted: Bool { self == .encrypted || self == .unixSocket(isEncrypted: true) }
    }

    static let root = AdminAPI<AdminServices>.root

    /// Returns the response to a request; nil if the connection is neither local nor encrypted, as if there were no API:
    /// a token must not cross a network in clear.
    func respond(to request: Request, context: GatefoldRequestContext) async -> Response? {
        guard let call = self.request(request, context, below: Self.root) else { return nil }
        let response = await api.respond(to: call)
        context.route = response.route ?? Self.root
        return Response(
            status: .init(code: response.status), headers: response.fields,
            body: response.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: response.body)))
    }

    /// Returns a request with the path below another one; nil if the connection is neither local nor encrypted.
    func request(_ request: Request, _ context: GatefoldRequestContext, below root: String) -> AdminRequest? {
        let (peer, local) = (context.peer, context.localAddress)
        let isLocal = self.isLocal(peer, to: local)
        guard isLocal || transport.isEncrypted else { return nil }
        return AdminRequest(
            method: request.method, path: String(request.uri.path.dropFirst(root.count)),
            query: request.uri.query, fields: request.headers, address: Self.network(of: peer),
            isLocal: isLocal, isForThisHost: isForThisHost(request.head.authority, local)
        ) { limit in
            do {
                return Array(try await request.body.collect(upTo: limit).readableBytesView)
            } catch is NIOTooManyBytesError {
                return nil
            }
        }
    }

    /// Returns whether a client is on this machine. A connection from an address to itself does not leave the machine. The
    /// connection of another listener than a Unix socket may have no address because it was closed.
    func isLocal(_ peer: ClientAddress?, to local: ClientAddress?) -> Bool {
        if case .unixSocket = transport { return true }
        guard let peer else { return false }
        return Loopback.contains(peer) || peer == local
    }

    /// Returns whether the host of a request without TLS is this machine. Otherwise a name that an attacker lets resolve to
    /// this machine would reach it (DNS rebinding). At a Unix socket the host is a loopback one, as in a tunnel, or none.
    func isForThisHost(_ authority: String?, _ local: ClientAddress?) -> Bool {
        if transport.isEncrypted { return true }
        let host = authority.map { Self.host(of: $0) }
        switch transport {
        case .encrypted: return true
        case .unixSocket: return host.map { $0.isEmpty || Loopback.contains(host: $0) } ?? true
        case .plain(let configured):
            guard let host else { return false }
            if Loopback.contains(host: host) || host == configured.lowercased() { return true }
            return ClientAddress(host).map { $0 == local } ?? false
        }
    }

    /// Returns the host of an authority without its port, in lower case (RFC 3986 section 3.2).
    static func host(of authority: String) -> String {
        let text = authority.lowercased()
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        return String(text.prefix { $0 != ":" })
    }

    /// Returns the network for which failures are counted: an IPv6 client has a whole /64.
    private static func network(of peer: ClientAddress?) -> String {
        peer.map { $0.isIPv6 ? $0.prefix(bits: 64) : $0 }?.description ?? "local"
    }
}
