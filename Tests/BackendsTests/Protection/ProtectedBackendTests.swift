import Dispatch
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Primitives
@testable import Resilience

@Suite("Protected backend", .timeLimit(.minutes(10)))
struct ProtectedBackendTests {
    private let known = AuthenticationResult.authenticated(ProtectedBackendFixture.ada)

    @Test("Is queried once while its result is fresh")
    func fresh() async throws {
        let fixture = ProtectedBackendFixture()
        for _ in 0..<5 {
            #expect(try await fixture.authenticate() == known)
            #expect(try await fixture.subscription().state == .active)
            #expect(try await fixture.verdict() == .granted)
        }
        #expect(fixture.probe.queried.sorted() == ["authenticate", "subscription", "verdict"])
        #expect(fixture.status.counts[.fresh] == 12 && fixture.status.counts[.miss] == 3)
        #expect(fixture.status.entries == 3 && fixture.status.bytes >= 3 * BackendResultSize.entry)
    }

    @Test("A change reaches readers within the freshness, and frequent requests see it sooner")
    func change() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        fixture.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        fixture.time.advance(by: 31)
        #expect(try await fixture.subscription().state == .active)
        await until { fixture.probe.queried.count == 2 && fixture.status.inUse == 0 }
        await until { fixture.events.count == 2 }
        while try await fixture.subscription().state == .active { await Task.yield() }
        #expect(fixture.probe.queried.count == 2)

        let idle = ProtectedBackendFixture()
        _ = try await idle.subscription()
        idle.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        idle.time.advance(by: 60)
        #expect(try await idle.subscription().state == .suspended)
    }

    @Test("A result due for revalidation is served, and queried again only when a slot is free")
    func revalidating() async throws {
        let fixture = ProtectedBackendFixture { $0.concurrency.maxConcurrent = 1 }
        let latch = ManualLatch()
        _ = try await fixture.subscription()
        fixture.probe.follow { query, context in
            await latch.pass()
            return try await ProbeBackend.friendly(query, context)
        }
        fixture.time.advance(by: 31)
        let other = Task { try await fixture.subscription(of: ProtectedBackendFixture.bob) }
        await until { fixture.probe.present == 1 }
        #expect(try await fixture.subscription().state == .active)
        for _ in 0..<100 { await Task.yield() }
        #expect(fixture.status.waiting == 0 && fixture.probe.queried.count == 2)
        latch.open()
        #expect(try await other.value.state == .active)
    }

    @Test("The breaker stays closed when one reader's row or request fails again and again")
    func oneReadersMistake() async throws {
        struct Odd: RequestScopedFailure {
            let isRequestScoped: Bool
            var cause: String { "odd" }
        }
        for error in [MappingError.unmappedState, Odd(isRequestScoped: true)] as [any Error] {
            let fixture = ProtectedBackendFixture()
            fixture.probe.follow { query, context in
                guard query.subscriber != ProtectedBackendFixture.bob else { throw error }
                return try await ProbeBackend.friendly(query, context)
            }
            for number in 1...20 {
                await #expect(throws: (any Error).self) {
                    try await fixture.subscription(of: ProtectedBackendFixture.bob, ["n": String(number)])
                }
                fixture.time.advance(by: 0.1)
            }
            #expect(fixture.status.breaker == .closed, "\(error)")
            #expect(try await fixture.subscription().state == .active)
            let outcomes = fixture.events.compactMap { $0.queried?.outcome }
            #expect(outcomes.contains(.failed) && !outcomes.contains(.cancelled), "the operator still sees the failure")
        }
        let down = ProtectedBackendFixture()
        down.probe.follow { _, _ in throw Odd(isRequestScoped: false) }
        for _ in 1...20 { _ = try? await down.subscription() }
        #expect(down.status.breaker == .open)
    }

    @Test("Receives only the request fields that its results depend on")
    func reduced() async throws {
        let fixture = ProtectedBackendFixture(varyingFields: ["brand"])
        let context = CallContext(
            fields: ["brand": "daily", "token": "secret"], client: ClientAddress("192.0.2.1"), languages: ["de"])
        _ = try await fixture.backend.subscription(of: ProtectedBackendFixture.ada, context: context).value
        let seen = try #require(fixture.probe.contexts.first)
        #expect(seen.fields == ["brand": "daily"] && seen.client == nil && seen.languages.isEmpty)
    }

    @Test("Is not queried for verdicts when it does not decide editions")
    func noVerdicts() async throws {
        let fixture = ProtectedBackendFixture(decidesEditions: false)
        #expect(try await fixture.verdict() == nil)
        #expect(fixture.probe.queried.isEmpty)
    }

    @Test("Concurrent identical queries share one call, renewals included")
    func coalescing() async throws {
        let fixture = ProtectedBackendFixture()
        let latch = ManualLatch()
        fixture.probe.follow { query, context in
            await latch.pass()
            return try await ProbeBackend.friendly(query, context)
        }
        let tasks = (0..<20).map { _ in
            Task { try await fixture.backend.renew(ProtectedBackendFixture.ada, context: CallContext()) }
        }
        await until { fixture.status.counts[.coalesced] == 19 }
        latch.open()
        for task in tasks { #expect(try await task.value == known) }
        #expect(fixture.probe.queried == ["renew"])
        _ = try await fixture.backend.renew(ProtectedBackendFixture.ada, context: CallContext())
        #expect(fixture.probe.queried == ["renew", "renew"])
    }

    @Test("Never exceeds its concurrency limit, even if calls continue past their deadline")
    func lingering() async throws {
        let fixture = ProtectedBackendFixture {
            $0.concurrency.maxConcurrent = 3
            $0.concurrency.waiting = 2
            $0.breaker = nil
        }
        let latch = ManualLatch()
        fixture.probe.follow { _, _ in
            await latch.pass()
            return .subscription(Subscription(state: .active))
        }
        let tasks = (0..<3).map { number in
            Task { try await fixture.subscription(of: Subscriber(backend: "house", key: "\(number)")) }
        }
        await until { latch.waiting == 3 && fixture.time.sleeping == 3 }
        fixture.time.advance(by: 3)
        for task in tasks {
            await #expect(throws: ProtectionError.deadlineExceeded) { try await task.value }
        }
        #expect(fixture.status.inUse == 3)
        let late = Task { try await fixture.subscription() }
        await until { fixture.status.waiting == 1 && fixture.time.sleeping == 1 }
        #expect(fixture.probe.present == 3)
        fixture.time.advance(by: 2)
        await #expect(throws: ProtectionError.queueTimeout) { try await late.value }
        latch.open()
        await until { fixture.status.inUse == 0 }
        #expect(try await fixture.subscription().state == .active)
        #expect(fixture.probe.maxConcurrent == 3)
        #expect(fixture.status.counts[.deadlineExceeded] == 3)
    }

    @Test("The breaker opens after enough failures and lets a query through after a while")
    func breaker() async throws {
        let fixture = ProtectedBackendFixture(ProbeBackend(ProbeBackend.down))
        for number in 0..<8 {
            await #expect(throws: (any Error).self) {
                try await fixture.subscription(of: Subscriber(backend: "house", key: "\(number)"))
            }
        }
        #expect(fixture.probe.queried.count == 5)
        #expect(fixture.status.breaker == .open && fixture.status.counts[.breakerOpen] == 3)
        #expect(fixture.events.contains { $0.name == "breaker_opened" })
        await #expect(throws: ProtectionError.breakerOpen) { try await fixture.backend.health() }
        fixture.probe.follow(ProbeBackend.friendly)
        fixture.time.advance(by: 12)
        #expect(try await fixture.subscription().state == .active)
        #expect(fixture.status.breaker == .closed)
        #expect(fixture.events.contains { $0.name == "breaker_closed" })
    }

    @Test("Rejections, cancelled queries and raw responses do not count as failures")
    func noFailures() async throws {
        let fixture = ProtectedBackendFixture(
            ProbeBackend { query, _ in
                guard case .authenticate(let credentials) = query else { throw CancellationError() }
                if credentials.identifier.hasPrefix("verbatim") { throw ScriptedResponse(status: 500, text: "broken") }
                return .authentication(.rejected(message: nil))
            })
        for number in 0..<20 {
            #expect(try await fixture.authenticate("nobody \(number)") == .rejected(message: nil))
            await #expect(throws: ScriptedResponse.self) { try await fixture.authenticate("verbatim \(number)") }
            await #expect(throws: CancellationError.self) { try await fixture.subscription() }
        }
        #expect(fixture.status.breaker == .closed && fixture.status.lastFailed == false)
    }

    @Test(
        "Failures inside this process or of one reader's row do not count against the backend",
        arguments: [
            PasswordError.queueFull, PasswordError.unreadableHash, PasswordError.tooCostly,
            ProcessFailure.reportedError,
        ] as [any BackendFailure])
    func ownFailures(error: any BackendFailure) async throws {
        let fixture = ProtectedBackendFixture(ProbeBackend { _, _ in throw error })
        for number in 0..<20 { _ = try? await fixture.authenticate("\(number)") }
        #expect(fixture.probe.queried.count == 20)
        #expect(fixture.status.breaker == .closed && fixture.status.lastFailed == nil)
        fixture.probe.follow { _, _ in throw ProcessFailure.ended }
        for number in 0..<20 { _ = try? await fixture.authenticate("\(number)") }
        #expect(fixture.probe.queried.count == 25 && fixture.status.breaker == .open)
    }

    @Test("Slow password hashing does not block subscription queries")
    func slowHashing() async throws {
        let gate = DispatchSemaphore(value: 0)
        let verifier = PasswordVerifier(hasher: try PasswordHasher(cost: 1) { _ in gate.wait() }, concurrency: 1)
        let atWork = Locked<[LocalWork]>([])
        let fixture = ProtectedBackendFixture(
            ProbeBackend { query, context in
                guard case .authenticate = query else { return try await ProbeBackend.friendly(query, context) }
                atWork.withLock { $0 += LocalWork.current.map { [$0] } ?? [] }
                _ = try await verifier.check("x", against: nil)
                return .authentication(.rejected(message: nil))
            })
        let tasks = (0..<10).map { number in Task { try await fixture.authenticate("\(number)") } }
        await until { fixture.time.sleeping == 10 }
        await until { atWork.withLock { $0.count { $0.isRunning } } == 10 }
        fixture.time.advance(by: 3)
        for task in tasks {
            await #expect(throws: ProtectionError.passwordOverdue) { try await task.value }
        }
        #expect(fixture.status.breaker == .closed && fixture.status.counts[.deadlineExceeded] == 10)
        #expect(try await fixture.subscription().state == .active)
        for _ in tasks { gate.signal() }
        await until { fixture.status.inUse == 0 }
    }

    @Test("The health check runs every few seconds at most, and not while readers send queries")
    func health() async throws {
        let fixture = ProtectedBackendFixture()
        for _ in 0..<10 { try await fixture.backend.health() }
        #expect(fixture.probe.queried == ["health"])
        fixture.time.advance(by: 6)
        _ = try await fixture.subscription()
        try await fixture.backend.health()
        #expect(fixture.probe.queried == ["health", "subscription"])
        fixture.time.advance(by: 6)
        fixture.probe.follow(ProbeBackend.down)
        for _ in 0..<3 { await #expect(throws: (any Error).self) { try await fixture.backend.health() } }
        #expect(fixture.probe.queried == ["health", "subscription", "health"])
    }

    @Test("The health check runs again once the breaker is half-open, even without reader requests")
    func healthHalfOpen() async throws {
        let fixture = ProtectedBackendFixture(ProbeBackend(ProbeBackend.down))
        for number in 0..<5 { _ = try? await fixture.authenticate("\(number)") }
        await #expect(throws: ProtectionError.breakerOpen) { try await fixture.backend.health() }
        fixture.time.advance(by: 13)
        #expect(fixture.status.breaker == .halfOpen)
        await #expect(throws: ProbeBackend.UnavailableError.self) { try await fixture.backend.health() }
        fixture.probe.follow(ProbeBackend.friendly)
        fixture.time.advance(by: 6)
        try await fixture.backend.health()
        // A health check does not close the breaker, because it may test less than a reader's query.
        #expect(fixture.status.breaker == .halfOpen)
    }

    @Test("Every query reaches the backend when the cache is off")
    func cacheOff() async throws {
        let fixture = ProtectedBackendFixture { $0.cache = nil }
        for _ in 0..<3 { _ = try await fixture.subscription() }
        #expect(fixture.probe.queried.count == 3)
        #expect(fixture.status.entries == 0)
    }

    @Test("Events contain nothing that a reader typed")
    func secrecy() async throws {
        let fixture = ProtectedBackendFixture(ProbeBackend(ProbeBackend.down))
        for _ in 0..<6 { _ = try? await fixture.authenticate("ada@example.com", "marker-password") }
        let text = String(describing: fixture.events)
        #expect(!text.contains("marker") && !text.contains("ada"))
    }
}
