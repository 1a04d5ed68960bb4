package import Gatefold

/// Makes a check: which requests are made follows from what is known about the endpoint, and from what it answers.
///
/// Nothing is changed on the other side beyond what a reader's own sign-in changes: tokens are not signed out, and few
/// sign-ins are wrong.
package struct Checkup: Sendable {
    let endpoint: Endpoint
    private(set) var cases: CheckCases
    let options: CheckOptions
    let clock: WallClock
    let random: RandomSource
    private let progress: @Sendable (String) -> Void

    package init(
        endpoint: Endpoint, cases: CheckCases, options: CheckOptions = CheckOptions(), clock: WallClock = .system,
        random: RandomSource = .system, progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.endpoint = endpoint
        self.cases = cases
        self.options = options
        self.clock = clock
        self.random = random
        self.progress = progress
    }

    /// Nothing that speaks HTTP answers there, or nothing that can be read to its end.
    package struct CouldNotCheck: Error, CustomStringConvertible {
        package let description: String
        /// Whether it answered before, and stopped.
        var isSilence = false
        /// Whether it answered more than can be kept.
        var isExcess = false
    }

    /// - Throws: ``CouldNotCheck``, or `CancellationError`.
    package func run() async throws -> CheckReport {
        guard endpoint.root.isSecure else { return try await run(with: nil) }
        progress("TLS")
        let facts = try await tlsFacts(transport(.verified(options.roots)))
        guard !facts.isTrusted, !options.isInsecure else { return try await run(with: facts) }
        // Whoever answers there may be anybody: nobody's password is said to them.
        var careful = self
        careful.cases.readers = []
        return try await careful.run(with: facts)
    }

    private func run(with tls: TLSFacts?) async throws -> CheckReport {
        let start = ContinuousClock.now
        var evidence = Evidence(endpoint: endpoint, cases: cases, options: options, date: clock.now)
        evidence.tls = tls.map { [OriginTLS(origin: endpoint.root, facts: $0)] } ?? []
        evidence.tls += await otherFacts(evidence.origins, self.transport(.verified(options.roots)))
        let isTrusted = tls?.isTrusted ?? true
        let transport = self.transport(isTrusted && !options.isInsecure ? .verified(options.roots) : .anybody)
        let prober = Prober(transport, requestsPerSecond: options.requestsPerSecond)
        progress("paths")
        let first = try await prober.ask(unknownPath)
        if case .failure(let failure) = first.outcome, failure != .noAnswer {
            throw CouldNotCheck(description: "\(endpoint.root): \(failure)\(Self.hint(failure, endpoint.root))")
        }
        do {
            try await askEndpoint(prober, &evidence)
            try await askAround(prober, transport, &evidence)
        } catch let failure as CouldNotCheck where failure.isSilence {
            // What it answered until then is judged, and that it answers no more.
            let reason = "\(failure.description); no more was asked"
            evidence.silence = reason
            evidence.gateGap = reason
            evidence.cacheGap = reason
            evidence.timingGap = reason
        }
        evidence.exchanges = await prober.exchanges
        return CheckReport(evidence, seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    /// What may be meant where the scheme does not fit.
    private static func hint(_ failure: ProbeFailure, _ root: Address) -> String {
        switch failure {
        case .notHTTP where !root.isSecure: "; does it speak https?"
        case .untrusted where root.isSecure: "; does it speak http?"
        default: ""
        }
    }

    private func transport(_ trust: ProbeTransport.Trust) -> ProbeTransport {
        var transport = ProbeTransport(trust: trust)
        transport.patience = options.patience
        return transport
    }

    /// What is asked of the endpoint itself.
    private func askEndpoint(_ prober: Prober, _ evidence: inout Evidence) async throws {
        try await askPaths(prober)
        progress("readers")
        for reader in cases.readers { try await ask(for: reader, prober, &evidence) }
        try await askSpellings(prober, evidence)
        progress("refusals")
        try await askRefusals(prober)
        progress("malformed requests")
        try await askMalformed(prober)
    }

    /// What is asked of what stands in front of the content and of the endpoint, and of a stopwatch.
    private func askAround(
        _ prober: Prober, _ transport: ProbeTransport, _ evidence: inout Evidence
    ) async throws {
        progress("the gate")
        evidence.gateGap = try await gap { try await askGate(prober) }
        progress("a shared cache")
        evidence.exchanges = await prober.exchanges
        evidence.cacheGap = try await gap { [evidence] in try await askThroughCache(prober, evidence) }
        progress("times")
        guard options.timedPairs > 0, cases.hasWrongProof else {
            evidence.timingGap =
                options.timedPairs == 0
                ? "no times are asked for (--timing)"
                : "no reader is known whose sign-in may be tried with a wrong proof (wrong_proof)"
            return
        }
        let timed = timedProbes(evidence)
        let word = evidence.usualRefusal
        evidence.timingGap = try await gap { try await askTimed(prober, timed, refusedAs: word) }
        guard evidence.timingGap == nil, evidence.facts(of: endpoint.address(of: .signIn))?.speaksHTTP2 == true
        else { return }
        var orders: [String: AnswerOrder] = [:]
        evidence.timingGap = try await gap {
            let together = try await askTogether(prober, timed, refusedAs: word, transport)
            orders = together.orders
            return together.gap
        }
        evidence.answerOrders = orders
    }

    /// Why a part was not asked to its end: the gate and the cache are other servers, and may be away; and a server may have enough
    /// of wrong sign-ins.
    private func gap(_ ask: () async throws -> String?) async throws -> String? {
        do {
            return try await ask()
        } catch let failure as CouldNotCheck where !failure.isExcess {
            return failure.description
        }
    }

    /// A word that nobody else used.
    func made(_ prefix: String) -> String { prefix + Hexadecimal.encode(random.bytes(6)) }
}
