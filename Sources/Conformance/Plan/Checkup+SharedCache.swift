extension Checkup {
    /// Asks for two readers by way of the shared cache, by turns, as two apps would.
    ///
    /// - Returns: why it was not asked; nil when it was.
    func askThroughCache(_ prober: Prober, _ evidence: Evidence) async throws -> String? {
        guard let through = options.through else { return "no address of a shared cache is given (--through)" }
        let pairs = evidence.verifications().filter { $0.exchange.root?.state != nil && $0.reader.failing.isEmpty }
        guard let first = pairs.first,
            let second = pairs.first(where: { Verification($0.exchange) != Verification(first.exchange) })
        else { return "no two readers are known whose verifications differ" }
        let cached = Endpoint(root: through)
        for round in 0..<2 {
            for (reader, _) in [first, second] {
                guard let token = evidence.tokens[reader.name] else { continue }
                var probes = [Spelling.query, .form].map {
                    Probe(.throughCache, .verifySubscription, [Field("token", token)], $0, at: cached)
                }
                if let fields = reader.signIn, round == 0 {
                    probes += [Spelling.query, .form].map { Probe(.throughCache, .signIn, fields, $0, at: cached) }
                }
                for var probe in probes {
                    probe.reader = reader.name
                    try await prober.ask(probe)
                }
            }
        }
        return nil
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
