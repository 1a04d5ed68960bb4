import NIOSSL

extension Checkup {
    /// Shakes hands three times: as apps do, trusting anybody, and as apps did long ago.
    func tlsFacts(_ transport: ProbeTransport) async throws -> TLSFacts {
        let probe = TLSProbe(address: endpoint.root, transport: transport)
        let offered = ["h2", "http/1.1"]
        let trusted = await probe.shake { $0.applicationProtocols = offered }
        let handshake =
            if let trusted { trusted as TLSProbe.Handshake? } else {
                await probe.shake {
                    $0.applicationProtocols = offered
                    $0.certificateVerification = .none
                }
            }
        let old = await probe.shake {
            $0.certificateVerification = .none
            $0.maximumTLSVersion = .tlsv11
        }
        return TLSFacts(
            version: handshake?.version, expiry: handshake?.expiry, isTrusted: trusted != nil,
            takesOldVersions: old != nil, speaksHTTP2: handshake?.speaksHTTP2 ?? false)
    }
}
