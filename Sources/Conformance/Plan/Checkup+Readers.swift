import XML

extension Checkup {
    /// Walks an app's way for a reader: sign-in, verification, credentials, renewal.
    func ask(for reader: CheckReader, _ prober: Prober, _ evidence: inout Evidence) async throws {
        func probe(
            _ situation: Situation, _ call: Call, _ fields: [Field], _ spelling: Spelling = .query,
            edition: String? = nil
        ) -> Probe {
            var probe = Probe(situation, call, fields, spelling, at: endpoint)
            probe.reader = reader.name
            probe.edition = edition
            return probe
        }
        func situation(_ call: CheckReader.Failing, otherwise usual: Situation) -> Situation {
            reader.failing.contains(call) ? .failing : usual
        }
        var given = reader.token
        if let fields = reader.signIn {
            let asked = situation(.signIn, otherwise: .ordinary)
            let answer = try await prober.ask(probe(asked, .signIn, fields, .form))
            if asked != .failing { given = answer.root?.token ?? given }
        }
        guard let token = given else { return }
        evidence.tokens[reader.name] = token
        let fields = [Field("token", token)]
        try await prober.ask(probe(situation(.verification, otherwise: .ordinary), .verifySubscription, fields))
        for (editions, usual) in [(reader.holds, Situation.ordinary), (reader.lacks, .unheld)] {
            for edition in editions {
                let asked = fields + [Field("product_id", edition)]
                try await prober.ask(
                    probe(
                        situation(.credentials, otherwise: usual), .editionCredentials, asked, edition: edition))
            }
        }
        guard reader.renewal != nil || reader.failing.contains(.renewal) else { return }
        let renewal = try await prober.ask(probe(situation(.renewal, otherwise: .renewal), .renewToken, fields))
        // What is given in an outage is not followed any further.
        guard !reader.failing.contains(.renewal), let renewed = renewal.root?.token else { return }
        try await prober.ask(
            probe(
                situation(.verification, otherwise: .renewed), .verifySubscription, [Field("token", renewed)]))
    }

    /// Asks the same by all spellings, and by HEAD: renewal for a reader with `renew`, and the rest for the first reader who may have
    /// something.
    func askSpellings(_ prober: Prober, _ evidence: Evidence) async throws {
        try await askRenewalSpellings(prober, evidence)
        let known = cases.readers.filter { evidence.tokens[$0.name] != nil && $0.failing.isEmpty }
        let reader = known.first { !$0.holds.isEmpty } ?? known.first
        guard let reader, let token = evidence.tokens[reader.name] else { return }
        var calls: [(Call, [Field], edition: String?)] = [(.verifySubscription, [Field("token", token)], nil)]
        if let edition = reader.holds.first {
            calls.append((.editionCredentials, [Field("token", token), Field("product_id", edition)], edition))
        }
        if let fields = reader.signIn { calls.append((.signIn, fields, nil)) }
        for (call, fields, edition) in calls {
            let asked: Spelling = call == .signIn ? .form : .query
            for spelling in Spelling.allCases where spelling != asked && endpoint.allows(spelling, of: call) {
                var probe = Probe(.ordinary, call, fields, spelling, at: endpoint)
                probe.reader = reader.name
                probe.edition = edition
                try await prober.ask(probe)
            }
            guard call != .signIn else { continue }
            var head = Probe(.head, call, fields, at: endpoint)
            head.method = "HEAD"
            head.reader = reader.name
            try await prober.ask(head)
        }
        var empty = Probe(.missingProduct, .editionCredentials, [Field("token", token)], at: endpoint)
        empty.reader = reader.name
        try await prober.ask(empty)
        empty = Probe(
            .missingProduct, .editionCredentials, [Field("token", token), Field("product_id", "")], at: endpoint)
        empty.reader = reader.name
        try await prober.ask(empty)
    }
}

extension Checkup {
    /// The readers of whose tokens it is known whether they can be renewed; those that can first.
    func renewable(_ evidence: Evidence) -> [(reader: CheckReader, token: String)] {
        let known = cases.readers.compactMap { reader -> (reader: CheckReader, token: String)? in
            guard reader.renewal != nil, reader.failing.isEmpty, let token = evidence.tokens[reader.name] else {
                return nil
            }
            return (reader, token)
        }
        return known.filter { $0.reader.renewal == .token } + known.filter { $0.reader.renewal != .token }
    }

    /// Prefers a reader whose token can be renewed: a call that does not find its parameters refuses everybody.
    private func askRenewalSpellings(_ prober: Prober, _ evidence: Evidence) async throws {
        guard let (reader, token) = renewable(evidence).first else { return }
        let fields = [Field("token", token)]
        for spelling in Spelling.allCases where endpoint.allows(spelling, of: .renewToken) {
            var probe = Probe(.renewalAgain, .renewToken, fields, spelling, at: endpoint)
            probe.reader = reader.name
            try await prober.ask(probe)
        }
        var head = Probe(.head, .renewToken, fields, at: endpoint)
        head.method = "HEAD"
        head.reader = reader.name
        try await prober.ask(head)
    }
}

extension Endpoint {
    /// A call with an address of its own is asked by no other.
    func allows(_ spelling: Spelling, of call: Call) -> Bool { own[call] == nil || !spelling.hasSlash }
}
