import Gatefold
import Testing

@testable import Backends

@Suite("A chain of backends") struct ChainBackendTests {
    private static let reader = credentials("ada@example.com", "right")

    private func chain(
        _ members: [FakeMember], rules: [ChainRule] = [], order: ChainOrder = .inOrder, name: String = "chain"
    ) -> ChainBackend {
        ChainBackend(
            name: name,
            members: members.enumerated().map {
                ChainMember(backend: $1, rule: rules.indices.contains($0) ? rules[$0] : ChainRule())
            }, order: order, adoption: nil)
    }

    private let union = [ChainRule(recognised: .next), ChainRule(recognised: .next), ChainRule(recognised: .next)]

    @Test("the first that recognises answers, under its own name, and nobody after it is asked")
    func first() async throws {
        let (old, new) = (FakeMember.knowing("old", key: "7", session: "s"), FakeMember("new"))
        let last = FakeMember.knowing("last")
        let answer = try await chain([new, old, last]).recognise(Self.reader, inquiry: Inquiry())
        #expect(answer == .recognised(Subscriber(backend: "old", key: "7", upstreamSession: "s")))
        #expect(last.asked.isEmpty)
    }

    @Test("Pitfall 9: one being down is never a refusal, and says who it was")
    func down() async throws {
        let broken = chain([FakeMember.down("new"), FakeMember("old")])
        await #expect(
            throws: ChainFailure.unavailable(members: [.init(member: "new", error: FakeMember.Down())])
        ) { try await broken.recognise(Self.reader, inquiry: Inquiry()) }
        #expect(
            ChainFailure.unavailable(members: [.init(member: "new", error: FakeMember.Down())]).cause == "new: down")
        let saved = chain([FakeMember.down("new"), FakeMember.knowing("old")])
        #expect(
            try await saved.recognise(Self.reader, inquiry: Inquiry())
                == .recognised(Subscriber(backend: "old", key: "1")))
    }

    @Test("nobody's reader is refused with the first words there are")
    func refused() async throws {
        let talking = FakeMember("b") { $0.recognise = { _ in .notRecognised(message: "No.") } }
        #expect(
            try await chain([FakeMember("a"), talking]).recognise(Self.reader, inquiry: Inquiry())
                == .notRecognised(message: "No."))
    }

    @Test("all at once: an earlier member's slow answer counts before a later one's quick one, which is then cancelled")
    func allAtOnce() async throws {
        let (quickAsked, slow) = (Pending<Void>(), Pending<Void>())
        let first = FakeMember("first") {
            $0.recognise = { _ in
                _ = await slow.value()
                return .recognised(Subscriber(backend: "first", key: "1"))
            }
        }
        let quick = FakeMember("quick") {
            $0.recognise = { _ in
                quickAsked.resolve(())
                return .recognised(Subscriber(backend: "quick", key: "2"))
            }
        }
        let endless = FakeMember("endless") {
            $0.recognise = { _ in
                try await Task.sleep(for: .seconds(3600))
                return .notRecognised(message: nil)
            }
        }
        let chain = chain([first, quick, endless], order: .allAtOnce)
        async let answer = chain.recognise(Self.reader, inquiry: Inquiry())
        _ = await quickAsked.value()
        slow.resolve(())
        #expect(try await answer == .recognised(Subscriber(backend: "first", key: "1")))
    }

    @Test("a cancelled question ends, and is not taken for a member's failure")
    func cancelled() async throws {
        let asked = Pending<Void>()
        let endless = FakeMember("endless") {
            $0.recognise = { _ in
                asked.resolve(())
                try await Task.sleep(for: .seconds(3600))
                return .notRecognised(message: nil)
            }
        }
        let second = FakeMember.knowing("second")
        let chain = chain([endless, second])
        let question = Task { try await chain.recognise(Self.reader, inquiry: Inquiry()) }
        _ = await asked.value()
        question.cancel()
        await #expect(throws: CancellationError.self) { try await question.value }
        #expect(second.asked.isEmpty)
    }

    @Test("questions go to the member that answered, with its own session")
    func routing() async throws {
        let (a, b) = (FakeMember("a"), FakeMember("b") { $0.grantsFeed = true })
        let chain = chain([a, b])
        let subscriber = Subscriber(backend: "b", key: "7", upstreamSession: "own")
        #expect(try await chain.subscription(of: subscriber, inquiry: Inquiry()).state == .active)
        #expect(try await chain.renew(subscriber, inquiry: Inquiry()) == .recognised(subscriber))
        #expect(try await chain.verdict(on: nil, for: subscriber, inquiry: Inquiry()) == nil)
        try await chain.signOut(subscriber, inquiry: Inquiry())
        #expect(chain.grantsFeed(to: subscriber))
        #expect(b.asked == ["subscription 7 own", "renew 7 own", "verdict 7 own", "sign out 7 own"])
        #expect(a.asked.isEmpty)
    }

    @Test("the reader of a system that left the chain is nobody any more, and no error")
    func retired() async throws {
        let gone = Subscriber(backend: "retired", key: "7")
        let chain = chain([FakeMember("a")])
        #expect(try await chain.subscription(of: gone, inquiry: Inquiry()) == Subscription(state: .unknown))
        #expect(try await chain.renew(gone, inquiry: Inquiry()) == .notRecognised(message: nil))
        #expect(try await chain.verdict(on: nil, for: gone, inquiry: Inquiry()) == nil)
        #expect(!chain.grantsFeed(to: gone))
        try await chain.signOut(gone, inquiry: Inquiry())
    }

    @Test("a chain in a chain: the member's name leads the way through both")
    func nested() async throws {
        let (a, b, c) = (FakeMember.knowing("a", key: "1"), FakeMember.knowing("b", key: "2"), FakeMember("c"))
        let inner = chain([a, b], rules: union, name: "inner")
        let outer = ChainBackend(
            name: "outer",
            members: [ChainMember(backend: c, rule: ChainRule()), ChainMember(backend: inner, rule: ChainRule())],
            order: .inOrder, adoption: nil)
        guard case .recognised(let subscriber) = try await outer.recognise(Self.reader, inquiry: Inquiry()) else {
            Issue.record("not recognised")
            return
        }
        #expect(subscriber.backend == "a" && subscriber.key == "1")
        a.change { $0.subscription = { _ in Subscription(state: .inactive) } }
        #expect(try await outer.subscription(of: subscriber, inquiry: Inquiry()).state == .active)
        #expect(a.asked.last == "subscription 1 -" && b.asked.last == "subscription 2 -")
        #expect(c.asked == ["recognise"])
        #expect(outer.answersFor("a") && outer.answersFor("inner") && !outer.answersFor("z"))
        // The same token when the publication asks the inner chain by itself.
        let own = outer.memberships(of: subscriber)[0].subscriber
        #expect(try await inner.subscription(of: own, inquiry: Inquiry()).state == .active)
    }

    @Test("a reader of two systems gets the union, and a token from before the chain stays good")
    func memberships() async throws {
        let one = EditionID("com.example.1")!
        let two = EditionID("com.example.2")!
        let a = FakeMember.knowing("a", key: "1", session: "sa")
        let b = FakeMember.knowing("b", key: "2", session: "sb")
        a.change { $0.subscription = { _ in Subscription(state: .inactive, entitlement: .editions([one])) } }
        b.change { $0.subscription = { _ in Subscription(state: .active, entitlement: .editions([two])) } }
        let chain = chain([a, b], rules: union)
        guard case .recognised(let both) = try await chain.recognise(Self.reader, inquiry: Inquiry()) else {
            Issue.record("not recognised")
            return
        }
        #expect(both.backend == "a" && both.key == "1")
        let told = try await chain.subscription(of: both, inquiry: Inquiry())
        #expect(told.state == .active && told.entitlement == .editions([one, two]))
        #expect(a.asked.last == "subscription 1 sa" && b.asked.last == "subscription 2 sb")
        let old = Subscriber(backend: "a", key: "1", upstreamSession: "sa")
        #expect(try await chain.subscription(of: old, inquiry: Inquiry()).entitlement == .editions([one]))
    }

    @Test("Pitfall 9: a union with one system down is no answer, rather than a smaller one")
    func partial() async throws {
        let a = FakeMember.knowing("a")
        let b = FakeMember.knowing("b")
        let chain = chain([a, b], rules: union)
        guard case .recognised(let both) = try await chain.recognise(Self.reader, inquiry: Inquiry()) else {
            Issue.record("not recognised")
            return
        }
        b.change {
            $0.subscription = { _ in throw FakeMember.Down() }
            $0.renew = { _ in throw FakeMember.Down() }
        }
        await #expect(throws: FakeMember.Down.self) {
            try await chain.subscription(of: both, inquiry: Inquiry())
        }
        await #expect(throws: FakeMember.Down.self) { try await chain.renew(both, inquiry: Inquiry()) }
    }

    @Test("renewal: the first decides, another that forgot the reader is left out, and new sessions are kept")
    func renewal() async throws {
        let (a, b) = (FakeMember.knowing("a"), FakeMember.knowing("b"))
        let chain = chain([a, b], rules: union)
        let both = try ChainBackend.joining([
            Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "1"),
            Subscriber(backend: "gone", key: "3"),
        ])
        a.change { $0.renew = { .recognised(Subscriber(backend: $0.backend, key: $0.key, upstreamSession: "new")) } }
        guard case .recognised(let renewed) = try await chain.renew(both, inquiry: Inquiry()) else {
            Issue.record("not renewed")
            return
        }
        #expect(
            ChainSession(renewed.upstreamSession)
                == ChainSession(own: "new", links: [Subscriber(backend: "b", key: "1")]))
        b.change { $0.renew = { _ in .notRecognised(message: nil) } }
        #expect(
            try await chain.renew(both, inquiry: Inquiry())
                == .recognised(Subscriber(backend: "a", key: "1", upstreamSession: "new")))
        a.change { $0.renew = { _ in .notRecognised(message: "Gone.") } }
        #expect(try await chain.renew(both, inquiry: Inquiry()) == .notRecognised(message: "Gone."))
    }

    @Test("verdicts: one that grants is enough, all must refuse, and beside a refusal the others' subscriptions decide")
    func verdicts() async throws {
        enum Word: CaseIterable { case granted, refused, none, left, down }
        @Sendable func saying(_ words: String) -> Subscription { Subscription(state: .active, message: words) }
        let both = try ChainBackend.joining([Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "1")])
        for first in Word.allCases {
            for second in Word.allCases {
                func member(_ name: String, _ word: Word) -> FakeMember {
                    FakeMember(name) {
                        $0.verdict = { _ in
                            switch word {
                            case .granted: .granted
                            case .refused: .refused(.notEntitled, message: name)
                            case .none: nil
                            case .left: .leftTo([saying("inner")], otherwise: .expired, message: name)
                            case .down: throw FakeMember.Down()
                            }
                        }
                        $0.subscription = { _ in saying(name) }
                    }
                }
                let chain = chain([member("a", first), member("b", second)])
                let answer: Word
                do {
                    switch try await chain.verdict(on: nil, for: both, inquiry: Inquiry()) {
                    case .granted: answer = .granted
                    case .refused(let reason, let message):
                        answer = .refused
                        #expect(reason == .notEntitled && message == "a")
                    case .leftTo(let subscriptions, otherwise: let reason, let message):
                        answer = .left
                        let refusing = zip(["a", "b"], [first, second]).filter { $1 == .refused || $1 == .left }
                        #expect(message == refusing.first?.0)
                        #expect(reason == (refusing.first?.1 == .left ? .expired : .notEntitled))
                        let told = [first, second].filter { $0 == .left }.map { _ in saying("inner") }
                        let asked = zip(["a", "b"], [first, second]).filter { $1 == .none }.map { saying($0.0) }
                        #expect(subscriptions == told + asked)
                    case nil: answer = .none
                    }
                } catch {
                    answer = .down
                }
                let words = [first, second]
                let expected: Word =
                    if words.contains(.granted) {
                        .granted
                    } else if words.contains(.down) {
                        .down
                    } else if words == [.none, .none] {
                        .none
                    } else {
                        words == [.refused, .refused] ? .refused : .left
                    }
                #expect(answer == expected, "\(first) \(second)")
            }
        }
    }

    @Test("an undecided member that can not be asked for its subscription is no refusal")
    func undecidedDown() async throws {
        let a = FakeMember("a") { $0.verdict = { _ in .refused(.notEntitled, message: nil) } }
        let b = FakeMember("b") { $0.subscription = { _ in throw FakeMember.Down() } }
        let both = try ChainBackend.joining([Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "2")])
        await #expect(throws: FakeMember.Down.self) {
            try await chain([a, b]).verdict(on: EditionID("com.example.1"), for: both, inquiry: Inquiry())
        }
        #expect(b.asked == ["verdict 2 -", "subscription 2 -"] && a.asked == ["verdict 1 -"])
    }

    @Test("sign-out reaches every system, also when one is down")
    func signOut() async throws {
        let (a, b) = (FakeMember.down("a"), FakeMember("b"))
        let both = try ChainBackend.joining([Subscriber(backend: "a", key: "1"), Subscriber(backend: "b", key: "1")])
        let chain = chain([a, b])
        await #expect(throws: FakeMember.Down.self) { try await chain.signOut(both, inquiry: Inquiry()) }
        #expect(b.asked == ["sign out 1 -"])
    }

    @Test("memberships that no token has room for are an error with words, not a smaller list")
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
