import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Shared cache state of several processes")
struct SharedCacheStateTests {
    /// Two processes that query one backend and exchange facts when the test says so.
    private struct TwoProcesses {
        let probe = ProbeBackend()
        let facts = [Facts(), Facts()]
        let fixtures: [ProtectedBackendFixture]

        init() {
            let (probe, facts) = (probe, facts)
            fixtures = facts.map { facts in
                ProtectedBackendFixture(probe, credentialFacts: CredentialFacts(record: facts.add)) {
                    $0.cache?.freshness = 0
                    $0.cache?.revalidateAfter = 0
                    $0.cache?.negative = 0
                    $0.breaker = nil
                }
            }
        }

        /// Passes each process's facts to the other.
        func exchange() {
            let learnt = facts.map { $0.take() }
            for (fixture, facts) in zip(fixtures, learnt.reversed()) {
                for fact in facts {
                    fixture.backend.follow(fact)
                    fixture.credentialFacts.follow(fact)
                }
            }
        }

        func advance() { for fixture in fixtures { fixture.time.clock.advance(by: 1) } }
    }

    private final class Facts: Sendable {
        private let facts = Mutex<[SharedFact]>([])
        func add(_ fact: SharedFact) { facts.withLock { $0.append(fact) } }
        func take() -> [SharedFact] {
            facts.withLock { facts in
                defer { facts = [] }
                return facts
            }
        }
    }

    private func accept(_ password: String) -> ProbeBackend.Rule {
        { query, context in
            guard case .authenticate(let credentials) = query else {
                return try await ProbeBackend.friendly(query, context)
            }
            return .authentication(
                credentials["password"] == password
                    ? .authenticated(Subscriber(backend: "house", key: credentials.identifier))
                    : .rejected(message: nil))
        }
    }

    private func isLetIn(
        _ fixture: ProtectedBackendFixture, _ password: String, as identifier: String = "ada"
    ) async throws -> Bool {
        do {
            if case .authenticated = try await fixture.authenticate(identifier, password) { return true }
            return false
        } catch is ProbeBackend.UnavailableError {
            return false
        }
    }

    @Test("Pitfall 8: a new password seen by one process ends the former at the other, in an outage as well")
    func changedPassword() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("old"))
        for fixture in two.fixtures { #expect(try await isLetIn(fixture, "old")) }
        two.exchange()
        two.advance()
        two.probe.follow(accept("new"))
        #expect(try await isLetIn(two.fixtures[0], "new"))
        two.probe.follow(ProbeBackend.down)
        #expect(try await isLetIn(two.fixtures[1], "old"), "the other process has not received the fact yet")
        two.exchange()
        #expect(try await !isLetIn(two.fixtures[1], "old"))
        #expect(try await isLetIn(two.fixtures[0], "new"))
    }

    @Test("Pitfall 8: a password rejected at one process is rejected by the other, even if only the other cached it")
    func rejectedPassword() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("old"))
        #expect(try await isLetIn(two.fixtures[1], "old"))
        two.exchange()
        two.advance()
        two.probe.follow(accept("new"))
        #expect(try await !isLetIn(two.fixtures[0], "wrong"))
        #expect(try await !isLetIn(two.fixtures[0], "old"))
        two.probe.follow(ProbeBackend.down)
        two.exchange()
        #expect(try await !isLetIn(two.fixtures[1], "old"))
    }

    @Test("Pitfall 22: a new password under one spelling ends the former under another at the other process")
    func lookAlikes() async throws {
        let two = TwoProcesses()
        let right = Locked("old")
        two.probe.follow { query, context in
            guard case .authenticate(let credentials) = query else {
                return try await ProbeBackend.friendly(query, context)
            }
            return .authentication(
                credentials["password"] == right.withLock { $0 }
                    ? .authenticated(ProtectedBackendFixture.ada) : .rejected(message: nil))
        }
        #expect(try await isLetIn(two.fixtures[1], "old", as: "áda"))
        two.exchange()
        two.advance()
        right.withLock { $0 = "new" }
        #expect(try await isLetIn(two.fixtures[0], "new", as: "ada"))
        two.probe.follow(ProbeBackend.down)
        two.exchange()
        #expect(try await !isLetIn(two.fixtures[1], "old", as: "áda"))
    }

    @Test("Pitfall 8: a late result of an earlier query does not share the former password again")
    func lateResponse() async throws {
        let two = TwoProcesses()
        let latch = ManualLatch()
        two.probe.follow { query, context in
            guard case .authenticate(let credentials) = query else {
                return try await ProbeBackend.friendly(query, context)
            }
            if credentials["password"] == "old" { await latch.pass() }
            return .authentication(.authenticated(Subscriber(backend: "house", key: credentials.identifier)))
        }
        let late = Task { try await isLetIn(two.fixtures[0], "old") }
        await until { latch.waiting == 1 }
        two.advance()
        #expect(try await isLetIn(two.fixtures[0], "new"))
        let learnt = Dictionary(two.facts[0].take().map { ($0.id, $0.value) }, uniquingKeysWith: { $1 })
        latch.open()
        _ = try await late.value
        #expect(!learnt.isEmpty)
        for fact in two.facts[0].take() { #expect(learnt[fact.id] == fact.value) }
    }

    @Test("A password confirmed again stays valid at both processes and is shared once")
    func samePassword() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("old"))
        #expect(try await isLetIn(two.fixtures[1], "old"))
        two.exchange()
        two.advance()
        #expect(try await isLetIn(two.fixtures[0], "old"))
        #expect(try await !isLetIn(two.fixtures[0], "wrong"))
        #expect(two.facts[0].take().isEmpty, "the other process reported it")
        two.probe.follow(ProbeBackend.down)
        for fixture in two.fixtures { #expect(try await isLetIn(fixture, "old")) }
    }

    @Test("A fact does not end a sign-in that was confirmed after it")
    func laterEvents() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("first"))
        #expect(try await isLetIn(two.fixtures[0], "first"))
        let early = two.facts[0].take()
        two.advance()
        two.probe.follow(accept("second"))
        #expect(try await isLetIn(two.fixtures[1], "second"))
        for fact in early { two.fixtures[1].backend.follow(fact) }
        two.probe.follow(ProbeBackend.down)
        #expect(try await isLetIn(two.fixtures[1], "second"))
    }

    @Test(
        "A flush at one process invalidates the entries of the other",
        arguments: [
            FlushTarget.identifier("ada"), .key("ada"), .all,
        ])
    func flushed(target: FlushTarget) async throws {
        let two = TwoProcesses()
        for fixture in two.fixtures { _ = try await fixture.subscription() }
        for fixture in two.fixtures { #expect(try await isLetIn(fixture, "right")) }
        two.exchange()
        two.advance()
        two.fixtures[0].backend.flush(target)
        two.exchange()
        #expect(two.fixtures[1].status.entries == 0)
    }

    @Test("A repeated invalidation of everything keeps results of later queries, in an outage as well")
    func repeated() async throws {
        let two = TwoProcesses()
        let fixture = two.fixtures[1]
        _ = try await fixture.subscription()
        two.advance()
        let facts = BackendInvalidation.facts(
            .all, in: "house", ProtectionSettings(), pseudonymKey: fixture.pseudonymKey, at: fixture.time.clock.now)
        for fact in facts { fixture.backend.follow(fact) }
        #expect(fixture.status.entries == 0)
        two.advance()
        _ = try await fixture.subscription()
        two.probe.follow(ProbeBackend.down)
        for fact in facts { fixture.backend.follow(fact) }
        #expect(try await fixture.subscription().state == .active)
    }

    @Test(
        "Pitfall 9: a denial seen by one process invalidates the other's good results",
        arguments: [(Denial.suspended, false), (.inactive, false), (.unknown, false), (.stale, true)])
    func denied(denial: Denial, isCached: Bool) async throws {
        let two = TwoProcesses()
        let fixture = two.fixtures[1]
        _ = try await fixture.subscription()
        two.advance()
        fixture.backend.follow(
            Self.fact(denial, of: fixture.pseudonymKey.reference(to: ProtectedBackendFixture.ada), fixture))
        two.probe.follow(ProbeBackend.down)
        let result = try? await fixture.subscription()
        #expect((result != nil) == isCached)
    }

    @Test("Many denied editions at one process do not invalidate the subscription at the other")
    func deniedEditions() async throws {
        let two = TwoProcesses()
        let fixture = two.fixtures[1]
        _ = try await fixture.subscription()
        two.advance()
        let reader = fixture.pseudonymKey.reference(to: ProtectedBackendFixture.ada)
        fixture.backend.follow(
            SharedFact(
                id: SharedFact.ID(kind: .denial, backend: "", subject: reader.bytes), value: [Denial.edition.rawValue],
                timestamp: fixture.time.clock.now, end: fixture.time.clock.now + 60))
        two.probe.follow(ProbeBackend.down)
        #expect((try? await fixture.subscription()) != nil)
    }

    private static func fact(_ denial: Denial, of reader: SubscriberPseudonym, _ fixture: ProtectedBackendFixture)
        -> SharedFact
    {
        SharedFact(
            id: SharedFact.ID(kind: .denial, backend: "house", subject: reader.bytes, detail: [0, 0]),
            value: [denial.rawValue], timestamp: fixture.time.clock.now, end: fixture.time.clock.now + 60)
    }

    @Test("An invalidation of an identifier, its subscriber or the whole backend ends a cached sign-in, and no other")
    func cachedSignIns() throws {
        let cachedSignIns = CachedSignIn(
            backend: "house", names: [.init(subject: [1, 0], fingerprint: 1), .init(subject: [2, 0], fingerprint: 1)])
        let timestamp = Date()
        func invalidates(_ backend: String, _ subject: [UInt8]) -> Bool {
            CredentialFacts.invalidates(
                SharedFact(
                    id: SharedFact.ID(kind: .invalidation, backend: backend, subject: subject), value: [],
                    timestamp: timestamp, end: timestamp), cachedSignIns)
        }
        #expect(invalidates("house", [1, 0]) && invalidates("house", [2, 0]))
        #expect(invalidates("house", []) && !invalidates("other", []))
        #expect(!invalidates("house", [3, 0]) && !invalidates("other", [1, 0]))
    }
}
