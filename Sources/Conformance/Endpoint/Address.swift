/// A web address exactly as written. No part is escaped, folded or completed, because the request must have the
/// spelling that the caller chose.
package struct Address: Sendable, Hashable, CustomStringConvertible {
    package let isSecure: Bool
    /// The host name or IP address. An IPv6 address has no brackets.
    package let host: String
    package let port: Int
    /// The path, which begins with a slash.
    package var path: String
    /// The query without its question mark.
    package var query: String?

    /// - Parameter text: An `http` or `https` URL without a user and without a fragment.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#"),
            let colon = text.firstRange(of: "://")
        else { return nil }
        switch text[..<colon.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = text[colon.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let (host, port) = Self.authority(rest[..<end]) else { return nil }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        let parts = rest[end...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        if path.isEmpty { path = "/" }
        query = parts.count > 1 ? String(parts[1]) : nil
    }

    private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
        guard !text.contains("@") else { return nil }
        let host: Substring
        var rest: Substring
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<bracket]
            rest = text[text.index(after: bracket)...]
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<colon]
            rest = text[colon...]
        }
        guard !host.isEmpty else { return nil }
        guard rest.popFirst() != nil else { return (String(host), nil) }
        guard let port = Int(rest), (1...65_535).contains(port) else { return nil }
        return (String(host), port)
    }

    /// The value of the `Host` field.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The target in the request line.
    package var target: String { query.map { "\(path)?\($0)" } ?? path }

    package var description: String { "\(isSecure ? "https" : "http")://\(authority)\(target)" }

    /// A Boolean value that indicates whether the address is on this machine, where no other machine can read the
    /// traffic.
    package var isLoopback: Bool {
        // Only a parsed address counts, because a host name may begin like one.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let isIPv4 = parts.count == 4 && !parts.contains(nil)
        return host == "::1" || host.lowercased() == "localhost" || (isIPv4 && parts[0] == 127)
    }
}
