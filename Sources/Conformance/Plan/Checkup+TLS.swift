import NIOSSL

extension Checkup {
    /// Of the endpoint's own server.
    ///
    /// - Throws: ``CouldNotCheck`` where nobody is there, or in no hurry.
    func tlsFacts(_ transport: ProbeTransport) async throws -> TLSFacts {
        do {
            return try await facts(of: endpoint.root, transport)
        } catch let failure as ProbeFailure {
            throw CouldNotCheck(description: "\(endpoint.root): \(failure)")
        }
    }

    /// Of the other servers that are asked; of those that are away other rules speak.
    func otherFacts(_ origins: [Address], _ transport: ProbeTransport) async -> [OriginTLS] {
        var others: [OriginTLS] = []
        for origin in origins where origin.isSecure && !origin.isSameServer(as: endpoint.root) {
            if let facts = try? await facts(of: origin, transport) {
                others.append(OriginTLS(origin: origin, facts: facts))
            }
        }
        return others
    }

    /// Shakes hands three times: as apps do, trusting anybody, and as apps did long ago.
    private func facts(of origin: Address, _ transport: ProbeTransport) async throws -> TLSFacts {
        let probe = TLSProbe(address: origin, transport: transport)
        let offered = ["h2", "http/1.1"]
        let trusted = try await probe.shake { $0.applicationProtocols = offered }
        let handshake =
            if let trusted { trusted as TLSProbe.Handshake? } else {
                try await probe.shake {
                    $0.applicationProtocols = offered
                    $0.certificateVerification = .none
                }
            }
        // One that does not even refuse them does not take them.
        let old = try? await probe.shake {
            $0.certificateVerification = .none
            $0.maximumTLSVersion = .tlsv11
        }
        return TLSFacts(
            version: handshake?.version, expiry: handshake?.expiry, isTrusted: trusted != nil,
            takesOldVersions: old != nil, speaksHTTP2: handshake?.speaksHTTP2 ?? false)
    }
}
