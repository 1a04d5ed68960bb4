/// Makes a check's requests, one after the other and no faster than allowed, and remembers them all.
package actor Prober {
    private var limiter: RateLimiter
    private let transport: ProbeTransport
    private let start = ContinuousClock.now
    private let sleep: @Sendable (Double) async throws -> Void
    private(set) var exchanges: [Exchange] = []

    package init(
        _ transport: ProbeTransport, requestsPerSecond: Double,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.transport = transport
        self.sleep = sleep
        limiter = RateLimiter(perSecond: requestsPerSecond)
    }

    /// Makes the request; the outcome is kept with the others.
    @discardableResult
    func ask(_ probe: Probe) async throws -> Exchange {
        try await waitForTurn()
        let exchange = await transport.exchange(probe)
        exchanges.append(exchange)
        return exchange
    }

    func waitForTurn() async throws {
        try Task.checkCancellation()
        let wait = limiter.turn(at: (ContinuousClock.now - start) / .seconds(1))
        if wait > 0 { try await sleep(wait) }
    }
}
