import Gatefold
import Testing

@testable import Backends

@Suite("Chain of backends") struct ChainBackendTests {
    private static let reader = credentials("ada@example.com", "right")

    private func chain(
        _ members: [FakeMember], rules: [ChainRule] = [], order: ChainOrder = .inOrder, name: String = "chain"
    ) -> ChainBackend {
        ChainBackend(
            name: name,
            members: members.enumerated().map {
                ChainMember(backend: $1, rule: rules.indices.contains($0) ? rules[$0] : ChainRule())
            }, order: order, lazyMigration: nil)
    }

    private let union = [
        ChainRule(authenticated: .next), ChainRule(authenticated: .next), ChainRule(authenticated: .next),
    ]

    @Test("The first member that authenticates wins, under its own name, and later members are not queried")
    func first() async throws {
        let (old, new) = (FakeMember.knowing("old", key: "7", session: "s"), FakeMember("new"))
        let last = FakeMember.knowing("last")
        let result = try await chain([new, old, last]).authenticate(Self.reader, context: CallContext()).value
        #expect(result == .authenticated(Subscriber(backend: "old", key: "7", upstreamSession: "s")))
        #expect(last.queried.isEmpty)
    }

    @Test("Pitfall 9: an unavailable member is never a rejection, and the error names it")
    func down() async throws {
        let broken = chain([FakeMember.down("new"), FakeMember("old")])
        await #expect(
            throws: ChainFailure.unavailable(members: [.init(member: "new", error: FakeMember.UnavailableError())])
        ) { try await broken.authenticate(Self.reader, context: CallContext()).value }
        #expect(
            ChainFailure.unavailable(members: [.init(member: "new", error: FakeMember.UnavailableError())]).cause
                == "new: down")
        let saved = chain([FakeMember.down("new"), FakeMember.knowing("old")])
        #expect(
            try await saved.authenticate(Self.reader, context: CallContext()).value
                == .authenticated(Subscriber(backend: "old", key: "1")))
    }

    @Test("A rejection carries the first message that a member returns")
    func rejected() async throws {
        let talking = FakeMember("b") { $0.authenticate = { _ in .rejected(message: "No.") } }
        #expect(
            try await chain([FakeMember("a"), talking]).authenticate(Self.reader, context: CallContext()).value
                == .rejected(message: "No."))
    }

    @Test("Parallel order: an earlier member's slow result wins over a later one's, and the rest are cancelled")
    func parallel() async throws {
        let (quickAsked, slow) = (PendingResult<Void>(), PendingResult<Void>())
        let first = FakeMember("first") {
            $0.authenticate = { _ in
                _ = await slow.value()
                return .authenticated(Subscriber(backend: "first", key: "1"))
            }
        }
        let quick = FakeMember("quick") {
            $0.authenticate = { _ in
                quickAsked.resolve(())
                return .authenticated(Subscriber(backend: "quick", key: "2"))
            }
        }
        let endless = FakeMember("endless") {
            $0.authenticate = { _ in
                try await Task.sleep(for: .seconds(3600))
                return .rejected(message: nil)
            }
        }
        let chain = chain([first, quick, endless], order: .parallel)
        async let result = chain.authenticate(Self.reader, context: CallContext()).value
        _ = await quickAsked.value()
        slow.resolve(())
        #expect(try await result == .authenticated(Subscriber(backend: "first", key: "1")))
    }

    @Test("A cancelled query ends and does not count as a member's failure")
    func cancelled() async throws {
        let queried = PendingResult<Void>()
        let endless = FakeMember("endless") {
            $0.authenticate = { _ in
                queried.resolve(())
                try await Task.sleep(for: .seconds(3600))
                return .rejected(message: nil)
            }
        }
        let second = FakeMember.knowing("second")
        let chain = chain([endless, second])
        let task = Task { try await chain.authenticate(Self.reader, context: CallContext()).value }
        _ = await queried.value()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(second.queried.isEmpty)
    }

    @Test("Queries go to the member that authenticated the reader, with its own session")
    func routing() async throws {
        let (a, b) = (FakeMember("a"), FakeMember("b") { $0.grantsFeed = true })
        let chain = chain([a, b])
        let subscriber = Subscriber(backend: "b", key: "7", upstreamSession: "own")
        #expect(try await chain.subscription(of: subscriber, context: CallContext()).value.state == .active)
        #expect(try await chain.renew(subscriber, context: CallContext()) == .authenticated(subscriber))
        #expect(try await chain.verdict(on: nil, for: subscriber, context: CallContext()).value == nil)
        try await chain.signOut(subscriber, context: CallContext())
        #expect(chain.grantsFeed(to: subscriber))
        #expect(b.queried == ["subscription 7 own", "renew 7 own", "verdict 7 own", "sign out 7 own"])
        #expect(a.queried.isEmpty)
    }

    @Test("A reader of a member that left the chain is unknown, without an error")
    func retired() async throws {
        let gone = Subscriber(backend: "retired", key: "7")
        let chain = chain([FakeMember("a")])
        #expect(try await chain.subscription(of: gone, context: CallContext()).value == Subscription(state: .unknown))
        #expect(try await chain.renew(gone, context: CallContext()) == .rejected(message: nil))
        #expect(try await chain.verdict(on: nil, for: gone, context: CallContext()).value == nil)
        #expect(!chain.grantsFeed(to: gone))
        try await chain.signOut(gone, context: CallContext())
    }

    @Test("A nested chain routes by the member's name")
    func nested() async throws {
        let (a, b, c) = (FakeMember.knowing("a", key: "1"), FakeMember.knowing("b", key: "2"), FakeMember("c"))
        let inner = chain([a, b], rules: union, name: "inner")
        let outer = ChainBackend(
            name: "outer",
            members: [ChainMember(backend: c, rule: ChainRule()), ChainMember(backend: inner, rule: ChainRule())],
            order: .inOrder, lazyMigration: nil)
        guard
            case .authenticated(let subscriber) = try await outer.authenticate(Self.reader, context: CallContext())
                .value
        else {
            Issue.record("the reader was rejected")
            return
        }
        #expect(subscriber.backend == "a" && subscriber.key == "1")
        a.change { $0.subscription = { _ in Subscription(state: .inactive) } }
        #expect(try await outer.subscription(of: subscriber, context: CallContext()).value.state == .active)
        #expect(a.queried.last == "subscription 1 -" && b.queried.last == "subscription 2 -")
        #expect(c.queried == ["authenticate"])
        #expect(outer.handles("a") && outer.handles("inner") && !outer.handles("z"))
        // The same token works when the publication queries the inner chain directly.
        let own = outer.memberships(of: subscriber)[0].subscriber
        #expect(try await inner.subscription(of: own, context: CallContext()).value.state == .active)
    }

    @Test("A reader of two systems gets the union, and a token from before the chain stays valid")
    func memberships() async throws {
        let one = EditionID("com.example.1")!
        let two = EditionID("com.example.2")!
        let a = FakeMember.knowing("a", key: "1", session: "sa")
        let b = FakeMember.knowing("b", key: "2", session: "sb")
        a.change { $0.subscription = { _ in Subscription(state: .inactive, entitlement: .editions([one])) } }
        b.change { $0.subscription = { _ in Subscription(state: .active, entitlement: .editions([two])) } }
        let chain = chain([a, b], rules: union)
        guard case .authenticated(let both) = try await chain.authenticate(Self.reader, context: CallContext()).value
        else {
            Issue.record("the reader was rejected")
            return
        }
        #expect(both.backend == "a" && both.key == "1")
        let reported = try await chain.subscription(of: both, context: CallContext()).value
        #expect(reported.state == .active && reported.entitlement == .editions([one, two]))
        #expect(a.queried.last == "subscription 1 sa" && b.queried.last == "subscription 2 sb")
        let old = Subscriber(backend: "a", key: "1", upstreamSession: "sa")
        #expect(try await chain.subscription(of: old, context: CallContext()).value.entitlement == .editions([one]))
    }

    @Test("Pitfall 9: a union with one system down is an error, not a smaller union")
    func partial() async throws {
        let a = FakeMember.knowing("a")
        let b = FakeMember.knowing("b")
        let chain = chain([a, b], rules: union)
        guard case .authenticated(let both) = try await chain.authenticate(Self.reader, context: CallContext()).value
        else {
            Issue.record("the reader was rejected")
            return
        }
        b.change {
            $0.subscription = { _ in throw FakeMember.UnavailableError() }
            $0.renew = { _ in throw FakeMember.UnavailableError() }
        }
        await #expect(throws: FakeMember.UnavailableError.self) {
            try await chain.subscription(of: both, context: CallContext()).value
        }
        await #expect(throws: FakeMember.UnavailableError.self) { try await chain.renew(both, context: CallContext()) }
    }

    @Test("Renewal: the first member decides, a member that rejects is left out, and new sessions are stored")
    func renewal() async throws {
        let (a, b) = (FakeMember.knowing("a"), FakeMember.knowing("b"))
        let chain = chain([a, b], rules: union)
        let both = try ChainBackend.joining([
            Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "1"),
            Subscriber(backend: "gone", key: "3"),
        ])
        a.change { $0.renew = { .authenticated(Subscriber(backend: $0.backend, key: $0.key, upstreamSession: "new")) } }
        guard case .authenticated(let renewed) = try await chain.renew(both, context: CallContext()) else {
            Issue.record("not renewed")
            return
        }
        #expect(
            ChainSession(renewed.upstreamSession)
                == ChainSession(own: "new", links: [Subscriber(backend: "b", key: "1")]))
        b.change { $0.renew = { _ in .rejected(message: nil) } }
        #expect(
            try await chain.renew(both, context: CallContext())
                == .authenticated(Subscriber(backend: "a", key: "1", upstreamSession: "new")))
        a.change { $0.renew = { _ in .rejected(message: "Gone.") } }
        #expect(try await chain.renew(both, context: CallContext()) == .rejected(message: "Gone."))
    }

    @Test("Verdicts: one grant suffices, all must reject, and otherwise the others' subscriptions decide")
    func verdicts() async throws {
        enum MemberOutcome: CaseIterable { case granted, rejected, none, left, down }
        @Sendable func reporting(_ message: String) -> Subscription { Subscription(state: .active, message: message) }
        let both = try ChainBackend.joining([Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "1")])
        for first in MemberOutcome.allCases {
            for second in MemberOutcome.allCases {
                func member(_ name: String, _ outcome: MemberOutcome) -> FakeMember {
                    FakeMember(name) {
                        $0.verdict = { _ in
                            switch outcome {
                            case .granted: .granted
                            case .rejected: .rejected(.notEntitled, message: name)
                            case .none: nil
                            case .left: .deferred([reporting("inner")], otherwise: .expired, message: name)
                            case .down: throw FakeMember.UnavailableError()
                            }
                        }
                        $0.subscription = { _ in reporting(name) }
                    }
                }
                let chain = chain([member("a", first), member("b", second)])
                let result: MemberOutcome
                do {
                    switch try await chain.verdict(on: nil, for: both, context: CallContext()).value {
                    case .granted: result = .granted
                    case .rejected(let reason, let message):
                        result = .rejected
                        #expect(reason == .notEntitled && message == "a")
                    case .deferred(let subscriptions, otherwise: let reason, let message):
                        result = .left
                        let denying = zip(["a", "b"], [first, second]).filter { $1 == .rejected || $1 == .left }
                        #expect(message == denying.first?.0)
                        #expect(reason == (denying.first?.1 == .left ? .expired : .notEntitled))
                        let reported = [first, second].filter { $0 == .left }.map { _ in reporting("inner") }
                        let queried = zip(["a", "b"], [first, second]).filter { $1 == .none }.map { reporting($0.0) }
                        #expect(subscriptions == reported + queried)
                    case nil: result = .none
                    }
                } catch {
                    result = .down
                }
                let results = [first, second]
                let expected: MemberOutcome =
                    if results.contains(.granted) {
                        .granted
                    } else if results.contains(.down) {
                        .down
                    } else if results == [.none, .none] {
                        .none
                    } else {
                        results == [.rejected, .rejected] ? .rejected : .left
                    }
                #expect(result == expected, "\(first) \(second)")
            }
        }
    }

    @Test("An undecided member whose subscription is unavailable causes an error, not a rejection")
    func undecidedDown() async throws {
        let a = FakeMember("a") { $0.verdict = { _ in .rejected(.notEntitled, message: nil) } }
        let b = FakeMember("b") { $0.subscription = { _ in throw FakeMember.UnavailableError() } }
        let both = try ChainBackend.joining([Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "2")])
        await #expect(throws: FakeMember.UnavailableError.self) {
            try await chain([a, b]).verdict(on: EditionID("com.example.1"), for: both, context: CallContext()).value
        }
        #expect(b.queried == ["verdict 2 -", "subscription 2 -"] && a.queried == ["verdict 1 -"])
    }

    @Test("Sign-out reaches every system even if one is down")
    func signOut() async throws {
        let (a, b) = (FakeMember.down("a"), FakeMember("b"))
        let both = try ChainBackend.joining([Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "1")])
        let chain = chain([a, b])
        await #expect(throws: FakeMember.UnavailableError.self) {
            try await chain.signOut(both, context: CallContext())
        }
        #expect(b.queried == ["sign out 1 -"])
    }

    @Test("Memberships that do not fit in a token are an error, not a shorter list")
    func tooLong() throws {
        let long = String(repeating: "s", count: 5_000)
        #expect(throws: ChainFailure.sessionTooLong) {
            try ChainBackend.joining([
                Subscriber(backend: "a", key: "1", upstreamSession: long),
                Subscriber(backend: "b", key: "1", upstreamSession: long),
            ])
        }
    }
}
