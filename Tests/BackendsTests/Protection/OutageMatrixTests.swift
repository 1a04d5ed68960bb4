import Foundation
import Gatefold
import Protections
import Synchronization
import TestSupport
import Testing

@testable import Backends

/// PITFALLS row 9: every outage against every state of the cache.
@Suite("An outage is no refusal, and a refusal no outage", .timeLimit(.minutes(10)))
struct OutageMatrixTests {
    enum Outage: CaseIterable {
        case error
        case silence
        case queueFull
        case breakerOpen
    }

    enum Cache: CaseIterable {
        case cold
        case warm
        case ageing
        case expired
        case tooOld
        case refusedSince

        var isAnswered: Bool { self == .warm || self == .ageing || self == .expired }
    }

    /// Brings the cache into its state, for ada and for every question.
    private func prepare(_ bench: ProtectedBench, _ cache: Cache) async throws {
        guard cache != .cold else { return }
        _ = try await ask(bench)
        if cache == .refusedSince {
            bench.time.advance(by: 61)
            bench.probe.follow { question, _ in
                switch question {
                case .recognise: .recognition(.notRecognised(message: nil))
                case .verdict: .verdict(.refused(.notEntitled, message: nil))
                default: .subscription(Subscription(state: .suspended))
                }
            }
            _ = try await ask(bench)
        }
        switch cache {
        case .cold, .warm: break
        case .ageing: bench.time.advance(by: 40)
        case .expired, .refusedSince: bench.time.advance(by: 3_600)
        case .tooOld: bench.time.advance(by: 90_000)
        }
    }

    private func ask(_ bench: ProtectedBench) async throws -> (Recognition, Subscription, EditionVerdict?) {
        (try await bench.recognise(), try await bench.subscription(), try await bench.verdict())
    }

    /// Runs the body while the backend can not be asked.
    private func during(
        _ outage: Outage, _ bench: ProtectedBench, _ body: () async throws -> Void
    ) async throws {
        let door = Door()
        var waiting: [Task<Subscription, any Error>] = []
        switch outage {
        case .error: bench.probe.follow(ProbeBackend.down)
        case .breakerOpen:
            bench.probe.follow(ProbeBackend.down)
            for number in 0..<5 {
                _ = try? await bench.subscription(of: Subscriber(backend: "house", key: "\(number)"))
            }
            #expect(bench.status.breaker == .open)
        case .silence, .queueFull:
            bench.probe.follow { _, _ in
                await door.pass()
                throw ProbeBackend.Down()
            }
            if outage == .queueFull {
                waiting = (0..<2).map { number in
                    Task { try await bench.subscription(of: Subscriber(backend: "house", key: "\(number)")) }
                }
                await until { bench.status.waiting == 1 }
            }
        }
        let impatience = Task {
            // Whoever waits for silence waits until its deadline.
            while outage == .silence, !Task.isCancelled {
                if door.waiting > 0, bench.time.sleeping > 0 { bench.time.advance(by: 3) }
                await Task.yield()
            }
        }
        try await body()
        impatience.cancel()
        door.open()
        for task in waiting { _ = await task.result }
    }

    @Test("Pitfall 9: the answer is the last good one or none at all", arguments: Outage.allCases, Cache.allCases)
    func matrix(outage: Outage, cache: Cache) async throws {
        for question in ["recognise", "subscription", "verdict"] {
            let bench = ProtectedBench {
                $0.concurrency.most = outage == .silence ? 16 : 1
                $0.concurrency.waiting = 1
            }
            try await prepare(bench, cache)
            try await during(outage, bench) {
                // Of two questions the first may find the backend on its way down.
                for _ in 0..<2 {
                    do {
                        switch question {
                        case "recognise": #expect(try await bench.recognise() == .recognised(ProtectedBench.ada))
                        case "subscription": #expect(try await bench.subscription().state == .active)
                        default: #expect(try await bench.verdict() == .granted)
                        }
                        #expect(cache.isAnswered)
                    } catch {
                        #expect(!cache.isAnswered, "\(error)")
                        #expect(error is any BackendFailure || error is ProbeBackend.Down)
                    }
                }
            }
        }
    }

    @Test("Pitfall 9: a verbatim answer is handed on, and nothing stands in for it")
    func verbatim() async throws {
        let bench = ProtectedBench()
        _ = try await ask(bench)
        bench.time.advance(by: 61)
        bench.probe.follow { _, _ in throw VerbatimAnswer(status: 500, body: "broken") }
        await #expect(throws: VerbatimAnswer.self) { try await ask(bench) }
    }

    @Test("Pitfall 10: a suspension before the outage ends what an earlier grant would have stood in for")
    func suspendedBefore() async throws {
        let bench = ProtectedBench()
        _ = try await bench.verdict()
        bench.time.advance(by: 61)
        bench.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        _ = try await bench.subscription()
        bench.probe.follow(ProbeBackend.down)
        await #expect(throws: ProbeBackend.Down.self) { try await bench.verdict() }
    }
}
