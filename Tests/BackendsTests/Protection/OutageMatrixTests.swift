import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

/// Pitfall 9: every outage against every state of the cache.
@Suite("Outages and denials kept apart", .timeLimit(.minutes(10)))
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
        case revalidating
        case expired
        case tooOld
        case deniedSince

        var hasResponse: Bool { self == .warm || self == .revalidating || self == .expired }
    }

    /// Brings the cache into its state, for ada and for every query.
    private func prepare(_ fixture: ProtectedBackendFixture, _ cache: Cache) async throws {
        guard cache != .cold else { return }
        _ = try await queryAll(fixture)
        if cache == .deniedSince {
            fixture.time.advance(by: 61)
            fixture.probe.follow { query, _ in
                switch query {
                case .authenticate: .authentication(.rejected(message: nil))
                case .verdict: .verdict(.rejected(.notEntitled, message: nil))
                default: .subscription(Subscription(state: .suspended))
                }
            }
            _ = try await queryAll(fixture)
        }
        switch cache {
        case .cold, .warm: break
        case .revalidating: fixture.time.advance(by: 40)
        case .expired, .deniedSince: fixture.time.advance(by: 3_600)
        case .tooOld: fixture.time.advance(by: 90_000)
        }
    }

    private func queryAll(_ fixture: ProtectedBackendFixture) async throws -> (
        AuthenticationResult, Subscription, EditionVerdict?
    ) {
        (try await fixture.authenticate(), try await fixture.subscription(), try await fixture.verdict())
    }

    /// Runs the body while the backend is unavailable.
    private func during(
        _ outage: Outage, _ fixture: ProtectedBackendFixture, _ body: () async throws -> Void
    ) async throws {
        let latch = ManualLatch()
        var waiting: [Task<Subscription, any Error>] = []
        switch outage {
        case .error: fixture.probe.follow(ProbeBackend.down)
        case .breakerOpen:
            fixture.probe.follow(ProbeBackend.down)
            for number in 0..<5 {
                _ = try? await fixture.subscription(of: Subscriber(backend: "house", key: "\(number)"))
            }
            #expect(fixture.status.breaker == .open)
        case .silence, .queueFull:
            fixture.probe.follow { _, _ in
                await latch.pass()
                throw ProbeBackend.UnavailableError()
            }
            if outage == .queueFull {
                waiting = (0..<2).map { number in
                    Task { try await fixture.subscription(of: Subscriber(backend: "house", key: "\(number)")) }
                }
                await until { fixture.status.waiting == 1 }
            }
        }
        let impatience = Task {
            // A query to a silent backend waits until its deadline.
            while outage == .silence, !Task.isCancelled {
                if latch.waiting > 0, fixture.time.sleeping > 0 { fixture.time.advance(by: 3) }
                await Task.yield()
            }
        }
        try await body()
        impatience.cancel()
        latch.open()
        for task in waiting { _ = await task.result }
    }

    @Test("Pitfall 9: an outage returns the last good result or fails", arguments: Outage.allCases, Cache.allCases)
    func matrix(outage: Outage, cache: Cache) async throws {
        for query in ["authenticate", "subscription", "verdict"] {
            let fixture = ProtectedBackendFixture {
                $0.concurrency.maxConcurrent = outage == .silence ? 16 : 1
                $0.concurrency.waiting = 1
            }
            try await prepare(fixture, cache)
            try await during(outage, fixture) {
                // The first of two queries may find the backend while it is failing.
                for _ in 0..<2 {
                    do {
                        switch query {
                        case "authenticate":
                            #expect(try await fixture.authenticate() == .authenticated(ProtectedBackendFixture.ada))
                        case "subscription": #expect(try await fixture.subscription().state == .active)
                        default: #expect(try await fixture.verdict() == .granted)
                        }
                        #expect(cache.hasResponse)
                    } catch {
                        #expect(!cache.hasResponse, "\(error)")
                        #expect(error is any BackendFailure || error is ProbeBackend.UnavailableError)
                    }
                }
            }
        }
    }

    @Test("Pitfall 9: a raw HTTP response is passed through, and no cached result replaces it")
    func raw() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await queryAll(fixture)
        fixture.time.advance(by: 61)
        fixture.probe.follow { _, _ in throw ScriptedResponse(status: 500, text: "broken") }
        await #expect(throws: ScriptedResponse.self) { try await queryAll(fixture) }
    }

    @Test("Pitfall 10: a suspension before the outage ends the use of an earlier grant")
    func suspendedBefore() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.verdict()
        fixture.time.advance(by: 61)
        fixture.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        _ = try await fixture.subscription()
        fixture.probe.follow(ProbeBackend.down)
        await #expect(throws: ProbeBackend.UnavailableError.self) { try await fixture.verdict() }
    }
}
