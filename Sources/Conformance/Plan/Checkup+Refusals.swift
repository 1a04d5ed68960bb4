extension Checkup {
    /// What nobody, a wrong proof, a made-up token and no token are answered.
    func askRefusals(_ prober: Prober) async throws {
        let tried = cases.triedWithWrongProof
        let known = tried.first ?? cases.readers.first { $0.signIn != nil }
        // The same for all: what is answered may then differ by nothing but who is asked for.
        let word = made("wrong")
        if let known, let fields = known.signIn, !known.failing.contains(.signIn) {
            let nobody = Probe(.unknownReader, .signIn, unknown(fields, word), .form, at: endpoint)
            let first = try await prober.ask(nobody)
            // Of readers who were not chosen for it, it is not known that anything is a proof.
            var refused: [Exchange] = []
            for reader in tried {
                guard let fields = reader.signIn, let wrong = self.wrong(fields, of: reader, word) else { continue }
                var probe = Probe(.wrongProof, .signIn, wrong, .form, at: endpoint)
                probe.reader = reader.name
                refused.append(try await prober.ask(probe))
            }
            // What differs between answers to nobody as well tells nothing of anybody. Twice, because two servers may
            // take turns.
            if refused.contains(where: { Uniformity.difference(of: $0, to: [first]) != nil }) {
                for _ in 0..<2 { try await prober.ask(nobody) }
            }
        } else {
            let fields = [Field("username", made("nobody")), Field("password", word)]
            try await prober.ask(Probe(.unknownReader, .signIn, fields, .form, at: endpoint))
        }
        let product = Field("product_id", cases.readers.lazy.compactMap(\.holds.first).first ?? "com.example.edition")
        for (situation, token) in [(Situation.forgedToken, [Field("token", made("forged"))]), (.missingToken, [])] {
            try await prober.ask(Probe(situation, .verifySubscription, token, at: endpoint))
            try await prober.ask(Probe(situation, .editionCredentials, token + [product], at: endpoint))
            try await askAndVerify(Probe(situation, .renewToken, token, at: endpoint), prober)
        }
    }

    /// Asks, and of a token that is given whether it is good.
    func askAndVerify(_ probe: Probe, _ prober: Prober) async throws {
        guard let token = try await prober.ask(probe).root?.token, probe.call == .renewToken else { return }
        try await prober.ask(Probe(probe.situation, .verifySubscription, [Field("token", token)], at: endpoint))
    }

    /// The same fields with the word as the proof, and a made-up value in every other.
    func unknown(_ fields: [Field], _ word: String) -> [Field] {
        fields.map { Field($0.name, $0.name == cases.proofName ? word : "\(made("nobody"))@example.com") }
    }

    /// The reader's fields with the word as the proof; nil where that would not be wrong for certain.
    func wrong(_ fields: [Field], of reader: CheckReader, _ word: String) -> [Field]? {
        guard reader.triesWrongProof, fields.contains(where: { $0.name == cases.proofName }) else { return nil }
        return fields.map { $0.name == cases.proofName ? Field($0.name, word) : $0 }
    }
}
