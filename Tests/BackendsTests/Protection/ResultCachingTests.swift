import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Result caching of a protected backend", .timeLimit(.minutes(10)))
struct ResultCachingTests {
    private let known = AuthenticationResult.authenticated(ProtectedBackendFixture.ada)
    private let rejected = AuthenticationResult.rejected(message: nil)

    /// Behaves like a database that ignores case and accents: every spelling is ada's, with the current password.
    private static func folding(_ right: String) -> ProbeBackend.Rule {
        { query, context in
            guard case .authenticate(let credentials) = query else {
                return try await ProbeBackend.friendly(query, context)
            }
            return .authentication(
                credentials["password"] == right
                    ? .authenticated(ProtectedBackendFixture.ada) : .rejected(message: nil))
        }
    }

    @Test("Pitfall 22: a former password fails under every spelling after a newer one was used under another")
    func formerPassword() async throws {
        let fixture = ProtectedBackendFixture(ProbeBackend(Self.folding("former")))
        let spellings = ["ada", "ádá", "ＡＤＡ"]
        for spelling in spellings {
            let result = try await fixture.authenticate(spelling, "former")
            #expect(result == known)
        }
        fixture.probe.follow(Self.folding("later"))
        let later = try await fixture.authenticate("âda", "later")
        #expect(later == known)
        for spelling in spellings {
            let result = try await fixture.authenticate(spelling, "former")
            #expect(result == rejected, "fresh result under \(spelling)")
        }
        fixture.probe.follow(ProbeBackend.down)
        fixture.time.advance(by: 3_600)
        for spelling in spellings + ["âda"] {
            await #expect(throws: (any Error).self, "in an outage, under \(spelling)") {
                try await fixture.authenticate(spelling, "former")
            }
        }
        let bridged = try await fixture.authenticate("âda", "later")
        #expect(bridged == known)
    }

    @Test("Pitfall 22: a sign-in in flight with a former password is not cached under another spelling")
    func formerPasswordInFlight() async throws {
        let fixture = ProtectedBackendFixture()
        let latch = ManualLatch()
        fixture.probe.follow { query, _ in
            guard case .authenticate(let credentials) = query else { throw ProbeBackend.UnavailableError() }
            if credentials["password"] == "former" { await latch.pass() }
            return .authentication(.authenticated(ProtectedBackendFixture.ada))
        }
        let former = Task { try await fixture.authenticate("ádá", "former") }
        await until { latch.waiting == 1 }
        _ = try await fixture.authenticate("ada", "later")
        latch.open()
        _ = try await former.value
        fixture.probe.follow(ProbeBackend.down)
        fixture.time.advance(by: 3_600)
        await #expect(throws: (any Error).self) { try await fixture.authenticate("ádá", "former") }
        let later = try await fixture.authenticate("ada", "later")
        #expect(later == known)
    }

    @Test("Pitfall 7: another password, identifier, session, edition or varying field reaches the backend")
    func everyInput() async throws {
        let fixture = ProtectedBackendFixture(varyingFields: ["brand"])
        let session = Subscriber(backend: "house", key: "ada", upstreamSession: "1")
        let queries: [() async throws -> Void] = [
            { _ = try await fixture.authenticate() },
            { _ = try await fixture.authenticate("ada", "wrong") },
            { _ = try await fixture.authenticate("bob", "right") },
            { _ = try await fixture.authenticate("ada", "right", ["brand": "weekly"]) },
            { _ = try await fixture.subscription() },
            { _ = try await fixture.subscription(of: session) },
            { _ = try await fixture.subscription(of: ProtectedBackendFixture.bob) },
            { _ = try await fixture.subscription(["brand": "weekly"]) },
            { _ = try await fixture.verdict() },
            { _ = try await fixture.verdict("ed-2") },
            { _ = try await fixture.verdict(of: session) },
        ]
        for (index, operation) in queries.enumerated() {
            try await operation()
            #expect(fixture.probe.queried.count == index + 1)
        }
        for operation in queries { try await operation() }
        #expect(fixture.probe.queried.count == queries.count)
        // A field that the backend does not see makes no difference.
        _ = try await fixture.subscription(["device": "other"])
        #expect(fixture.probe.queried.count == queries.count)
    }

    @Test("Pitfall 8: an old password fails within the freshness; the new one works at once and ends the old one")
    func changedPassword() async throws {
        let fixture = ProtectedBackendFixture()
        #expect(try await fixture.authenticate("ada", "right") == known)
        #expect(try await fixture.authenticate("ada", "new") == rejected)
        fixture.probe.follow { query, context in
            guard case .authenticate(let credentials) = query, credentials["password"] == "new" else {
                return .authentication(.rejected(message: nil))
            }
            return .authentication(.authenticated(ProtectedBackendFixture.ada))
        }
        fixture.time.advance(by: 5)
        #expect(try await fixture.authenticate("ada", "new") == known)
        #expect(try await fixture.authenticate("ada", "right") == rejected)
        // An outage does not bring it back either.
        fixture.probe.follow(ProbeBackend.down)
        fixture.time.advance(by: 3_600)
        #expect(try await fixture.authenticate("ada", "new") == known)
        await #expect(throws: ProbeBackend.UnavailableError.self) { try await fixture.authenticate("ada", "right") }
    }

    @Test("Pitfall 8: an old password fails after the freshness even if the new one was never used")
    func changedPasswordAlone() async throws {
        let fixture = ProtectedBackendFixture()
        #expect(try await fixture.authenticate() == known)
        fixture.probe.follow { _, _ in .authentication(.rejected(message: nil)) }
        fixture.time.advance(by: 60)
        #expect(try await fixture.authenticate() == rejected)
    }

    @Test("Pitfall 8: a renewed subscription is active after the negative lifetime of five seconds")
    func renewed() async throws {
        let fixture = ProtectedBackendFixture(ProbeBackend { _, _ in .subscription(Subscription(state: .inactive)) })
        #expect(try await fixture.subscription().state == .inactive)
        fixture.probe.follow(ProbeBackend.friendly)
        fixture.time.advance(by: 4.9)
        #expect(try await fixture.subscription().state == .inactive)
        fixture.time.advance(by: 0.1)
        #expect(try await fixture.subscription().state == .active)
    }

    @Test("Pitfall 9: a reader suspended on one device is not active on another in a later outage")
    func suspendedElsewhere() async throws {
        let fixture = ProtectedBackendFixture()
        let phone = Subscriber(backend: "house", key: "ada", upstreamSession: "phone")
        let tablet = Subscriber(backend: "house", key: "ada", upstreamSession: "tablet")
        #expect(try await fixture.subscription(of: phone).state == .active)
        fixture.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        #expect(try await fixture.subscription(of: tablet).state == .suspended)
        fixture.probe.follow(ProbeBackend.down)
        fixture.time.advance(by: 3_600)
        await #expect(throws: ProbeBackend.UnavailableError.self) { try await fixture.subscription(of: phone) }
    }

    @Test("A wrong password does not invalidate the cached result of the right one")
    func wrongPassword() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.authenticate()
        _ = try await fixture.authenticate("ada", "wrong")
        fixture.probe.follow(ProbeBackend.down)
        fixture.time.advance(by: 70)
        #expect(try await fixture.authenticate() == known)
    }

    @Test("Sign-out and renewal as another subscriber invalidate the cache; renewal as the same one does not")
    func sessionsEnd() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        _ = try await fixture.backend.renew(ProtectedBackendFixture.ada, context: CallContext())
        #expect(fixture.status.entries == 1)
        fixture.probe.follow { _, _ in
            .authentication(.authenticated(Subscriber(backend: "house", key: "ada", upstreamSession: "2")))
        }
        _ = try await fixture.backend.renew(ProtectedBackendFixture.ada, context: CallContext())
        #expect(fixture.status.entries == 0)
        fixture.probe.follow(ProbeBackend.friendly)
        _ = try await fixture.subscription()
        _ = try await fixture.subscription(of: ProtectedBackendFixture.bob)
        try await fixture.backend.signOut(ProtectedBackendFixture.ada, context: CallContext())
        #expect(fixture.status.entries == 1)
    }

    @Test("A flush by identifier, key or reference invalidates one reader's results")
    func flush() async throws {
        let fixture = ProtectedBackendFixture()
        let reference = fixture.pseudonymKey.reference(to: ProtectedBackendFixture.ada)
        let targets: [FlushTarget] = [.identifier(" ADA "), .key("ada"), .reference(reference)]
        for target in targets {
            _ = try await fixture.authenticate()
            _ = try await fixture.subscription()
            _ = try await fixture.verdict()
            _ = try await fixture.subscription(of: ProtectedBackendFixture.bob)
            #expect(fixture.backend.flush(target) == 3)
            #expect(fixture.status.entries == 1)
            #expect(fixture.backend.flush(target) == 0)
        }
        _ = try await fixture.subscription()
        #expect(fixture.backend.flush(.all) == 2)
        #expect(fixture.status.entries == 0 && fixture.status.bytes == 0)
    }

    @Test("A query in flight during a flush is neither cached nor shared")
    func flushDuringQuery() async throws {
        let fixture = ProtectedBackendFixture()
        let latch = ManualLatch()
        fixture.probe.follow { _, _ in
            await latch.pass()
            return .subscription(Subscription(state: .inactive))
        }
        let before = Task { try await fixture.subscription() }
        await until { latch.waiting == 1 }
        fixture.backend.flush(.key("ada"))
        fixture.probe.follow(ProbeBackend.friendly)
        #expect(try await fixture.subscription().state == .active)
        latch.open()
        #expect(try await before.value.state == .inactive)
        #expect(try await fixture.subscription().state == .active)
        #expect(fixture.probe.queried.count == 2)
    }
}
