extension CheckRun {
    /// Sends calls with an unknown reader, a wrong proof, a made-up token and no token.
    func checkDenials(_ prober: Prober) async throws {
        let tried = cases.triedWithWrongProof
        let known = tried.first ?? cases.readers.first { $0.signIn != nil }
        // The proof is the same for all, so that the responses can differ only by the reader.
        let wrongPassword = made("wrong")
        if let known, let fields = known.signIn, !known.failing.contains(.signIn) {
            let nobody = Probe(.unknownReader, .signIn, unknown(fields, wrongPassword), .form, at: endpoint)
            let first = try await prober.send(nobody)
            // A reader that the operator did not choose is not tried, because no field of it is known to be a
            // proof.
            var rejected: [Exchange] = []
            for reader in tried {
                guard let fields = reader.signIn, let wrong = self.wrong(fields, of: reader, wrongPassword) else {
                    continue
                }
                var probe = Probe(.wrongProof, .signIn, wrong, .form, at: endpoint)
                probe.reader = reader.name
                rejected.append(try await prober.send(probe))
            }
            // A difference that also occurs between responses to an unknown reader reveals no reader. The request
            // is sent twice, because two servers may take turns.
            if rejected.contains(where: { Uniformity.difference(of: $0, to: [first]) != nil }) {
                for _ in 0..<2 { try await prober.send(nobody) }
            }
        } else {
            let fields = [Field("username", made("nobody")), Field("password", wrongPassword)]
            try await prober.send(Probe(.unknownReader, .signIn, fields, .form, at: endpoint))
        }
        let product = Field("product_id", cases.readers.lazy.compactMap(\.holds.first).first ?? "com.example.edition")
        for (purpose, token) in [(ProbePurpose.forgedToken, [Field("token", made("forged"))]), (.missingToken, [])] {
            try await prober.send(Probe(purpose, .verifySubscription, token, at: endpoint))
            try await prober.send(Probe(purpose, .editionCredentials, token + [product], at: endpoint))
            try await sendAndVerify(Probe(purpose, .renewToken, token, at: endpoint), prober)
        }
    }

    /// Sends the request. If a renewal returns a token, verifies that token.
    func sendAndVerify(_ probe: Probe, _ prober: Prober) async throws {
        guard let token = try await prober.send(probe).root?.token, probe.call == .renewToken else { return }
        try await prober.send(Probe(probe.purpose, .verifySubscription, [Field("token", token)], at: endpoint))
    }

    /// Returns the fields with the given proof and a made-up value in every other field.
    func unknown(_ fields: [Field], _ wrongPassword: String) -> [Field] {
        fields.map { Field($0.name, $0.name == cases.proofName ? wrongPassword : "\(made("nobody"))@example.com") }
    }

    /// Returns the reader's fields with the given proof, or nil if the proof would not certainly be wrong.
    func wrong(_ fields: [Field], of reader: CheckReader, _ wrongPassword: String) -> [Field]? {
        guard reader.triesWrongProof, fields.contains(where: { $0.name == cases.proofName }) else { return nil }
        return fields.map { $0.name == cases.proofName ? Field($0.name, wrongPassword) : $0 }
    }
}
