extension CheckRun {
    /// Sends calls for two readers alternately through the shared cache, as two apps would.
    ///
    /// - Returns: The reason why no call was sent, or nil if the calls were sent.
    func checkThroughCache(_ prober: Prober, _ evidence: Evidence) async throws -> String? {
        guard let through = options.through else { return "no address of a shared cache is given (--via-cache)" }
        // A call with its own address does not go through the cache.
        let calls = Set(Call.allCases.filter { endpoint.own[$0] == nil })
        guard calls.contains(.verifySubscription) else { return "verify_subscription has its own address" }
        let known = evidence.verifications().filter { $0.exchange.root?.state != nil && $0.reader.failing.isEmpty }
        // A renewal may invalidate the old token, so the verification of that reader may have changed since.
        let pairs = known.filter { $0.reader.renewal == nil } + known.filter { $0.reader.renewal != nil }
        guard let first = pairs.first,
            let second = pairs.first(where: { Verification($0.exchange) != Verification(first.exchange) })
        else { return "no two readers are known whose verifications differ" }
        let cached = Endpoint(root: through)
        let readers = [first.reader, second.reader]
        let edition = Self.edition(of: readers)
        for round in 0..<2 {
            for reader in readers {
                guard let token = evidence.tokens[reader.name] else { continue }
                let fields = [Field("token", token)]
                var probes = Self.spelt { Probe(.viaSharedCache, .verifySubscription, fields, $0, at: cached) }
                if let edition, calls.contains(.editionCredentials) {
                    let requested = fields + [Field("product_id", edition)]
                    probes += Self.spelt {
                        var probe = Probe(.viaSharedCache, .editionCredentials, requested, $0, at: cached)
                        probe.edition = edition
                        return probe
                    }
                }
                if let fields = reader.signIn, round == 0, calls.contains(.signIn) {
                    probes += Self.spelt { Probe(.viaSharedCache, .signIn, fields, $0, at: cached) }
                }
                for var probe in probes {
                    probe.reader = reader.name
                    try await prober.send(probe)
                }
            }
        }
        if calls.contains(.renewToken) { try await checkRenewals(prober, evidence, at: cached) }
        return nil
    }

    /// Renews two tokens, once in each spelling. A made-up token that belongs to no reader replaces each missing
    /// one.
    ///
    /// The renewals come last, because a second renewal may invalidate the token.
    private func checkRenewals(_ prober: Prober, _ evidence: Evidence, at cached: Endpoint) async throws {
        var tokensToRenew: [(name: String?, token: String)] = renewable(evidence).prefix(2).map {
            ($0.reader.name, $0.token)
        }
        while tokensToRenew.count < 2 { tokensToRenew.append((nil, made("forged"))) }
        for reader in tokensToRenew {
            let fields = [Field("token", reader.token)]
            for var probe in Self.spelt({ Probe(.viaSharedCache, .renewToken, fields, $0, at: cached) }) {
                probe.reader = reader.name
                try await prober.send(probe)
            }
        }
    }

    private static func spelt(_ probe: (RequestStyle) -> Probe) -> [Probe] { [RequestStyle.query, .form].map(probe) }

    /// Returns an edition that as many of the readers as possible hold and that the others are known to lack, or
    /// nil if none is known. Credentials show best to which reader a response belongs.
    private static func edition(of readers: [CheckReader]) -> String? {
        func rank(_ edition: String) -> (Int, Int) {
            (readers.count { $0.holds.contains(edition) }, readers.count { $0.lacks.contains(edition) })
        }
        return readers.flatMap { $0.holds + $0.lacks }.max { rank($0) < rank($1) }
    }
}

/// The content of a verification without the values that may change between two responses.
struct Verification: Equatable {
    let status: Int?
    let state: String?
    let issues: [String]?

    init(_ exchange: Exchange) {
        status = exchange.response?.status
        state = exchange.root?.state
        issues = exchange.root?.issues?.sorted()
    }
}
