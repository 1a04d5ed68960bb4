/// Makes a check's requests, one after the other and no faster than allowed, and remembers them all.
package actor Prober {
    private var limiter: RateLimiter
    private let transport: ProbeTransport
    private let start = ContinuousClock.now
    private let sleep: @Sendable (Double) async throws -> Void
    private(set) var exchanges: [Exchange] = []
    private var silentInARow = 0
    /// After so many requests without a connection or an answer in time nobody is there any more.
    private static let mostSilent = 5
    /// All answers together, with what was made of them, in bytes.
    private static let largest = 256 << 20
    private var kept = 0
    /// How long a question usually takes at most, and how much longer all may together, in seconds.
    private static let usual = 1.0
    private let mostWaited: Double
    private var waited = 0.0

    package init(
        _ transport: ProbeTransport, requestsPerSecond: Double, mostWaited: Double = 600,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.transport = transport
        self.sleep = sleep
        self.mostWaited = mostWaited
        limiter = RateLimiter(perSecond: requestsPerSecond)
    }

    /// Makes the request; the outcome is kept with the others.
    ///
    /// - Throws: ``Checkup/CouldNotCheck`` when the server has stopped answering.
    @discardableResult
    func ask(_ probe: Probe) async throws -> Exchange {
        try await waitForTurn()
        let asked = ContinuousClock.now
        let exchange = await transport.exchange(probe)
        exchanges.append(exchange)
        kept += exchange.footprint
        guard kept <= Self.largest else {
            throw Checkup.CouldNotCheck(
                description:
                    "\(probe.address.authority): its answers take more than \(Self.largest >> 20) MiB together",
                isExcess: true)
        }
        try count(exchange, took: (ContinuousClock.now - asked) / .seconds(1))
        return exchange
    }

    /// Whether it has become too quiet to go on.
    private func count(_ exchange: Exchange, took seconds: Double) throws {
        let authority = exchange.probe.address.authority
        waited += max(0, seconds - Self.usual)
        guard waited <= mostWaited else {
            waited = 0
            throw Checkup.CouldNotCheck(
                description: "\(authority): its answers took \(Int(mostWaited)) seconds longer than usual together",
                isSilence: true)
        }
        silentInARow = exchange.isSilent ? silentInARow + 1 : 0
        guard silentInARow < Self.mostSilent else {
            silentInARow = 0
            throw Checkup.CouldNotCheck(
                description: "\(authority): \(exchange.summary), \(Self.mostSilent) times in a row", isSilence: true)
        }
    }

    func waitForTurn() async throws {
        try Task.checkCancellation()
        let wait = limiter.turn(at: (ContinuousClock.now - start) / .seconds(1))
        if wait > 0 { try await sleep(wait) }
    }
}

extension Exchange {
    /// Whether nobody was there, or had all of an answer in time.
    fileprivate var isSilent: Bool {
        switch outcome {
        case .success: isLate
        case .failure(let failure): isLate || failure.isAbsence || failure == .timedOut
        }
    }
}
