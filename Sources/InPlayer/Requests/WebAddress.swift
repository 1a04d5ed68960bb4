import Foundation

/// The parts of an absolute http or https URL.
struct WebAddress: Sendable, Equatable {
    let scheme: String
    let host: String
    let port: Int
    /// As it goes into a request, at least `/`.
    let path: String
    let query: String?

    /// Nil for what is no absolute http or https URL, or has user information.
    init?(_ text: String) {
        guard let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = components.host, !host.isEmpty, components.user == nil,
            components.password == nil
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = components.port ?? (scheme == "https" ? 443 : 80)
        path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
        query = components.percentEncodedQuery
    }

    /// Whether both are the same server, by the same way.
    func isOfSameOrigin(as other: WebAddress) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}
