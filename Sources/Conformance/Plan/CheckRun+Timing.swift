extension CheckRun {
    /// Two sign-ins whose times are compared.
    struct TimedProbes: Sendable {
        /// A known reader's sign-in with a wrong proof, and an unknown reader's with the same proof. Both probes
        /// carry the name of the known reader.
        let known: Probe, unknown: Probe

        /// Returns the two probes in the order of a pair of streams. Each comes first in half of the pairs, because
        /// a server may favour the first.
        func pair(_ number: Int) -> [Probe] { isKnownFirst(number) ? [known, unknown] : [unknown, known] }

        func isKnownFirst(_ number: Int) -> Bool { number.isMultiple(of: 2) }
    }

    /// Returns the probes for each reader who may be tried with a wrong proof and is then rejected like an unknown
    /// reader. The reader's state does not matter.
    ///
    /// The proof is always the same, because a login throttle counts a repeated wrong proof once.
    func timedProbes(_ evidence: Evidence) -> [TimedProbes] {
        let wrongPassword = made("wrong")
        return cases.triedWithWrongProof.compactMap { reader -> TimedProbes? in
            guard evidence.difference(of: reader) == nil, let fields = reader.signIn,
                let wrong = self.wrong(fields, of: reader, wrongPassword)
            else { return nil }
            func probe(_ fields: [Field], isKnown: Bool) -> Probe {
                var probe = Probe(.timed(isKnown: isKnown), .signIn, fields, .form, at: endpoint)
                probe.reader = reader.name
                return probe
            }
            return TimedProbes(
                known: probe(wrong, isKnown: true), unknown: probe(unknown(wrong, wrongPassword), isKnown: false))
        }
    }

    /// Sends all probes alternately, each on a new connection.
    ///
    /// - Parameter expectedRejection: The status of the rejection of an unknown reader.
    /// - Returns: The reason why the timing ended early, or nil if it was completed. It ends at the first response
    ///   that is not such a rejection, because the time of another response, such as that of a rate limit, reveals
    ///   nothing about readers.
    func checkTiming(_ prober: Prober, _ timed: [TimedProbes], rejectedAs expectedRejection: String?) async throws
        -> String?
    {
        let probes = timed.flatMap { [$0.known, $0.unknown] }
        for number in 0..<options.timedPairs {
            for index in BalancedOrder.round(number, of: probes.count) {
                let exchange = try await prober.send(probes[index])
                if let stray = Self.stray(exchange, rejectedAs: expectedRejection) { return stray }
            }
        }
        return nil
    }

    /// The result of a series of simultaneous pairs, and the reason why it ended early.
    private struct Race: Sendable {
        var order = ResponseOrder()
        var gap: String?
        /// The number of pairs without a timely response.
        var timeouts = 0
    }

    /// Sends the sign-ins of each reader and of an unknown reader in one record, pair by pair on one connection,
    /// one reader after another.
    ///
    /// - Returns: By the readers' names, the number of pairs in which the known reader's response came first. Only
    ///   pairs of two rejections count. Also the reason why there are fewer pairs than planned.
    func sendTogether(
        _ prober: Prober, _ timed: [TimedProbes], rejectedAs expectedRejection: String?, _ transport: ProbeTransport
    ) async throws -> (orders: [String: ResponseOrder], gap: String?) {
        var orders: [String: ResponseOrder] = [:]
        for probes in timed {
            guard let name = probes.known.reader else { continue }
            let outcome = try await race(prober, probes, rejectedAs: expectedRejection, transport)
            orders[name] = outcome.order
            if let gap = outcome.gap { return (orders, gap) }
        }
        return (orders, nil)
    }

    private func race(
        _ prober: Prober, _ timed: TimedProbes, rejectedAs expectedRejection: String?, _ transport: ProbeTransport
    ) async throws -> Race {
        var race = Race()
        var failures = 0
        // A server may close a connection after some number of requests.
        while race.gap == nil, race.order.pairs < options.timedPairs, failures < Self.maxFailures,
            race.timeouts < Self.maxFailures
        {
            let before = race
            do {
                race = try await PairedStreams.withConnection(to: timed.known.address, transport) { streams in
                    try await proceed(with: before, on: &streams, prober, timed, rejectedAs: expectedRejection)
                }
            } catch is ProbeFailure {
                // Another connection may succeed.
            }
            try Task.checkCancellation()
            failures = race.order == before.order ? failures + 1 : 0
        }
        if race.gap == nil, race.order.pairs < options.timedPairs {
            race.gap = "only \(race.order.pairs) of \(options.timedPairs) pairs of HTTP/2 streams got a response"
        }
        return race
    }

    /// Sends pairs until all are done, a response is not a rejection, or the connection is unusable.
    private func proceed(
        with race: Race, on streams: inout PairedStreams, _ prober: Prober, _ timed: TimedProbes,
        rejectedAs expectedRejection: String?
    ) async throws -> Race {
        var race = race
        while race.order.pairs < options.timedPairs {
            for _ in 0..<2 { try await prober.waitForTurn() }
            let pair = timed.pair(race.order.pairs)
            let outcome: PairedStreams.Outcome
            do {
                outcome = try await streams.race(pair[0], pair[1])
            } catch let error where !(error is CancellationError) {
                if case .timedOut? = error as? ProbeFailure { race.timeouts += 1 }
                return race
            }
            let exchanges = zip(pair, outcome.responses).map { Exchange($0, .success($1)) }
            if let stray = exchanges.lazy.compactMap({ Self.stray($0, rejectedAs: expectedRejection) }).first {
                race.gap = stray
                return race
            }
            race.order.count(isAhead: outcome.isFirstAhead == timed.isKnownFirst(race.order.pairs))
        }
        return race
    }

    /// Returns the reason why the response to a wrong sign-in differs from the rejection of an unknown reader.
    /// Returns nil if it does not differ or there is no response.
    private static func stray(_ exchange: Exchange, rejectedAs expectedRejection: String?) -> String? {
        guard exchange.response != nil else { return nil }
        guard let rejection = exchange.rejection else {
            return "a wrong sign-in returned \(exchange.summary), which is no refusal; "
                + "the remaining requests were not sent"
        }
        guard let expectedRejection, rejection != expectedRejection else { return nil }
        return "a wrong sign-in was refused with another status than before; the remaining requests were not sent"
    }

    /// The maximum number of consecutive connections without a response, and of pairs without a timely response.
    private static let maxFailures = 3
}
