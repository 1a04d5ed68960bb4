/// The address of the admin listener: `127.0.0.1:8081`, or a Unix socket such as `unix:/run/gatefold/admin.sock`.
public enum AdminListenAddress: Hashable, Sendable, CustomStringConvertible {
    case tcp(ListenAddress)
    /// - Parameter path: The absolute path of the socket.
    case unix(path: String)

    private static let prefix = "unix:"
    /// The maximum length of the path of a socket in bytes (unix(7)).
    private static let maxPath = 103

    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else {
            guard let address = ListenAddress(text) else { return nil }
            self = .tcp(address)
            return
        }
        let path = String(text.dropFirst(Self.prefix.count))
        guard path.hasPrefix("/"), !path.hasSuffix("/"), (2...Self.maxPath).contains(path.utf8.count) else {
            return nil
        }
        self = .unix(path: path)
    }

    public var description: String {
        switch self {
        case .tcp(let address): address.description
        case .unix(let path): Self.prefix + path
        }
    }

    /// Whether only clients on this machine reach the address.
    var isLocal: Bool {
        switch self {
        case .tcp(let address): Loopback.contains(host: address.host)
        case .unix: true
        }
    }
}
