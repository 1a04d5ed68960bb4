import Foundation
import Gatefold
import Protections
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("What processes tell one another about the answers they remember")
struct SharedKnowledgeTests {
    /// Two processes that ask one backend; what one learns comes to the other when the test says so.
    private struct TwoProcesses {
        let probe = ProbeBackend()
        let facts = [Facts(), Facts()]
        let benches: [ProtectedBench]

        init() {
            let (probe, facts) = (probe, facts)
            benches = facts.map { facts in
                ProtectedBench(probe, credentialFacts: CredentialFacts(record: facts.add)) {
                    $0.cache?.freshness = 0
                    $0.cache?.revalidateAfter = 0
                    $0.cache?.negative = 0
                    $0.breaker = nil
                }
            }
        }

        /// What each learnt becomes known to the other.
        func exchange() {
            let learnt = facts.map { $0.take() }
            for (bench, facts) in zip(benches, learnt.reversed()) {
                for fact in facts {
                    bench.backend.follow(fact)
                    bench.credentialFacts.follow(fact)
                }
            }
        }

        func advance() { for bench in benches { bench.time.clock.advance(by: 1) } }
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
        { question, inquiry in
            guard case .recognise(let credentials) = question else {
                return try await ProbeBackend.friendly(question, inquiry)
            }
            return .recognition(
                credentials["password"] == password
                    ? .recognised(Subscriber(backend: "house", key: credentials.identifier))
                    : .notRecognised(message: nil))
        }
    }

    private func isLetIn(
        _ bench: ProtectedBench, _ password: String, as identifier: String = "ada"
    ) async throws -> Bool {
        do {
            if case .recognised = try await bench.recognise(identifier, password) { return true }
            return false
        } catch is ProbeBackend.Down {
            return false
        }
    }

    @Test("Pitfall 8: a new password that one has seen ends the former at the other, in an outage as well")
    func changedPassword() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("old"))
        for bench in two.benches { #expect(try await isLetIn(bench, "old")) }
        two.exchange()
        two.advance()
        two.probe.follow(accept("new"))
        #expect(try await isLetIn(two.benches[0], "new"))
        two.probe.follow(ProbeBackend.down)
        #expect(try await isLetIn(two.benches[1], "old"), "nobody told it yet")
        two.exchange()
        #expect(try await !isLetIn(two.benches[1], "old"))
        #expect(try await isLetIn(two.benches[0], "new"))
    }

    @Test("Pitfall 8: a password that one has seen refused is refused by the other, though only that one knew it")
    func refusedPassword() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("old"))
        #expect(try await isLetIn(two.benches[1], "old"))
        two.exchange()
        two.advance()
        two.probe.follow(accept("new"))
        #expect(try await !isLetIn(two.benches[0], "wrong"))
        #expect(try await !isLetIn(two.benches[0], "old"))
        two.probe.follow(ProbeBackend.down)
        two.exchange()
        #expect(try await !isLetIn(two.benches[1], "old"))
    }

    @Test("Pitfall 22: a new password under one spelling ends the former under another at the other process")
    func lookAlikes() async throws {
        let two = TwoProcesses()
        let right = Kept("old")
        two.probe.follow { question, inquiry in
            guard case .recognise(let credentials) = question else {
                return try await ProbeBackend.friendly(question, inquiry)
            }
            return .recognition(
                credentials["password"] == right.withLock { $0 }
                    ? .recognised(ProtectedBench.ada) : .notRecognised(message: nil))
        }
        #expect(try await isLetIn(two.benches[1], "old", as: "áda"))
        two.exchange()
        two.advance()
        right.withLock { $0 = "new" }
        #expect(try await isLetIn(two.benches[0], "new", as: "ada"))
        two.probe.follow(ProbeBackend.down)
        two.exchange()
        #expect(try await !isLetIn(two.benches[1], "old", as: "áda"))
    }

    @Test("Pitfall 8: the answer to an earlier question that comes late does not share the former password again")
    func lateAnswer() async throws {
        let two = TwoProcesses()
        let door = Door()
        two.probe.follow { question, inquiry in
            guard case .recognise(let credentials) = question else {
                return try await ProbeBackend.friendly(question, inquiry)
            }
            if credentials["password"] == "old" { await door.pass() }
            return .recognition(.recognised(Subscriber(backend: "house", key: credentials.identifier)))
        }
        let late = Task { try await isLetIn(two.benches[0], "old") }
        await until { door.waiting == 1 }
        two.advance()
        #expect(try await isLetIn(two.benches[0], "new"))
        let learnt = Dictionary(two.facts[0].take().map { ($0.id, $0.value) }, uniquingKeysWith: { $1 })
        door.open()
        _ = try await late.value
        #expect(!learnt.isEmpty)
        for fact in two.facts[0].take() { #expect(learnt[fact.id] == fact.value) }
    }

    @Test("the same password, confirmed by one, stays good at the other, and is told once")
    func samePassword() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("old"))
        #expect(try await isLetIn(two.benches[1], "old"))
        two.exchange()
        two.advance()
        #expect(try await isLetIn(two.benches[0], "old"))
        #expect(try await !isLetIn(two.benches[0], "wrong"))
        #expect(two.facts[0].take().isEmpty, "the other said it")
        two.probe.follow(ProbeBackend.down)
        for bench in two.benches { #expect(try await isLetIn(bench, "old")) }
    }

    @Test("what the other confirmed later than the news is not ended by it")
    func laterNews() async throws {
        let two = TwoProcesses()
        two.probe.follow(accept("first"))
        #expect(try await isLetIn(two.benches[0], "first"))
        let early = two.facts[0].take()
        two.advance()
        two.probe.follow(accept("second"))
        #expect(try await isLetIn(two.benches[1], "second"))
        for fact in early { two.benches[1].backend.follow(fact) }
        two.probe.follow(ProbeBackend.down)
        #expect(try await isLetIn(two.benches[1], "second"))
    }

    @Test(
        "what an operator flushes at one, the other forgets",
        arguments: [
            FlushTarget.identifier("ada"), .key("ada"), .all,
        ])
    func flushed(target: FlushTarget) async throws {
        let two = TwoProcesses()
        for bench in two.benches { _ = try await bench.subscription() }
        for bench in two.benches { #expect(try await isLetIn(bench, "right")) }
        two.exchange()
        two.advance()
        two.benches[0].backend.flush(target)
        two.exchange()
        #expect(two.benches[1].status.entries == 0)
    }

    @Test(
        "Pitfall 9: what one was told of a reader takes the other's good answers with it",
        arguments: [(Denial.suspended, false), (.inactive, false), (.unknown, false), (.stale, true)])
    func denied(denial: Denial, isKept: Bool) async throws {
        let two = TwoProcesses()
        let bench = two.benches[1]
        _ = try await bench.subscription()
        two.advance()
        bench.backend.follow(Self.fact(denial, of: bench.references.reference(to: ProtectedBench.ada), bench))
        two.probe.follow(ProbeBackend.down)
        let answer = try? await bench.subscription()
        #expect((answer != nil) == isKept)
    }

    @Test("that one denied a reader many editions takes no subscription from the other")
    func deniedMany() async throws {
        let two = TwoProcesses()
        let bench = two.benches[1]
        _ = try await bench.subscription()
        two.advance()
        let reader = bench.references.reference(to: ProtectedBench.ada)
        bench.backend.follow(
            SharedFact(
                id: SharedFact.ID(kind: .denial, backend: "", subject: reader.bytes), value: [Denial.edition.rawValue],
                moment: bench.time.clock.now, end: bench.time.clock.now + 60))
        two.probe.follow(ProbeBackend.down)
        #expect((try? await bench.subscription()) != nil)
    }

    private static func fact(_ denial: Denial, of reader: SubscriberReference, _ bench: ProtectedBench) -> SharedFact {
        SharedFact(
            id: SharedFact.ID(kind: .denial, backend: "house", subject: reader.bytes, detail: [0, 0]),
            value: [denial.rawValue], moment: bench.time.clock.now, end: bench.time.clock.now + 60)
    }

    @Test("news about an identifier or its subscriber undoes a sign-in from memory, and no other")
    func recalled() throws {
        let recalled = RecalledSignIn(
            backend: "house", names: [.init(subject: [1, 0], mark: 1), .init(subject: [2, 0], mark: 1)])
        let moment = Date()
        func undoes(_ backend: String, _ subject: [UInt8]) -> Bool {
            CredentialFacts.undoes(
                SharedFact(
                    id: SharedFact.ID(kind: .invalidation, backend: backend, subject: subject), value: [],
                    moment: moment, end: moment), recalled)
        }
        #expect(undoes("house", [1, 0]) && undoes("house", [2, 0]))
        #expect(!undoes("house", [3, 0]) && !undoes("other", [1, 0]))
    }
}
