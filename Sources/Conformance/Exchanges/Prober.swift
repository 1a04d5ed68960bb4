/// An actor that sends the requests of a check one after another within the rate limit, and stores all exchanges.
package actor Prober {
    private var limiter: RateLimiter
    private let transport: ProbeTransport
    private let start = ContinuousClock.now
    private let sleep: @Sendable (Double) async throws -> Void
    private(set) var exchanges: [Exchange] = []
    private var consecutiveTimeouts = 0
    /// The number of consecutive requests without a connection or a timely response after which the server counts
    /// as gone.
    private static let maxSilent = 5
    /// The maximum memory of all responses together with their parsed documents, in bytes.
    private static let maxSize = 256 << 20
    private var retainedBytes = 0
    /// The usual maximum duration of a request, in seconds. The next property is the maximum total time above it,
    /// in seconds.
    private static let usual = 1.0
    private let maxWait: Double
    private var waited = 0.0

    package init(
        _ transport: ProbeTransport, requestsPerSecond: Double, maxWait: Double = 600,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.transport = transport
        self.sleep = sleep
        self.maxWait = maxWait
        limiter = RateLimiter(perSecond: requestsPerSecond)
    }

    /// Sends the request and stores its outcome.
    ///
    /// - Throws: ``CheckRun/CheckFailure`` if the server has stopped responding.
    @discardableResult
    func send(_ probe: Probe) async throws -> Exchange {
        try await waitForTurn()
        let requested = ContinuousClock.now
        let exchange = await transport.exchange(probe)
        exchanges.append(exchange)
        retainedBytes += exchange.footprint
        guard retainedBytes <= Self.maxSize else {
            throw CheckRun.CheckFailure(
                description:
                    "\(probe.address.authority): the responses take more than \(Self.maxSize >> 20) MiB in total",
                isTooLarge: true)
        }
        try count(exchange, took: (ContinuousClock.now - requested) / .seconds(1))
        return exchange
    }

    /// Counts slow and missing responses, and throws if there are too many to continue.
    private func count(_ exchange: Exchange, took seconds: Double) throws {
        let authority = exchange.probe.address.authority
        waited += max(0, seconds - Self.usual)
        guard waited <= maxWait else {
            waited = 0
            throw CheckRun.CheckFailure(
                description: "\(authority): the responses took \(Int(maxWait)) seconds longer than usual in total",
                hasStoppedResponding: true)
        }
        consecutiveTimeouts = exchange.isSilent ? consecutiveTimeouts + 1 : 0
        guard consecutiveTimeouts < Self.maxSilent else {
            consecutiveTimeouts = 0
            throw CheckRun.CheckFailure(
                description: "\(authority): \(exchange.summary), \(Self.maxSilent) times in a row",
                hasStoppedResponding: true)
        }
    }

    func waitForTurn() async throws {
        try Task.checkCancellation()
        let wait = limiter.turn(at: (ContinuousClock.now - start) / .seconds(1))
        if wait > 0 { try await sleep(wait) }
    }
}

extension Exchange {
    /// A Boolean value that indicates whether no server was reachable or no complete response arrived in time.
    fileprivate var isSilent: Bool {
        switch outcome {
        case .success: isLate
        case .failure(let failure): isLate || failure.isUnreachable || failure == .timedOut
        }
    }
}
