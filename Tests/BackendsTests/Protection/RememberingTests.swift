import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("What is remembered of a backend's readers", .timeLimit(.minutes(10)))
struct RememberingTests {
    private let known = Recognition.recognised(ProtectedBench.ada)
    private let refused = Recognition.notRecognised(message: nil)

    /// As a database does that compares without case and accents: every spelling is ada's, and the present password right.
    private static func folding(_ right: String) -> ProbeBackend.Rule {
        { question, inquiry in
            guard case .recognise(let credentials) = question else {
                return try await ProbeBackend.friendly(question, inquiry)
            }
            return .recognition(
                credentials["password"] == right
                    ? .recognised(ProtectedBench.ada) : .notRecognised(message: nil))
        }
    }

    @Test("Pitfall 22: a former password is good under no spelling once a later one was used under another")
    func formerPassword() async throws {
        let bench = ProtectedBench(ProbeBackend(Self.folding("former")))
        let spellings = ["ada", "ádá", "ＡＤＡ"]
        for spelling in spellings {
            let answer = try await bench.recognise(spelling, "former")
            #expect(answer == known)
        }
        bench.probe.follow(Self.folding("later"))
        let later = try await bench.recognise("âda", "later")
        #expect(later == known)
        for spelling in spellings {
            let answer = try await bench.recognise(spelling, "former")
            #expect(answer == refused, "fresh as it was, under \(spelling)")
        }
        bench.probe.follow(ProbeBackend.down)
        bench.time.advance(by: 3_600)
        for spelling in spellings + ["âda"] {
            await #expect(throws: (any Error).self, "in an outage, under \(spelling)") {
                try await bench.recognise(spelling, "former")
            }
        }
        let bridged = try await bench.recognise("âda", "later")
        #expect(bridged == known)
    }

    @Test("Pitfall 22: a sign-in with a former password that was under way is not remembered under another spelling")
    func formerPasswordUnderWay() async throws {
        let bench = ProtectedBench()
        let door = Door()
        bench.probe.follow { question, _ in
            guard case .recognise(let credentials) = question else { throw ProbeBackend.Down() }
            if credentials["password"] == "former" { await door.pass() }
            return .recognition(.recognised(ProtectedBench.ada))
        }
        let former = Task { try await bench.recognise("ádá", "former") }
        await until { door.waiting == 1 }
        _ = try await bench.recognise("ada", "later")
        door.open()
        _ = try await former.value
        bench.probe.follow(ProbeBackend.down)
        bench.time.advance(by: 3_600)
        await #expect(throws: (any Error).self) { try await bench.recognise("ádá", "former") }
        let later = try await bench.recognise("ada", "later")
        #expect(later == known)
    }

    @Test("Pitfall 7: another password, identifier, session, edition or deciding field reaches the backend")
    func everyInput() async throws {
        let bench = ProtectedBench(decidingFields: ["brand"])
        let session = Subscriber(backend: "house", key: "ada", upstreamSession: "1")
        let asks: [() async throws -> Void] = [
            { _ = try await bench.recognise() },
            { _ = try await bench.recognise("ada", "wrong") },
            { _ = try await bench.recognise("bob", "right") },
            { _ = try await bench.recognise("ada", "right", ["brand": "weekly"]) },
            { _ = try await bench.subscription() },
            { _ = try await bench.subscription(of: session) },
            { _ = try await bench.subscription(of: ProtectedBench.bob) },
            { _ = try await bench.subscription(["brand": "weekly"]) },
            { _ = try await bench.verdict() },
            { _ = try await bench.verdict("ed-2") },
            { _ = try await bench.verdict(of: session) },
        ]
        for (index, ask) in asks.enumerated() {
            try await ask()
            #expect(bench.probe.asked.count == index + 1)
        }
        for ask in asks { try await ask() }
        #expect(bench.probe.asked.count == asks.count)
        // Nothing the backend does not see makes a difference.
        _ = try await bench.subscription(["device": "other"])
        #expect(bench.probe.asked.count == asks.count)
    }

    @Test("Pitfall 8: an old password fails within the freshness, the new one works at once and ends the old one's")
    func changedPassword() async throws {
        let bench = ProtectedBench()
        #expect(try await bench.recognise("ada", "right") == known)
        #expect(try await bench.recognise("ada", "new") == refused)
        bench.probe.follow { question, inquiry in
            guard case .recognise(let credentials) = question, credentials["password"] == "new" else {
                return .recognition(.notRecognised(message: nil))
            }
            return .recognition(.recognised(ProtectedBench.ada))
        }
        bench.time.advance(by: 5)
        #expect(try await bench.recognise("ada", "new") == known)
        #expect(try await bench.recognise("ada", "right") == refused)
        // Not even an outage brings it back.
        bench.probe.follow(ProbeBackend.down)
        bench.time.advance(by: 3_600)
        #expect(try await bench.recognise("ada", "new") == known)
        await #expect(throws: ProbeBackend.Down.self) { try await bench.recognise("ada", "right") }
    }

    @Test("Pitfall 8: nobody but the owner asking, the old password fails after the freshness at the latest")
    func changedPasswordAlone() async throws {
        let bench = ProtectedBench()
        #expect(try await bench.recognise() == known)
        bench.probe.follow { _, _ in .recognition(.notRecognised(message: nil)) }
        bench.time.advance(by: 60)
        #expect(try await bench.recognise() == refused)
    }

    @Test("Pitfall 8: a cancelled reader is refused within the freshness, a renewed one let in within five seconds")
    func renewed() async throws {
        let bench = ProtectedBench(ProbeBackend { _, _ in .subscription(Subscription(state: .inactive)) })
        #expect(try await bench.subscription().state == .inactive)
        bench.probe.follow(ProbeBackend.friendly)
        bench.time.advance(by: 4.9)
        #expect(try await bench.subscription().state == .inactive)
        bench.time.advance(by: 0.1)
        #expect(try await bench.subscription().state == .active)
    }

    @Test("Pitfall 9: a reader suspended on one device is not active on another in the outage that follows")
    func suspendedElsewhere() async throws {
        let bench = ProtectedBench()
        let phone = Subscriber(backend: "house", key: "ada", upstreamSession: "phone")
        let tablet = Subscriber(backend: "house", key: "ada", upstreamSession: "tablet")
        #expect(try await bench.subscription(of: phone).state == .active)
        bench.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
        #expect(try await bench.subscription(of: tablet).state == .suspended)
        bench.probe.follow(ProbeBackend.down)
        bench.time.advance(by: 3_600)
        await #expect(throws: ProbeBackend.Down.self) { try await bench.subscription(of: phone) }
    }

    @Test("a wrong password does not end what is remembered of the right one")
    func wrongPassword() async throws {
        let bench = ProtectedBench()
        _ = try await bench.recognise()
        _ = try await bench.recognise("ada", "wrong")
        bench.probe.follow(ProbeBackend.down)
        bench.time.advance(by: 70)
        #expect(try await bench.recognise() == known)
    }

    @Test("signing out, and renewing as somebody else, end what was remembered; renewing as oneself does not")
    func sessionsEnd() async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        _ = try await bench.backend.renew(ProtectedBench.ada, inquiry: Inquiry())
        #expect(bench.status.entries == 1)
        bench.probe.follow { _, _ in
            .recognition(.recognised(Subscriber(backend: "house", key: "ada", upstreamSession: "2")))
        }
        _ = try await bench.backend.renew(ProtectedBench.ada, inquiry: Inquiry())
        #expect(bench.status.entries == 0)
        bench.probe.follow(ProbeBackend.friendly)
        _ = try await bench.subscription()
        _ = try await bench.subscription(of: ProtectedBench.bob)
        try await bench.backend.signOut(ProtectedBench.ada, inquiry: Inquiry())
        #expect(bench.status.entries == 1)
    }

    @Test("an operator makes the backend be asked anew about one reader, named in any way")
    func flush() async throws {
        let bench = ProtectedBench()
        let reference = bench.references.reference(to: ProtectedBench.ada)
        let targets: [FlushTarget] = [.identifier(" ADA "), .key("ada"), .reference(reference)]
        for target in targets {
            _ = try await bench.recognise()
            _ = try await bench.subscription()
            _ = try await bench.verdict()
            _ = try await bench.subscription(of: ProtectedBench.bob)
            #expect(bench.backend.flush(target) == 3)
            #expect(bench.status.entries == 1)
            #expect(bench.backend.flush(target) == 0)
        }
        _ = try await bench.subscription()
        #expect(bench.backend.flush(.all) == 2)
        #expect(bench.status.entries == 0 && bench.status.bytes == 0)
    }

    @Test("what was being asked at a flush is neither remembered nor shared")
    func flushInFlight() async throws {
        let bench = ProtectedBench()
        let door = Door()
        bench.probe.follow { _, _ in
            await door.pass()
            return .subscription(Subscription(state: .inactive))
        }
        let before = Task { try await bench.subscription() }
        await until { door.waiting == 1 }
        bench.backend.flush(.key("ada"))
        bench.probe.follow(ProbeBackend.friendly)
        #expect(try await bench.subscription().state == .active)
        door.open()
        #expect(try await before.value.state == .inactive)
        #expect(try await bench.subscription().state == .active)
        #expect(bench.probe.asked.count == 2)
    }
}
