import NIOSSL

extension Checkup {
    /// Shakes hands three times: as apps do, trusting anybody, and as apps did long ago.
    ///
    /// - Throws: ``CouldNotCheck`` where nobody is there, or in no hurry.
    func tlsFacts(_ transport: ProbeTransport) async throws -> TLSFacts {
        do {
            return try await facts(transport)
        } catch let failure as ProbeFailure {
            throw CouldNotCheck(description: "\(endpoint.root): \(failure)")
        }
    }

    private func facts(_ transport: ProbeTransport) async throws -> TLSFacts {
        let probe = TLSProbe(address: endpoint.root, transport: transport)
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
