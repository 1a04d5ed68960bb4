import NIOSSL

extension CheckRun {
    /// Returns the TLS facts of the endpoint's own server.
    ///
    /// - Throws: ``CheckFailure`` if the server is unreachable or too slow.
    func tlsInfo(_ transport: ProbeTransport) async throws -> TLSInfo {
        do {
            return try await facts(of: endpoint.root, transport)
        } catch let failure as ProbeFailure {
            throw CheckFailure(description: "\(endpoint.root): \(failure)")
        }
    }

    /// Returns the TLS facts of the other servers. Unreachable servers are left out, because other rules report
    /// them.
    func otherFacts(_ origins: [Address], _ transport: ProbeTransport) async -> [OriginTLS] {
        var others: [OriginTLS] = []
        for origin in origins where origin.isSecure && !origin.isSameServer(as: endpoint.root) {
            if let facts = try? await facts(of: origin, transport) {
                others.append(OriginTLS(origin: origin, facts: facts))
            }
        }
        return others
    }

    /// Performs up to three handshakes: one as apps do, one without verification if the first fails, and one with
    /// an old TLS version.
    private func facts(of origin: Address, _ transport: ProbeTransport) async throws -> TLSInfo {
        let probe = TLSProbe(address: origin, transport: transport)
        let offered = ["h2", "http/1.1"]
        let trusted = try await probe.performHandshake { $0.applicationProtocols = offered }
        let handshake =
            if let trusted { trusted as TLSProbe.Handshake? } else {
                try await probe.performHandshake {
                    $0.applicationProtocols = offered
                    $0.certificateVerification = .none
                }
            }
        // A server that does not respond to old versions does not accept them.
        let old = try? await probe.performHandshake {
            $0.certificateVerification = .none
            $0.maximumTLSVersion = .tlsv11
        }
        return TLSInfo(
            version: handshake?.version, expiry: handshake?.expiry, isTrusted: trusted != nil,
            acceptsOldVersions: old != nil, speaksHTTP2: handshake?.speaksHTTP2 ?? false)
    }
}
