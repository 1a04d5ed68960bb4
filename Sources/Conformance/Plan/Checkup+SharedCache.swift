extension Checkup {
    /// Asks for two readers by way of the shared cache, by turns, as two apps would.
    ///
    /// - Returns: why it was not asked; nil when it was.
    func askThroughCache(_ prober: Prober, _ evidence: Evidence) async throws -> String? {
        guard let through = options.through else { return "no address of a shared cache is given (--through)" }
        // One with an address of its own is asked there, past the cache.
        let calls = Set(Call.allCases.filter { endpoint.own[$0] == nil })
        guard calls.contains(.verifySubscription) else { return "verify_subscription has an address of its own" }
        let known = evidence.verifications().filter { $0.exchange.root?.state != nil && $0.reader.failing.isEmpty }
        // Where a token is good for nothing once it was renewed, what its reader is told is no longer what it was.
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
                var probes = Self.spelt { Probe(.throughCache, .verifySubscription, fields, $0, at: cached) }
                if let edition, calls.contains(.editionCredentials) {
                    let asked = fields + [Field("product_id", edition)]
                    probes += Self.spelt {
                        var probe = Probe(.throughCache, .editionCredentials, asked, $0, at: cached)
                        probe.edition = edition
                        return probe
                    }
                }
                if let fields = reader.signIn, round == 0, calls.contains(.signIn) {
                    probes += Self.spelt { Probe(.throughCache, .signIn, fields, $0, at: cached) }
                }
                for var probe in probes {
                    probe.reader = reader.name
                    try await prober.ask(probe)
                }
            }
        }
        if calls.contains(.renewToken) { try await askRenewals(prober, evidence, at: cached) }
        return nil
    }

    /// Renews two tokens, once by each spelling; a made-up one of nobody's stands in for each that is missing.
    ///
    /// Last of all, because what is renewed once more may be good for nothing more.
    private func askRenewals(_ prober: Prober, _ evidence: Evidence, at cached: Endpoint) async throws {
        var askers: [(name: String?, token: String)] = renewable(evidence).prefix(2).map { ($0.reader.name, $0.token) }
        while askers.count < 2 { askers.append((nil, made("forged"))) }
        for asker in askers {
            let fields = [Field("token", asker.token)]
            for var probe in Self.spelt({ Probe(.throughCache, .renewToken, fields, $0, at: cached) }) {
                probe.reader = asker.name
                try await prober.ask(probe)
            }
        }
    }

    private static func spelt(_ probe: (Spelling) -> Probe) -> [Probe] { [Spelling.query, .form].map(probe) }

    /// An edition that as many of the readers as can be hold, and the others are known to lack, because its credentials
    /// show best whose they are; nil where none is known.
    private static func edition(of readers: [CheckReader]) -> String? {
        func rank(_ edition: String) -> (Int, Int) {
            (readers.count { $0.holds.contains(edition) }, readers.count { $0.lacks.contains(edition) })
        }
        return readers.flatMap { $0.holds + $0.lacks }.max { rank($0) < rank($1) }
    }
}

/// What a verification says, without the words that may change from one to the next.
struct Verification: Equatable {
    let status: Int?
    let state: String?
    let issues: [String]?

    init(_ exchange: Exchange) {
        status = exchange.answer?.status
        state = exchange.root?.state
        issues = exchange.root?.issues?.sorted()
    }
}
