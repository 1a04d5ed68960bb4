package import Primitives

/// A check of an endpoint. The requests depend on the known facts about the endpoint and on its responses.
///
/// A check changes nothing on the server except what a reader's own sign-in changes. It signs no token out and
/// sends few wrong sign-ins.
package struct CheckRun: Sendable {
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

    /// The error if no HTTP server responds at the address, or no response can be read completely.
    package struct CheckFailure: Error, CustomStringConvertible {
        package let description: String
        /// A Boolean value that indicates whether the server responded before and then stopped.
        var hasStoppedResponding = false
        /// A Boolean value that indicates whether the responses exceed the memory limit.
        var isTooLarge = false
    }

    /// - Throws: ``CheckFailure``, or `CancellationError`.
    package func run() async throws -> CheckReport {
        guard endpoint.root.isSecure else { return try await run(with: nil) }
        progress("TLS")
        let facts = try await tlsInfo(transport(.verified(options.roots)))
        guard !facts.isTrusted, !options.isInsecure else { return try await run(with: facts) }
        // The server's identity is not verified, so the check sends no reader's password to it.
        var careful = self
        careful.cases.readers = []
        return try await careful.run(with: facts)
    }

    private func run(with tls: TLSInfo?) async throws -> CheckReport {
        let start = ContinuousClock.now
        var evidence = Evidence(endpoint: endpoint, cases: cases, options: options, date: clock.now)
        evidence.tls = tls.map { [OriginTLS(origin: endpoint.root, facts: $0)] } ?? []
        evidence.tls += await otherFacts(evidence.origins, self.transport(.verified(options.roots)))
        let isTrusted = tls?.isTrusted ?? true
        let transport = self.transport(isTrusted && !options.isInsecure ? .verified(options.roots) : .anyServer)
        let prober = Prober(transport, requestsPerSecond: options.requestsPerSecond)
        progress("paths")
        let first = try await prober.send(unknownPath)
        if case .failure(let failure) = first.outcome, failure != .noResponse {
            throw CheckFailure(description: "\(endpoint.root): \(failure)\(Self.hint(failure, endpoint.root))")
        }
        do {
            try await checkEndpoint(prober, &evidence)
            try await checkSurroundings(prober, transport, &evidence)
        } catch let failure as CheckFailure where failure.hasStoppedResponding {
            // The rules judge the responses up to then, and the silence itself.
            let reason = "\(failure.description); no further requests were sent"
            evidence.abortReason = reason
            evidence.gateSkipReason = reason
            evidence.cacheSkipReason = reason
            evidence.timingSkipReason = reason
        }
        evidence.exchanges = await prober.exchanges
        return CheckReport(evidence, seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    /// Returns a hint that the scheme of the address may be wrong.
    private static func hint(_ failure: ProbeFailure, _ root: Address) -> String {
        switch failure {
        case .notHTTP where !root.isSecure: "; does the server use https?"
        case .untrusted where root.isSecure: "; does the server use http?"
        default: ""
        }
    }

    private func transport(_ trust: ProbeTransport.Trust) -> ProbeTransport {
        var transport = ProbeTransport(trust: trust)
        transport.timeout = options.timeout
        return transport
    }

    /// Sends the requests to the endpoint itself.
    private func checkEndpoint(_ prober: Prober, _ evidence: inout Evidence) async throws {
        try await checkPaths(prober)
        progress("readers")
        for reader in cases.readers { try await send(for: reader, prober, &evidence) }
        try await checkSpellings(prober, evidence)
        progress("refusals")
        try await checkDenials(prober)
        progress("malformed requests")
        try await checkMalformed(prober)
    }

    /// Sends the requests to the gate and through the shared cache, and measures the times.
    private func checkSurroundings(
        _ prober: Prober, _ transport: ProbeTransport, _ evidence: inout Evidence
    ) async throws {
        progress("the gate")
        evidence.gateSkipReason = try await gap { try await checkGate(prober) }
        progress("a shared cache")
        evidence.exchanges = await prober.exchanges
        evidence.cacheSkipReason = try await gap { [evidence] in try await checkThroughCache(prober, evidence) }
        progress("response times")
        guard options.timedPairs > 0, cases.hasWrongProof else {
            evidence.timingSkipReason =
                options.timedPairs == 0
                ? "no timing was requested (--timing)"
                : "no reader is known whose sign-in may be tried with a wrong proof (wrong_proof)"
            return
        }
        let timed = timedProbes(evidence)
        let expectedRejection = evidence.usualRejection
        evidence.timingSkipReason = try await gap {
            try await checkTiming(prober, timed, rejectedAs: expectedRejection)
        }
        guard evidence.timingSkipReason == nil, evidence.facts(of: endpoint.address(of: .signIn))?.speaksHTTP2 == true
        else { return }
        var orders: [String: ResponseOrder] = [:]
        evidence.timingSkipReason = try await gap {
            let together = try await sendTogether(prober, timed, rejectedAs: expectedRejection, transport)
            orders = together.orders
            return together.gap
        }
        evidence.responseOrders = orders
    }

    /// Returns the reason why a part of the check was not completed. The gate and the cache are other servers and
    /// may be unavailable, and a server may limit wrong sign-ins.
    private func gap(_ send: () async throws -> String?) async throws -> String? {
        do {
            return try await send()
        } catch let failure as CheckFailure where !failure.isTooLarge {
            return failure.description
        }
    }

    /// Returns a random value with the given prefix that no other client uses.
    func made(_ prefix: String) -> String { prefix + Hexadecimal.encode(random.bytes(6)) }
}
