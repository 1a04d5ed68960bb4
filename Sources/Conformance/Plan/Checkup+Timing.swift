extension Checkup {
    /// Two sign-ins whose times are compared.
    struct TimedProbes: Sendable {
        /// A known reader's with a wrong proof, and nobody's with the same. Both say beside which reader they are made.
        let known: Probe, unknown: Probe

        /// The two in the order in which a pair of streams is asked: each stands first in half of the pairs, because a server may
        /// favour what stands first.
        func pair(_ number: Int) -> [Probe] { isKnownFirst(number) ? [known, unknown] : [unknown, known] }

        func isKnownFirst(_ number: Int) -> Bool { number.isMultiple(of: 2) }
    }

    /// One for each reader who may be tried with a wrong proof, whatever the reader's state, and who is then refused as nobody is.
    ///
    /// Always with the same words: whoever counts guesses counts the same wrong proof once.
    func timedProbes(_ evidence: Evidence) -> [TimedProbes] {
        let word = made("wrong")
        return cases.triedWithWrongProof.compactMap { reader -> TimedProbes? in
            guard evidence.difference(of: reader) == nil, let fields = reader.signIn,
                let wrong = self.wrong(fields, of: reader, word)
            else { return nil }
            func probe(_ fields: [Field], isKnown: Bool) -> Probe {
                var probe = Probe(.timed(isKnown: isKnown), .signIn, fields, .form, at: endpoint)
                probe.reader = reader.name
                return probe
            }
            return TimedProbes(
                known: probe(wrong, isKnown: true), unknown: probe(unknown(wrong, word), isKnown: false))
        }
    }

    /// Asks for all by turns, each on a connection of its own.
    ///
    /// - Parameter word: the status that nobody is refused with.
    /// - Returns: why it was not done to its end: at the first answer that is no such refusal. What another one takes, as where
    ///   somebody asks for fewer requests, says nothing of readers.
    func askTimed(_ prober: Prober, _ timed: [TimedProbes], refusedAs word: String?) async throws -> String? {
        let probes = timed.flatMap { [$0.known, $0.unknown] }
        for number in 0..<options.timedPairs {
            for index in BalancedOrder.round(number, of: probes.count) {
                let exchange = try await prober.ask(probes[index])
                if let stray = Self.stray(exchange, refusedAs: word) { return stray }
            }
        }
        return nil
    }

    /// What was counted of answers that came together, and why no more was.
    private struct Race: Sendable {
        var order = AnswerOrder()
        var gap: String?
        /// How many pairs were waited for in vain.
        var timeouts = 0
    }

    /// Asks for each reader and for nobody in one record, pair after pair on one connection, and reader after reader.
    ///
    /// - Returns: by the readers' names, in how many pairs their answer was ahead, of those whose answers are both refusals; and why
    ///   there are fewer pairs than were to be asked.
    func askTogether(
        _ prober: Prober, _ timed: [TimedProbes], refusedAs word: String?, _ transport: ProbeTransport
    ) async throws -> (orders: [String: AnswerOrder], gap: String?) {
        var orders: [String: AnswerOrder] = [:]
        for probes in timed {
            guard let name = probes.known.reader else { continue }
            let outcome = try await race(prober, probes, refusedAs: word, transport)
            orders[name] = outcome.order
            if let gap = outcome.gap { return (orders, gap) }
        }
        return (orders, nil)
    }

    private func race(
        _ prober: Prober, _ timed: TimedProbes, refusedAs word: String?, _ transport: ProbeTransport
    ) async throws -> Race {
        var race = Race()
        var failures = 0
        // A server may end a connection after some number of requests.
        while race.gap == nil, race.order.pairs < options.timedPairs, failures < Self.mostFailures,
            race.timeouts < Self.mostFailures
        {
            let before = race
            do {
                race = try await PairedStreams.withConnection(to: timed.known.address, transport) { streams in
                    try await proceed(with: before, on: &streams, prober, timed, refusedAs: word)
                }
            } catch is ProbeFailure {
                // Another connection may be luckier.
            }
            try Task.checkCancellation()
            failures = race.order == before.order ? failures + 1 : 0
        }
        if race.gap == nil, race.order.pairs < options.timedPairs {
            race.gap = "only \(race.order.pairs) of \(options.timedPairs) pairs of HTTP/2 streams were answered"
        }
        return race
    }

    /// Goes on until all is asked, an answer is no refusal, or the connection is of no more use.
    private func proceed(
        with race: Race, on streams: inout PairedStreams, _ prober: Prober, _ timed: TimedProbes,
        refusedAs word: String?
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
            let exchanges = zip(pair, outcome.answers).map { Exchange($0, .success($1)) }
            if let stray = exchanges.lazy.compactMap({ Self.stray($0, refusedAs: word) }).first {
                race.gap = stray
                return race
            }
            race.order.count(isAhead: outcome.isFirstAhead == timed.isKnownFirst(race.order.pairs))
        }
        return race
    }

    /// What was answered to a wrong sign-in in place of the refusal that nobody gets; nil where it was refused so, or nothing came.
    private static func stray(_ exchange: Exchange, refusedAs word: String?) -> String? {
        guard exchange.answer != nil else { return nil }
        guard let refusal = exchange.refusal else {
            return "a wrong sign-in was answered with \(exchange.summary), which is no refusal; the rest was not asked"
        }
        guard let word, refusal != word else { return nil }
        return "a wrong sign-in was refused with another status than before; the rest was not asked"
    }

    /// After so many connections in a row on which nothing was answered, or pairs that were not answered in time, it is given up.
    private static let mostFailures = 3
}
