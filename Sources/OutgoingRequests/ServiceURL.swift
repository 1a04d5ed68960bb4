import Foundation

/// An absolute `http` or `https` URL for requests, with a host, and without user information or a fragment.
///
/// The text contains only the characters that RFC 3986 allows, escaped where necessary, so that no software
/// rewrites it.
package struct ServiceURL: Sendable, Equatable {
    package let text: String
    /// The scheme, host and port, in lower case and always with the port.
    package let origin: Origin

    package struct Origin: Sendable, Equatable {
        package let scheme: String
        package let host: String
        package let port: Int
    }

    /// Returns nil for anything else.
    package init?(_ text: String) {
        let others = "-._~:/?[]@!$&'()*+,;=%".utf8
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.contains(byte)
            }
        }
        guard isAllowed, let separator = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<separator.lowerBound].lowercased()
        let authority = text[separator.upperBound...].prefix { $0 != "/" && $0 != "?" }
        guard ["http", "https"].contains(scheme), !authority.isEmpty, !authority.contains("@"),
            let url = URL(string: text), url.user == nil, let host = url.host, !host.isEmpty,
            // If a port is written, it must be valid.
            !authority.hasSuffix(":"), url.port.map({ (1...65_535).contains($0) }) ?? true
        else { return nil }
        self.text = text
        origin = Origin(
            scheme: scheme, host: host.lowercased(), port: url.port ?? (scheme == "https" ? 443 : 80))
    }

    /// The path and the query, as in a request line (RFC 9112 section 3.2.1).
    package var target: String {
        guard let separator = text.firstRange(of: "://") else { return "/" }
        let rest = text[separator.upperBound...].drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }

    /// Returns the target of a redirect, or nil when it leads to another host or port, or from `https` to `http`.
    package func redirected(to location: String) -> ServiceURL? {
        guard let base = URL(string: text), let target = URL(string: location, relativeTo: base)?.absoluteString,
            let url = ServiceURL(String(target.prefix { $0 != "#" })), url.origin == origin
        else { return nil }
        return url
    }
}
