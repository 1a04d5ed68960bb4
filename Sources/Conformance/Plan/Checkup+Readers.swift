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
        var given = reader.token
        if let fields = reader.signIn {
            let situation: Situation = reader.failing == .signIn ? .failing : .ordinary
            let answer = try await prober.ask(probe(situation, .signIn, fields, .form))
            given = answer.root?.token ?? given
        }
        guard let token = given, reader.failing != .signIn else { return }
        evidence.tokens[reader.name] = token
        let isFailing = reader.failing == .verification
        let fields = [Field("token", token)]
        try await prober.ask(probe(isFailing ? .failing : .ordinary, .verifySubscription, fields))
        for (editions, situation) in [(reader.holds, Situation.ordinary), (reader.lacks, .unheld)] {
            for edition in editions {
                let asked = fields + [Field("product_id", edition)]
                try await prober.ask(probe(situation, .editionCredentials, asked, edition: edition))
            }
        }
        guard reader.renewal != nil else { return }
        let renewal = try await prober.ask(probe(.renewal, .renewToken, fields))
        if let renewed = renewal.root?.token {
            try await prober.ask(probe(.renewed, .verifySubscription, [Field("token", renewed)]))
        }
    }

    /// Asks the same by all spellings, and by HEAD, for the first reader who may have something.
    func askSpellings(_ prober: Prober, _ evidence: Evidence) async throws {
        let model = cases.readers.first { !$0.holds.isEmpty && evidence.tokens[$0.name] != nil && $0.failing == nil }
        let reader = model ?? cases.readers.first { evidence.tokens[$0.name] != nil && $0.failing == nil }
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

extension Endpoint {
    /// A call with an address of its own is asked by no other.
    func allows(_ spelling: Spelling, of call: Call) -> Bool { own[call] == nil || !spelling.hasSlash }
}
