import BackendFixtures
import Gatefold
import Synchronization
import TestSupport
import Testing

/// Common behaviour of all subscriber backends: each fixture's real system is started and queried directly.
@Suite("Conformance of every subscriber backend") struct ConformanceTests {
    private static let rejection = AuthenticationResult.rejected(message: nil)
    /// In seconds. If every query needs a result, a busy machine takes longer than the fixtures' own two seconds.
    private static let limit = 10

    @Test(
        "Authenticates the right password only and returns the reader's subscription",
        arguments: BackendFixtureCase.all)
    func results(system: BackendFixtureCase) async throws {
        try await system.withBackend(limit: Self.limit) { _, backend in
            for reader in StandardReaders.all {
                let subscriber = try #require(try await backend.authenticate(reader), "\(reader.email)")
                let reported = try await backend.subscription(of: subscriber, context: CallContext()).value
                #expect(reported.state == reader.state, "\(reader.email)")
                #expect(reported.holds(what: reader), "\(reader.email)")
                #expect(try await backend.resolved.renew(subscriber, context: CallContext()).isAuthenticated)
            }
            let shouted = StandardReaders.ada.credentials(identifier: "  ADA@Example.com ")
            #expect(
                try await backend.authenticate(shouted, context: CallContext()).value.isAuthenticated,
                "folded identifier")
            for password in [
                "Correct horse", "correct horse ", " correct horse", "correct", "battery staple", "*", "'",
            ] {
                let wrong = StandardReaders.ada.credentials(password: password)
                #expect(
                    try await backend.authenticate(wrong, context: CallContext()).value == Self.rejection, "\(password)"
                )
            }
            let unknown = StandardReaders.ada.credentials(identifier: "nobody@example.com")
            #expect(try await backend.authenticate(unknown, context: CallContext()).value == Self.rejection)
            try await backend.health()
        }
    }

    @Test(
        "Pitfall 13: hostile texts are rejected in every field and change nothing", arguments: BackendFixtureCase.all)
    func hostile(system: BackendFixtureCase) async throws {
        try await system.withBackend(limit: Self.limit) { _, backend in
            for text in HostileTexts.printable(for: system.fixture) {
                for credentials in [
                    StandardReaders.ada.credentials(identifier: text), StandardReaders.ada.credentials(password: text),
                    StandardReaders.ada.credentials(identifier: text, password: text),
                ] {
                    #expect(
                        try await backend.authenticate(credentials, context: CallContext()).value == Self.rejection,
                        "\(text)"
                    )
                }
            }
            for text in HostileTexts.unprintable {
                for credentials in [
                    StandardReaders.ada.credentials(identifier: text), StandardReaders.ada.credentials(password: text),
                ] {
                    // Not an error, because an outage would also have rejected the right password.
                    let name = text.prefix(20).debugDescription
                    #expect(
                        try await backend.authenticate(credentials, context: CallContext()).value == Self.rejection,
                        "\(name)"
                    )
                }
            }
            for reader in StandardReaders.all {
                let subscriber = try #require(try await backend.authenticate(reader), "\(reader.email)")
                let reported = try await backend.subscription(of: subscriber, context: CallContext()).value
                #expect(reported.state == reader.state && reported.holds(what: reader), "\(reader.email)")
            }
        }
    }

    @Test("Pitfall 14: an empty, blank or missing password is rejected", arguments: BackendFixtureCase.all)
    func emptyPassword(system: BackendFixtureCase) async throws {
        try await system.withBackend(limit: Self.limit) { _, backend async throws in
            let ada = StandardReaders.ada
            // Tries the right password before and after each, because a rejection during an outage proves nothing.
            #expect(try await backend.authenticate(ada) != nil)
            for password in ["", " ", "\t", "\u{0}", "\u{0}correct horse", "\u{A0}"] {
                let blank = ada.credentials(password: password)
                #expect(
                    try await backend.authenticate(blank, context: CallContext()).value == Self.rejection,
                    "\(password.debugDescription)")
                #expect(try await backend.authenticate(ada) != nil, "after \(password.debugDescription)")
            }
            let without = Credentials(identifier: ada.email, fields: ["email": ada.email])
            #expect(try await backend.authenticate(without, context: CallContext()).value == Self.rejection)
            #expect(try await backend.authenticate(ada) != nil)
        }
    }

    @Test("Pitfall 8: the next query sees a change in the system", arguments: BackendFixtureCase.all)
    func changes(system: BackendFixtureCase) async throws {
        try await system.withBackend(limit: Self.limit) { fixture, backend in
            let ada = StandardReaders.ada
            let subscriber = try #require(try await backend.authenticate(ada))
            for state in [SubscriptionState.suspended, .inactive, .active] {
                try await fixture.set(state, of: ada)
                let reported = try await backend.subscription(of: subscriber, context: CallContext()).value
                #expect(reported.state == state)
            }
            try await fixture.setPassword("a new pass phrase", of: ada)
            let new = ada.credentials(password: "a new pass phrase")
            #expect(try await backend.authenticate(new, context: CallContext()).value.isAuthenticated)
            #expect(try await backend.authenticate(ada.credentials(), context: CallContext()).value == Self.rejection)
        }
    }

    @Test(
        "Pitfall 9: an outage is an error, never a rejection and never an empty result",
        arguments: BackendFixtureCase.withOutages)
    func outages(system: BackendFixtureCase) async throws {
        for outage in system.fixture.outages {
            try await system.withBackend { fixture, backend in
                let ada = StandardReaders.ada
                // A busy machine may take longer than a fixture's two seconds.
                var authenticated: Subscriber?
                try await eventually("\(outage): sign-in before the outage") {
                    authenticated = try? await backend.authenticate(ada)
                    return authenticated != nil
                }
                let subscriber = try #require(authenticated)
                try await fixture.fail(outage)
                for attempt in 1...3 {
                    // A slow system's results are awaited once and cancelled twice: those that arrive are correct.
                    let isSlow = outage == .slow
                    let timeout: Duration = .seconds(isSlow && attempt == 2 ? 12 : 2)
                    let authentication = await outcome(within: timeout) {
                        try await backend.authenticate(ada.credentials(), context: CallContext()).value
                    }
                    #expect(
                        authentication == nil || isSlow && authentication?.isAuthenticated == true,
                        "\(outage) \(attempt): \(String(describing: authentication))")
                    let wrong = await outcome(within: timeout) {
                        try await backend.authenticate(ada.credentials(password: "wrong"), context: CallContext()).value
                    }
                    #expect(
                        wrong == nil || isSlow && wrong == Self.rejection,
                        "\(outage) \(attempt): \(String(describing: wrong))")
                    let reported = await outcome(within: timeout) {
                        try await backend.subscription(of: subscriber, context: CallContext()).value
                    }
                    #expect(
                        reported == nil || isSlow && reported?.state == ada.state && reported?.holds(what: ada) == true,
                        "\(outage) \(attempt): \(String(describing: reported))")
                }
                try await fixture.recover()
                try await eventually("\(outage): recovers without a restart") {
                    await outcome { try await backend.authenticate(ada.credentials(), context: CallContext()).value }?
                        .isAuthenticated
                        == true
                }
                // The first result counts.
                var reported: Subscription?
                try await eventually("\(outage): held editions after the outage") {
                    reported = await outcome {
                        try await backend.subscription(of: subscriber, context: CallContext()).value
                    }
                    return reported != nil
                }
                #expect(reported?.state == .active && reported?.entitlement == ada.entitlement, "\(outage)")
            }
        }
    }

    @Test(
        "Pitfall 9: a query in flight at a stop ends with an error or a true result, and later ones succeed",
        arguments: BackendFixtureCase.withOutages)
    func stoppedDuringQuery(system: BackendFixtureCase) async throws {
        guard system.fixture.outages.contains(.stopped) else { return }
        // Delays the system so that each query is certainly in flight.
        let holding = [Outage.slow, .paused].first { system.fixture.outages.contains($0) }
        // No client times out before the system is stopped, even on a busy machine.
        try await system.withBackend(limit: Self.limit) { fixture, backend in
            let ada = StandardReaders.ada
            let subscriber = try #require(try await backend.authenticate(ada))
            for attempt in 1...2 {
                if let holding { try await fixture.fail(holding) }
                let ended = Ended()
                let begun = ContinuousClock.now
                // The long time limit shows that the stop ends the queries, not a cancellation.
                async let authentication = outcome(within: .seconds(30), counting: ended) {
                    try await backend.authenticate(ada.credentials(), context: CallContext()).value
                }
                async let wrong = outcome(within: .seconds(30), counting: ended) {
                    try await backend.authenticate(ada.credentials(password: "wrong"), context: CallContext()).value
                }
                async let reported = outcome(within: .seconds(30), counting: ended) {
                    try await backend.subscription(of: subscriber, context: CallContext()).value
                }
                try await Task.sleep(for: .milliseconds(500))
                let endedEarly = ended.count
                // On a busy machine the half second may have been long enough for them to end by themselves.
                if holding != nil, ContinuousClock.now - begun < .seconds(2) {
                    #expect(endedEarly == 0, "\(attempt): all queries are in progress")
                }
                try await fixture.fail(.stopped)
                let results = (await authentication, await wrong, await reported)
                #expect(results.0 == nil || results.0?.isAuthenticated == true, "\(attempt): \(results)")
                #expect(results.1 == nil || results.1 == Self.rejection, "\(attempt): \(results)")
                #expect(
                    results.2 == nil || results.2?.state == ada.state && results.2?.holds(what: ada) == true,
                    "\(attempt): \(results)")
                try await fixture.recover()
                try await eventually("\(attempt): the next query succeeds") {
                    await outcome { try await backend.authenticate(ada.credentials(), context: CallContext()).value }?
                        .isAuthenticated
                        == true
                }
                let next = try await backend.subscription(of: subscriber, context: CallContext()).value
                #expect(next.state == ada.state && next.holds(what: ada), "\(attempt)")
                let rejected = try await backend.authenticate(
                    ada.credentials(password: "wrong"), context: CallContext()
                ).value
                #expect(rejected == Self.rejection, "\(attempt)")
            }
        }
    }

    /// Returns the result, or nil for an error. A query that exceeds the limit is cancelled, which must end it.
    ///
    /// - Parameter ended: counts the queries that have ended.
    private func outcome<Value: Sendable>(
        within limit: Duration = .seconds(2), counting ended: Ended? = nil,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async -> Value? {
        let requested = Task { try await operation() }
        let timeout = Task {
            try await Task.sleep(for: limit)
            requested.cancel()
        }
        defer { timeout.cancel() }
        let response = try? await requested.value
        ended?.add()
        return response
    }

    /// A count of ended queries.
    private final class Ended: Sendable {
        private let number = Atomic(0)

        var count: Int { number.load(ordering: .relaxed) }

        func add() { number.add(1, ordering: .relaxed) }
    }
}

extension StandardReader {
    /// Returns the reader's credentials, with replacements for the identifier or the password.
    func credentials(identifier: String? = nil, password: String? = nil) -> Credentials {
        let identifier = identifier ?? email
        return Credentials(
            identifier: CredentialFields.fold(identifier),
            fields: ["email": identifier, "password": password ?? self.password])
    }

    var entitlement: Entitlement {
        guard let editions else { return .allEditions }
        return .editions(Set(editions.compactMap { EditionID($0) }))
    }
}

extension SubscriberBackend {
    func authenticate(_ reader: StandardReader) async throws -> Subscriber? {
        let result = try await authenticate(reader.credentials(), context: CallContext()).value
        return if case .authenticated(let subscriber) = result { subscriber } else { nil }
    }
}

extension AuthenticationResult {
    var isAuthenticated: Bool {
        if case .authenticated = self { true } else { false }
    }
}

extension Subscription {
    /// Returns whether this is the reader's subscription. Nothing opens for suspended readers, so a system may omit
    /// their editions.
    fileprivate func holds(what reader: StandardReader) -> Bool {
        entitlement == reader.entitlement || (reader.state == .suspended && entitlement == .nothing)
    }
}
