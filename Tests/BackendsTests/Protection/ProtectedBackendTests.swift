import Dispatch
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Protections

@Suite("A protected backend", .timeLimit(.minutes(10)))
struct ProtectedBackendTests {
    private let known = Recognition.recognised(ProtectedBench.ada)

    @Test("is asked once while its answer is fresh")
    func fresh() async throws {
        let bench = ProtectedBench()
        for _ in 0..<5 {
            #expect(try await bench.recognise() == known)
            #expect(try await bench.subscription().state == .active)
            #expect(try await bench.verdict() == .granted)
        }
        #expect(bench.probe.asked.sorted() == ["recognise", "subscription", "verdict"])
        #expect(bench.status.counts[.fresh] == 12 && bench.status.counts[.missed] == 3)
        #expect(bench.status.entries == 3 && bench.status.bytes >= 3 * AnswerSize.entry)
    }

    @Test("a change reaches readers within the freshness, those who keep asking sooner")
    func change() async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        bench.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        bench.time.advance(by: 31)
        #expect(try await bench.subscription().state == .active)
        await until { bench.probe.asked.count == 2 && bench.status.asking == 0 }
        await until { bench.events.count == 2 }
        while try await bench.subscription().state == .active { await Task.yield() }
        #expect(bench.probe.asked.count == 2)

        let idle = ProtectedBench()
        _ = try await idle.subscription()
        idle.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        idle.time.advance(by: 60)
        #expect(try await idle.subscription().state == .suspended)
    }

    @Test("an ageing answer is served and asked anew only when a slot is free")
    func ageing() async throws {
        let bench = ProtectedBench { $0.concurrency.most = 1 }
        let door = Door()
        _ = try await bench.subscription()
        bench.probe.follow { question, inquiry in
            await door.pass()
            return try await ProbeBackend.friendly(question, inquiry)
        }
        bench.time.advance(by: 31)
        let other = Task { try await bench.subscription(of: ProtectedBench.bob) }
        await until { bench.probe.present == 1 }
        #expect(try await bench.subscription().state == .active)
        for _ in 0..<100 { await Task.yield() }
        #expect(bench.status.waiting == 0 && bench.probe.asked.count == 2)
        door.open()
        #expect(try await other.value.state == .active)
    }

    @Test("is in peace though one reader's row, or what a reader sent, can not be understood again and again")
    func oneReadersMistake() async throws {
        struct Odd: AnswerFailure {
            let isOfOneAnswer: Bool
            var cause: String { "odd" }
        }
        for error in [MappingError.unmappedState, Odd(isOfOneAnswer: true)] as [any Error] {
            let bench = ProtectedBench()
            bench.probe.follow { question, inquiry in
                guard question.subscriber != ProtectedBench.bob else { throw error }
                return try await ProbeBackend.friendly(question, inquiry)
            }
            for number in 1...20 {
                await #expect(throws: (any Error).self) {
                    try await bench.subscription(of: ProtectedBench.bob, ["n": String(number)])
                }
                bench.time.advance(by: 0.1)
            }
            #expect(bench.status.breaker == .closed, "\(error)")
            #expect(try await bench.subscription().state == .active)
            let outcomes = bench.events.compactMap { $0.asked?.outcome }
            #expect(outcomes.contains(.failed) && !outcomes.contains(.withdrawn), "the operator sees it all the same")
        }
        let down = ProtectedBench()
        down.probe.follow { _, _ in throw Odd(isOfOneAnswer: false) }
        for _ in 1...20 { _ = try? await down.subscription() }
        #expect(down.status.breaker == .open)
    }

    @Test("sees of a request only what its answers depend on")
    func reduced() async throws {
        let bench = ProtectedBench(decidingFields: ["brand"])
        let inquiry = Inquiry(
            fields: ["brand": "daily", "token": "secret"], client: ClientAddress("192.0.2.1"), languages: ["de"])
        _ = try await bench.backend.subscription(of: ProtectedBench.ada, inquiry: inquiry)
        let seen = try #require(bench.probe.inquiries.first)
        #expect(seen.fields == ["brand": "daily"] && seen.client == nil && seen.languages.isEmpty)
    }

    @Test("is not asked for verdicts it never has")
    func noVerdicts() async throws {
        let bench = ProtectedBench(decidesEditions: false)
        #expect(try await bench.verdict() == nil)
        #expect(bench.probe.asked.isEmpty)
    }

    @Test("is asked one question by all who ask the same at once, renewals included")
    func coalescing() async throws {
        let bench = ProtectedBench()
        let door = Door()
        bench.probe.follow { question, inquiry in
            await door.pass()
            return try await ProbeBackend.friendly(question, inquiry)
        }
        let tasks = (0..<20).map { _ in
            Task { try await bench.backend.renew(ProtectedBench.ada, inquiry: Inquiry()) }
        }
        await until { bench.status.counts[.coalesced] == 19 }
        door.open()
        for task in tasks { #expect(try await task.value == known) }
        #expect(bench.probe.asked == ["renew"])
        _ = try await bench.backend.renew(ProtectedBench.ada, inquiry: Inquiry())
        #expect(bench.probe.asked == ["renew", "renew"])
    }

    @Test("never sees one question more than its limit, though calls linger past their deadline")
    func lingering() async throws {
        let bench = ProtectedBench {
            $0.concurrency.most = 3
            $0.concurrency.waiting = 2
            $0.breaker = nil
        }
        let door = Door()
        bench.probe.follow { _, _ in
            await door.pass()
            return .subscription(Subscription(state: .active))
        }
        let tasks = (0..<3).map { number in
            Task { try await bench.subscription(of: Subscriber(backend: "house", key: "\(number)")) }
        }
        await until { door.waiting == 3 && bench.time.sleeping == 3 }
        bench.time.advance(by: 3)
        for task in tasks {
            await #expect(throws: ProtectionError.deadlineExceeded) { try await task.value }
        }
        #expect(bench.status.asking == 3)
        let late = Task { try await bench.subscription() }
        await until { bench.status.waiting == 1 && bench.time.sleeping == 1 }
        #expect(bench.probe.present == 3)
        bench.time.advance(by: 2)
        await #expect(throws: ProtectionError.patienceOver) { try await late.value }
        door.open()
        await until { bench.status.asking == 0 }
        #expect(try await bench.subscription().state == .active)
        #expect(bench.probe.most == 3)
        #expect(bench.status.counts[.deadlineExceeded] == 3)
    }

    @Test("is left in peace once it has failed often enough, and asked again after a while")
    func breaker() async throws {
        let bench = ProtectedBench(ProbeBackend(ProbeBackend.down))
        for number in 0..<8 {
            await #expect(throws: (any Error).self) {
                try await bench.subscription(of: Subscriber(backend: "house", key: "\(number)"))
            }
        }
        #expect(bench.probe.asked.count == 5)
        #expect(bench.status.breaker == .open && bench.status.counts[.breakerOpen] == 3)
        #expect(bench.events.contains { $0.name == "breaker_opened" })
        await #expect(throws: ProtectionError.breakerOpen) { try await bench.backend.health() }
        bench.probe.follow(ProbeBackend.friendly)
        bench.time.advance(by: 12)
        #expect(try await bench.subscription().state == .active)
        #expect(bench.status.breaker == .closed)
        #expect(bench.events.contains { $0.name == "breaker_closed" })
    }

    @Test("refusals, withdrawn questions and verbatim answers are no failures")
    func noFailures() async throws {
        let bench = ProtectedBench(
            ProbeBackend { question, _ in
                guard case .recognise(let credentials) = question else { throw CancellationError() }
                if credentials.identifier.hasPrefix("verbatim") { throw VerbatimAnswer(status: 500, body: "broken") }
                return .recognition(.notRecognised(message: nil))
            })
        for number in 0..<20 {
            #expect(try await bench.recognise("nobody \(number)") == .notRecognised(message: nil))
            await #expect(throws: VerbatimAnswer.self) { try await bench.recognise("verbatim \(number)") }
            await #expect(throws: CancellationError.self) { try await bench.subscription() }
        }
        #expect(bench.status.breaker == .closed && bench.status.lastFailed == false)
    }

    @Test(
        "what goes wrong in this process, or with one reader's row, is no failure of the backend",
        arguments: [
            PasswordError.queueFull, PasswordError.unreadableHash, PasswordError.tooCostly,
            ProcessFailure.reportedError,
        ] as [any BackendFailure])
    func ownFailures(error: any BackendFailure) async throws {
        let bench = ProtectedBench(ProbeBackend { _, _ in throw error })
        for number in 0..<20 { _ = try? await bench.recognise("\(number)") }
        #expect(bench.probe.asked.count == 20)
        #expect(bench.status.breaker == .closed && bench.status.lastFailed == nil)
        bench.probe.follow { _, _ in throw ProcessFailure.ended }
        for number in 0..<20 { _ = try? await bench.recognise("\(number)") }
        #expect(bench.probe.asked.count == 25 && bench.status.breaker == .open)
    }

    @Test("passwords that take too long to hash do not keep readers from verifying")
    func slowHashing() async throws {
        let gate = DispatchSemaphore(value: 0)
        let verifier = PasswordVerifier(hasher: try PasswordHasher(cost: 1) { _ in gate.wait() }, concurrency: 1)
        let atWork = Kept<[OwnWork]>([])
        let bench = ProtectedBench(
            ProbeBackend { question, inquiry in
                guard case .recognise = question else { return try await ProbeBackend.friendly(question, inquiry) }
                atWork.withLock { $0 += OwnWork.current.map { [$0] } ?? [] }
                _ = try await verifier.check("x", against: nil)
                return .recognition(.notRecognised(message: nil))
            })
        let tasks = (0..<10).map { number in Task { try await bench.recognise("\(number)") } }
        await until { bench.time.sleeping == 10 }
        await until { atWork.withLock { $0.count { $0.isUnderWay } } == 10 }
        bench.time.advance(by: 3)
        for task in tasks {
            await #expect(throws: ProtectionError.passwordOverdue) { try await task.value }
        }
        #expect(bench.status.breaker == .closed && bench.status.counts[.deadlineExceeded] == 10)
        #expect(try await bench.subscription().state == .active)
        for _ in tasks { gate.signal() }
        await until { bench.status.asking == 0 }
    }

    @Test("its health is asked for every few seconds at most, and not while readers ask")
    func health() async throws {
        let bench = ProtectedBench()
        for _ in 0..<10 { try await bench.backend.health() }
        #expect(bench.probe.asked == ["health"])
        bench.time.advance(by: 6)
        _ = try await bench.subscription()
        try await bench.backend.health()
        #expect(bench.probe.asked == ["health", "subscription"])
        bench.time.advance(by: 6)
        bench.probe.follow(ProbeBackend.down)
        for _ in 0..<3 { await #expect(throws: (any Error).self) { try await bench.backend.health() } }
        #expect(bench.probe.asked == ["health", "subscription", "health"])
    }

    @Test("its health does not stay bad at night: once the breaker would let a question try, it is asked how it is")
    func healthHalfOpen() async throws {
        let bench = ProtectedBench(ProbeBackend(ProbeBackend.down))
        for number in 0..<5 { _ = try? await bench.recognise("\(number)") }
        await #expect(throws: ProtectionError.breakerOpen) { try await bench.backend.health() }
        bench.time.advance(by: 13)
        #expect(bench.status.breaker == .halfOpen)
        await #expect(throws: ProbeBackend.Down.self) { try await bench.backend.health() }
        bench.probe.follow(ProbeBackend.friendly)
        bench.time.advance(by: 6)
        try await bench.backend.health()
        // Health closes nothing: it may be less than a reader asks for.
        #expect(bench.status.breaker == .halfOpen)
    }

    @Test("with the cache off every question reaches it")
    func cacheOff() async throws {
        let bench = ProtectedBench { $0.cache = nil }
        for _ in 0..<3 { _ = try await bench.subscription() }
        #expect(bench.probe.asked.count == 3)
        #expect(bench.status.entries == 0)
    }

    @Test("events hold nothing that a reader typed")
    func secrecy() async throws {
        let bench = ProtectedBench(ProbeBackend(ProbeBackend.down))
        for _ in 0..<6 { _ = try? await bench.recognise("ada@example.com", "marker-password") }
        let text = String(describing: bench.events)
        #expect(!text.contains("marker") && !text.contains("ada"))
    }
}
