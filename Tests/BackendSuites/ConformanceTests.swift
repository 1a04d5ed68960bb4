import BackendBenches
import Gatefold
import TestSupport
import Testing

/// What every subscriber backend does, whatever it asks: each bench's real system is started and asked directly.
@Suite("Every subscriber backend", .serialized) struct ConformanceTests {
    private static let refusal = Recognition.notRecognised(message: nil)

    @Test(
        "recognises its readers by the right password, tells what they hold, and nobody else anything",
        arguments: BenchCase.all)
    func answers(system: BenchCase) async throws {
        try await system.withBackend { _, backend in
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
        try await system.withBackend { _, backend in
            for text in HostileTexts.printable {
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
                    let answer = try? await backend.recognise(credentials, inquiry: Inquiry())
                    #expect(answer?.isRecognised != true, "\(text.prefix(20).debugDescription)")
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
        try await system.withBackend { _, backend in
            for password in ["", " ", "\t", "\u{0}", "\u{0}correct horse", "\u{A0}"] {
                let credentials = StandardReaders.ada.credentials(password: password)
                let answer = try? await backend.recognise(credentials, inquiry: Inquiry())
                #expect(answer?.isRecognised != true, "\(password.debugDescription)")
            }
            let without = Credentials(
                identifier: StandardReaders.ada.email, fields: ["email": StandardReaders.ada.email])
            #expect((try? await backend.recognise(without, inquiry: Inquiry()))?.isRecognised != true)
        }
    }

    @Test("Pitfall 8: what changes in the system is what it answers next", arguments: BenchCase.all)
    func changes(system: BenchCase) async throws {
        try await system.withBackend { bench, backend in
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
                let subscriber = try #require(try await backend.recognise(ada))
                try await bench.fail(outage)
                for attempt in 1...3 {
                    let recognition = await outcome {
                        try await backend.recognise(ada.credentials(), inquiry: Inquiry())
                    }
                    #expect(recognition == nil, "\(outage) \(attempt): \(String(describing: recognition))")
                    let wrong = await outcome {
                        try await backend.recognise(ada.credentials(password: "wrong"), inquiry: Inquiry())
                    }
                    #expect(wrong == nil, "\(outage) \(attempt): \(String(describing: wrong))")
                    let told = await outcome { try await backend.subscription(of: subscriber, inquiry: Inquiry()) }
                    #expect(told == nil, "\(outage) \(attempt): \(String(describing: told))")
                }
                try await bench.recover()
                try await eventually("\(outage): recovers without a restart") {
                    await outcome { try await backend.recognise(ada.credentials(), inquiry: Inquiry()) }?.isRecognised
                        == true
                }
                let told = try await backend.subscription(of: subscriber, inquiry: Inquiry())
                #expect(told.state == .active && told.entitlement == ada.entitlement, "\(outage)")
            }
        }
    }

    /// The answer, or nil when it is an error; a question that takes too long is cancelled, which must end it.
    private func outcome<Answer: Sendable>(_ question: @escaping @Sendable () async throws -> Answer) async -> Answer? {
        let asked = Task { try await question() }
        let patience = Task {
            try await Task.sleep(for: .seconds(2))
            asked.cancel()
        }
        defer { patience.cancel() }
        return try? await asked.value
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
