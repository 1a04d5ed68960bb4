import Foundation

/// The parts of an absolute http or https URL.
struct WebAddress: Sendable, Equatable {
    let scheme: String
    let host: String
    let port: Int
    /// The encoded path of the request, at least `/`.
    let path: String
    let query: String?

    /// Parses a URL. Returns nil if the text is not an absolute http or https URL, or contains user information.
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

    /// Returns whether both addresses have the same scheme, host and port.
    func hasSameOrigin(as other: WebAddress) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}
