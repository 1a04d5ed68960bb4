import Foundation

/// An absolute `http` or `https` URL that may be asked: a host, and neither user information nor a fragment.
///
/// It is made of the characters RFC 3986 allows, escaped where need be, so that nothing rewrites it on its way.
package struct ServiceURL: Sendable, Equatable {
    package let text: String
    /// The scheme, host and port, in lower case and with the port always named.
    package let origin: Origin

    package struct Origin: Sendable, Equatable {
        package let scheme: String
        package let host: String
        package let port: Int
    }

    /// Nil for anything else.
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
            // The port, where one is written, is one.
            !authority.hasSuffix(":"), url.port.map({ (1...65_535).contains($0) }) ?? true
        else { return nil }
        self.text = text
        origin = Origin(
            scheme: scheme, host: host.lowercased(), port: url.port ?? (scheme == "https" ? 443 : 80))
    }

    /// The path and the query, as a request has them (RFC 9112 section 3.2.1).
    package var target: String {
        guard let separator = text.firstRange(of: "://") else { return "/" }
        let rest = text[separator.upperBound...].drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }

    /// Where a redirect leads from here; nil when it leads to another host or port, or from `https` to `http`.
    package func redirected(to location: String) -> ServiceURL? {
        guard let base = URL(string: text), let target = URL(string: location, relativeTo: base)?.absoluteString,
            let url = ServiceURL(String(target.prefix { $0 != "#" })), url.origin == origin
        else { return nil }
        return url
    }
}
