import XML

extension CheckRun {
    /// Makes an app's calls for a reader: sign-in, verification, credentials and renewal.
    func send(for reader: CheckReader, _ prober: Prober, _ evidence: inout Evidence) async throws {
        func probe(
            _ purpose: ProbePurpose, _ call: Call, _ fields: [Field], _ requestStyle: RequestStyle = .query,
            edition: String? = nil
        ) -> Probe {
            var probe = Probe(purpose, call, fields, requestStyle, at: endpoint)
            probe.reader = reader.name
            probe.edition = edition
            return probe
        }
        func purpose(_ call: CheckReader.FailingCall, otherwise usual: ProbePurpose) -> ProbePurpose {
            reader.failing.contains(call) ? .failing : usual
        }
        var issued = reader.token
        if let fields = reader.signIn {
            let requested = purpose(.signIn, otherwise: .ordinary)
            let response = try await prober.send(probe(requested, .signIn, fields, .form))
            if requested != .failing { issued = response.root?.token ?? issued }
        }
        guard let token = issued else { return }
        evidence.tokens[reader.name] = token
        let fields = [Field("token", token)]
        try await prober.send(probe(purpose(.verification, otherwise: .ordinary), .verifySubscription, fields))
        for (editions, usual) in [(reader.holds, ProbePurpose.ordinary), (reader.lacks, .notEntitled)] {
            for edition in editions {
                let requested = fields + [Field("product_id", edition)]
                try await prober.send(
                    probe(
                        purpose(.credentials, otherwise: usual), .editionCredentials, requested, edition: edition))
            }
        }
        guard reader.renewal != nil || reader.failing.contains(.renewal) else { return }
        let renewal = try await prober.send(probe(purpose(.renewal, otherwise: .renewal), .renewToken, fields))
        // The check does not follow up a token that was issued in an outage.
        guard !reader.failing.contains(.renewal), let renewed = renewal.root?.token else { return }
        try await prober.send(
            probe(
                purpose(.verification, otherwise: .renewed), .verifySubscription, [Field("token", renewed)]))
    }

    /// Sends the same calls in all spellings and by HEAD. Renewal is sent for a reader with `renew`, the other
    /// calls for the first reader who holds an edition, or else for the first reader with a token.
    func checkSpellings(_ prober: Prober, _ evidence: Evidence) async throws {
        try await checkRenewalSpellings(prober, evidence)
        let known = cases.readers.filter { evidence.tokens[$0.name] != nil && $0.failing.isEmpty }
        let reader = known.first { !$0.holds.isEmpty } ?? known.first
        guard let reader, let token = evidence.tokens[reader.name] else { return }
        var calls: [(Call, [Field], edition: String?)] = [(.verifySubscription, [Field("token", token)], nil)]
        if let edition = reader.holds.first {
            calls.append((.editionCredentials, [Field("token", token), Field("product_id", edition)], edition))
        }
        if let fields = reader.signIn { calls.append((.signIn, fields, nil)) }
        for (call, fields, edition) in calls {
            let requested: RequestStyle = call == .signIn ? .form : .query
            for requestStyle in RequestStyle.allCases
            where requestStyle != requested && endpoint.allows(requestStyle, of: call) {
                var probe = Probe(.ordinary, call, fields, requestStyle, at: endpoint)
                probe.reader = reader.name
                probe.edition = edition
                try await prober.send(probe)
            }
            guard call != .signIn else { continue }
            var head = Probe(.head, call, fields, at: endpoint)
            head.method = "HEAD"
            head.reader = reader.name
            try await prober.send(head)
        }
        var empty = Probe(.missingProduct, .editionCredentials, [Field("token", token)], at: endpoint)
        empty.reader = reader.name
        try await prober.send(empty)
        empty = Probe(
            .missingProduct, .editionCredentials, [Field("token", token), Field("product_id", "")], at: endpoint)
        empty.reader = reader.name
        try await prober.send(empty)
    }
}

extension CheckRun {
    /// Returns the readers for whose tokens the result of a renewal is known. Readers whose tokens can be renewed
    /// come first.
    func renewable(_ evidence: Evidence) -> [(reader: CheckReader, token: String)] {
        let known = cases.readers.compactMap { reader -> (reader: CheckReader, token: String)? in
            guard reader.renewal != nil, reader.failing.isEmpty, let token = evidence.tokens[reader.name] else {
                return nil
            }
            return (reader, token)
        }
        return known.filter { $0.reader.renewal == .token } + known.filter { $0.reader.renewal != .token }
    }

    /// Renews a token in all spellings. It prefers a reader whose token can be renewed, because a call that does
    /// not find its parameters rejects every token.
    private func checkRenewalSpellings(_ prober: Prober, _ evidence: Evidence) async throws {
        guard let (reader, token) = renewable(evidence).first else { return }
        let fields = [Field("token", token)]
        for requestStyle in RequestStyle.allCases where endpoint.allows(requestStyle, of: .renewToken) {
            var probe = Probe(.renewalAgain, .renewToken, fields, requestStyle, at: endpoint)
            probe.reader = reader.name
            try await prober.send(probe)
        }
        var head = Probe(.head, .renewToken, fields, at: endpoint)
        head.method = "HEAD"
        head.reader = reader.name
        try await prober.send(head)
    }
}

extension Endpoint {
    /// Returns whether a call may have the spelling. A call with its own address has no spelling with a slash.
    func allows(_ requestStyle: RequestStyle, of call: Call) -> Bool { own[call] == nil || !requestStyle.hasSlash }
}
