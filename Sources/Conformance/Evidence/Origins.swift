extension Evidence {
    /// The servers that receive tokens, passwords or edition credentials, with one address for each. The endpoint's
    /// server comes first.
    var origins: [Address] {
        let calls = Call.allCases.compactMap { endpoint.own[$0] }
        var origins: [Address] = []
        for address in [endpoint.root] + calls + [cases.content, options.through].compactMap(\.self)
        where !origins.contains(where: { $0.isSameServer(as: address) }) {
            origins.append(address)
        }
        return origins
    }

    /// Returns the TLS facts of a server, or nil if it does not use TLS or was unreachable.
    func facts(of address: Address) -> TLSInfo? { tls.first { $0.origin.isSameServer(as: address) }?.facts }

    /// Returns a finding that names the server if it is not the endpoint's.
    func finding(_ text: String, of origin: Address) -> Finding {
        Finding(origin.isSameServer(as: endpoint.root) ? text : "\(origin.authority): \(text)")
    }
}

/// The TLS facts of one server.
package struct OriginTLS: Sendable {
    let origin: Address
    let facts: TLSInfo
}

extension Address {
    /// Returns whether both addresses have the same scheme, host and port (RFC 6454 section 4).
    func isSameServer(as other: Address) -> Bool {
        isSecure == other.isSecure && host.lowercased() == other.host.lowercased() && port == other.port
    }
}
