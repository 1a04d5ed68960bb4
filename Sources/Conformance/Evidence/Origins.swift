extension Evidence {
    /// The servers that are sent tokens, passwords or edition credentials, one address of each; the endpoint's first.
    var origins: [Address] {
        let calls = Call.allCases.compactMap { endpoint.own[$0] }
        var origins: [Address] = []
        for address in [endpoint.root] + calls + [cases.content, options.through].compactMap(\.self)
        where !origins.contains(where: { $0.isSameServer(as: address) }) {
            origins.append(address)
        }
        return origins
    }

    /// Nil where it is not asked over TLS, or was not there.
    func facts(of address: Address) -> TLSFacts? { tls.first { $0.origin.isSameServer(as: address) }?.facts }

    /// A finding that names the server, where it is not the endpoint's.
    func finding(_ text: String, of origin: Address) -> Finding {
        Finding(origin.isSameServer(as: endpoint.root) ? text : "\(origin.authority): \(text)")
    }
}

/// What is known of one server's TLS.
package struct OriginTLS: Sendable {
    let origin: Address
    let facts: TLSFacts
}

extension Address {
    /// Whether both are of one scheme, host and port (RFC 6454 section 4).
    func isSameServer(as other: Address) -> Bool {
        isSecure == other.isSecure && host.lowercased() == other.host.lowercased() && port == other.port
    }
}
