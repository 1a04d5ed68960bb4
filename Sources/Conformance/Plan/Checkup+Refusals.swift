extension Checkup {
    /// What nobody, a wrong proof, a made-up token and no token are answered.
    func askRefusals(_ prober: Prober) async throws {
        let known = cases.readers.first { $0.triesWrongProof } ?? cases.readers.first { $0.signIn != nil }
        // The same for both: what is answered may then differ by nothing but who is asked for.
        let word = made("wrong")
        if let known, let fields = known.signIn, known.failing == nil {
            try await prober.ask(Probe(.unknownReader, .signIn, unknown(fields, word), .form, at: endpoint))
            // Of readers who were not chosen for it, it is not known that anything is a proof.
            if let wrong = wrong(fields, of: known, word) {
                var probe = Probe(.wrongProof, .signIn, wrong, .form, at: endpoint)
                probe.reader = known.name
                try await prober.ask(probe)
            }
        } else {
            let fields = [Field("username", made("nobody")), Field("password", word)]
            try await prober.ask(Probe(.unknownReader, .signIn, fields, .form, at: endpoint))
        }
        let product = Field("product_id", cases.readers.lazy.compactMap(\.holds.first).first ?? "com.example.edition")
        for (situation, token) in [(Situation.forgedToken, [Field("token", made("forged"))]), (.missingToken, [])] {
            try await prober.ask(Probe(situation, .verifySubscription, token, at: endpoint))
            try await prober.ask(Probe(situation, .editionCredentials, token + [product], at: endpoint))
        }
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
