import BackendBenches
import Gatefold
import Synchronization
import TestSupport
import Testing

/// What every subscriber backend does, whatever it asks: each bench's real system is started and asked directly.
@Suite("Every subscriber backend") struct ConformanceTests {
    private static let refusal = Recognition.notRecognised(message: nil)
    /// In seconds; where every question has to be answered, a busy machine needs more than the benches' own two.
    private static let limit = 10

    @Test(
        "recognises its readers by the right password, tells what they hold, and nobody else anything",
        arguments: BenchCase.all)
    func answers(system: BenchCase) async throws {
        try await system.withBackend(limit: Self.limit) { _, backend in
            for reader in StandardReaders.all {
                let subscriber = try #require(try await backend.recognise(reader), "\(reader.email)")
                let told = try await backend.subscription(of: subscriber, inquiry: Inquiry())
                #expect(told.state == reader.state, "\(reader.email)")
                #expect(told.holds(what: reader), "\(reader.email)")
                #expect(try await backend.renew(subscriber, inquiry: Inquiry()).isRecognised)
            }
            let shouted = StandardReaders.ada.credentials(identifier: "  ADA@Example.com ")
            #expect(try await backend.recognise(shouted, inquiry: Inquiry()).isRecognised, "folded identifier")
            for password in [
                "Correct horse", "correct horse ", " correct horse", "correct", "battery staple", "*", "'",
            ] {
                let wrong = StandardReaders.ada.credentials(password: password)
                #expect(try await backend.recognise(wrong, inquiry: Inquiry()) == Self.refusal, "\(password)")
            }
            let unknown = StandardReaders.ada.credentials(identifier: "nobody@example.com")
            #expect(try await backend.recognise(unknown, inquiry: Inquiry()) == Self.refusal)
            try await backend.health()
        }
    }

    @Test("Pitfall 13: hostile texts are nobody's, in every field, and change nothing", arguments: BenchCase.all)
    func hostile(system: BenchCase) async throws {
        try await system.withBackend(limit: Self.limit) { _, backend in
            for text in HostileTexts.printable(for: system.bench) {
                for credentials in [
                    StandardReaders.ada.credentials(identifier: text), StandardReaders.ada.credentials(password: text),
                    StandardReaders.ada.credentials(identifier: text, password: text),
                ] {
                    #expect(try await backend.recognise(credentials, inquiry: Inquiry()) == Self.refusal, "\(text)")
                }
            }
            for text in HostileTexts.unprintable {
                for credentials in [
                    StandardReaders.ada.credentials(identifier: text), StandardReaders.ada.credentials(password: text),
                ] {
                    // No error: an outage would also have refused the right password.
                    let name = text.prefix(20).debugDescription
                    #expect(try await backend.recognise(credentials, inquiry: Inquiry()) == Self.refusal, "\(name)")
                }
            }
            for reader in StandardReaders.all {
                let subscriber = try #require(try await backend.recognise(reader), "\(reader.email)")
                let told = try await backend.subscription(of: subscriber, inquiry: Inquiry())
                #expect(told.state == reader.state && told.holds(what: reader), "\(reader.email)")
            }
        }
    }

    @Test("Pitfall 14: an empty, blank or missing password is refused", arguments: BenchCase.all)
    func emptyPassword(system: BenchCase) async throws {
        try await system.withBackend(limit: Self.limit) { _, backend async throws in
            let ada = StandardReaders.ada
            // The right password before and after each: what is refused in an outage shows nothing.
            #expect(try await backend.recognise(ada) != nil)
            for password in ["", " ", "\t", "\u{0}", "\u{0}correct horse", "\u{A0}"] {
                let blank = ada.credentials(password: password)
                #expect(
                    try await backend.recognise(blank, inquiry: Inquiry()) == Self.refusal,
                    "\(password.debugDescription)")
                #expect(try await backend.recognise(ada) != nil, "after \(password.debugDescription)")
            }
            let without = Credentials(identifier: ada.email, fields: ["email": ada.email])
            #expect(try await backend.recognise(without, inquiry: Inquiry()) == Self.refusal)
            #expect(try await backend.recognise(ada) != nil)
        }
    }

    @Test("Pitfall 8: what changes in the system is what it answers next", arguments: BenchCase.all)
    func changes(system: BenchCase) async throws {
        try await system.withBackend(limit: Self.limit) { bench, backend in
            let ada = StandardReaders.ada
            let subscriber = try #require(try await backend.recognise(ada))
            for state in [SubscriptionState.suspended, .inactive, .active] {
                try await bench.set(state, of: ada)
                let told = try await backend.subscription(of: subscriber, inquiry: Inquiry())
                #expect(told.state == state)
            }
            try await bench.setPassword("a new pass phrase", of: ada)
            let new = ada.credentials(password: "a new pass phrase")
            #expect(try await backend.recognise(new, inquiry: Inquiry()).isRecognised)
            #expect(try await backend.recognise(ada.credentials(), inquiry: Inquiry()) == Self.refusal)
        }
    }

    @Test("Pitfall 9: an outage is thrown, never a refusal and never an empty answer", arguments: BenchCase.breakable)
    func outages(system: BenchCase) async throws {
        for outage in system.bench.outages {
            try await system.withBackend { bench, backend in
                let ada = StandardReaders.ada
                // A busy machine may take longer than the two seconds that a bench has.
                var recognised: Subscriber?
                try await eventually("\(outage): recognises before it") {
                    recognised = try? await backend.recognise(ada)
                    return recognised != nil
                }
                let subscriber = try #require(recognised)
                try await bench.fail(outage)
                for attempt in 1...3 {
                    // A slow system's answers are waited for once, and given up twice: those that come are true.
                    let isSlow = outage == .slow
                    let patience: Duration = .seconds(isSlow && attempt == 2 ? 12 : 2)
                    let recognition = await outcome(within: patience) {
                        try await backend.recognise(ada.credentials(), inquiry: Inquiry())
                    }
                    #expect(
                        recognition == nil || isSlow && recognition?.isRecognised == true,
                        "\(outage) \(attempt): \(String(describing: recognition))")
                    let wrong = await outcome(within: patience) {
                        try await backend.recognise(ada.credentials(password: "wrong"), inquiry: Inquiry())
                    }
                    #expect(
                        wrong == nil || isSlow && wrong == Self.refusal,
                        "\(outage) \(attempt): \(String(describing: wrong))")
                    let told = await outcome(within: patience) {
                        try await backend.subscription(of: subscriber, inquiry: Inquiry())
                    }
                    #expect(
                        told == nil || isSlow && told?.state == ada.state && told?.holds(what: ada) == true,
                        "\(outage) \(attempt): \(String(describing: told))")
                }
                try await bench.recover()
                try await eventually("\(outage): recovers without a restart") {
                    await outcome { try await backend.recognise(ada.credentials(), inquiry: Inquiry()) }?.isRecognised
                        == true
                }
                // The first answer counts, whatever it is.
                var told: Subscription?
                try await eventually("\(outage): tells what they hold after it") {
                    told = await outcome { try await backend.subscription(of: subscriber, inquiry: Inquiry()) }
                    return told != nil
                }
                #expect(told?.state == .active && told?.entitlement == ada.entitlement, "\(outage)")
            }
        }
    }

    @Test(
        "Pitfall 9: a question under way when the system is stopped ends as an error or truly, the next ones are answered",
        arguments: BenchCase.breakable)
    func stoppedDuringQuestion(system: BenchCase) async throws {
        guard system.bench.outages.contains(.stopped) else { return }
        // Held back, so that each question is surely under way.
        let holding = [Outage.slow, .paused].first { system.bench.outages.contains($0) }
        // No client gives up before the system is stopped, also where the machine is busy.
        try await system.withBackend(limit: Self.limit) { bench, backend in
            let ada = StandardReaders.ada
            let subscriber = try #require(try await backend.recognise(ada))
            for attempt in 1...2 {
                if let holding { try await bench.fail(holding) }
                let ended = Ended()
                let begun = ContinuousClock.now
                // The long patience shows that it is the end of the system that ends them, no cancellation.
                async let recognition = outcome(within: .seconds(30), counting: ended) {
                    try await backend.recognise(ada.credentials(), inquiry: Inquiry())
                }
                async let wrong = outcome(within: .seconds(30), counting: ended) {
                    try await backend.recognise(ada.credentials(password: "wrong"), inquiry: Inquiry())
                }
                async let told = outcome(within: .seconds(30), counting: ended) {
                    try await backend.subscription(of: subscriber, inquiry: Inquiry())
                }
                try await Task.sleep(for: .milliseconds(500))
                let endedEarly = ended.count
                // On a busy machine the half second may have been long enough for them to end by themselves.
                if holding != nil, ContinuousClock.now - begun < .seconds(2) {
                    #expect(endedEarly == 0, "\(attempt): all are under way")
                }
                try await bench.fail(.stopped)
                let answers = (await recognition, await wrong, await told)
                #expect(answers.0 == nil || answers.0?.isRecognised == true, "\(attempt): \(answers)")
                #expect(answers.1 == nil || answers.1 == Self.refusal, "\(attempt): \(answers)")
                #expect(
                    answers.2 == nil || answers.2?.state == ada.state && answers.2?.holds(what: ada) == true,
                    "\(attempt): \(answers)")
                try await bench.recover()
                try await eventually("\(attempt): the next question is answered") {
                    await outcome { try await backend.recognise(ada.credentials(), inquiry: Inquiry()) }?.isRecognised
                        == true
                }
                let next = try await backend.subscription(of: subscriber, inquiry: Inquiry())
                #expect(next.state == ada.state && next.holds(what: ada), "\(attempt)")
                let refused = try await backend.recognise(ada.credentials(password: "wrong"), inquiry: Inquiry())
                #expect(refused == Self.refusal, "\(attempt)")
            }
        }
    }

    /// The answer, or nil when it is an error; a question that takes too long is cancelled, which must end it.
    ///
    /// - Parameter ended: counts the questions that have ended.
    private func outcome<Answer: Sendable>(
        within limit: Duration = .seconds(2), counting ended: Ended? = nil,
        _ question: @escaping @Sendable () async throws -> Answer
    ) async -> Answer? {
        let asked = Task { try await question() }
        let patience = Task {
            try await Task.sleep(for: limit)
            asked.cancel()
        }
        defer { patience.cancel() }
        let answer = try? await asked.value
        ended?.add()
        return answer
    }

    /// How many questions have ended.
    private final class Ended: Sendable {
        private let number = Atomic(0)

        var count: Int { number.load(ordering: .relaxed) }

        func add() { number.add(1, ordering: .relaxed) }
    }
}

extension StandardReader {
    /// What the reader types, with one thing changed.
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
    func recognise(_ reader: StandardReader) async throws -> Subscriber? {
        guard case .recognised(let subscriber) = try await recognise(reader.credentials(), inquiry: Inquiry()) else {
            return nil
        }
        return subscriber
    }
}

extension Recognition {
    var isRecognised: Bool {
        if case .recognised = self { true } else { false }
    }
}

extension Subscription {
    /// Whether it is what the reader holds. Nothing opens for the suspended, so a system need not say what they hold.
    fileprivate func holds(what reader: StandardReader) -> Bool {
        entitlement == reader.entitlement || (reader.state == .suspended && entitlement == .nothing)
    }
}
