import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

/// What a chain can answer at once must be what it would have answered by asking its members.
@Suite("What a chain knows without asking") struct ChainMemoryTests {
    private static let edition = EditionID("ed-1")!
    private static let editions = [edition, EditionID("ed-2")!]
    private static let ofA = Subscriber(backend: "a", key: "1")
    private static let ofB = Subscriber(backend: "b", key: "2")
    private static let retired = Subscriber(backend: "retired", key: "3")

    /// Two systems, each behind its protection, asked as one.
    private struct Bench {
        let time: ManualTime
        let systems: [FakeMember]
        let protected: [ProtectedBackend]
        let chain: ChainBackend
        /// A reader of the two systems.
        let both: Subscriber

        init(decidingFields: Set<String> = []) throws {
            var settings = ProtectionSettings()
            // Nothing is asked anew behind anybody's back.
            settings.cache?.revalidateAfter = 60
            let time = ManualTime()
            let services = try testServices(clock: time.clock)
            let systems = [FakeMember("a"), FakeMember("b")]
            let protected = systems.map {
                ProtectedBackend(
                    $0, decidingFields: decidingFields, decidesEditions: true, settings: settings, services: services,
                    sleep: time.sleep)
            }
            chain = ChainMemoryTests.chain(protected)
            both = try ChainBackend.joining([ChainMemoryTests.ofA, ChainMemoryTests.ofB])
            self.time = time
            self.systems = systems
            self.protected = protected
        }

        var now: Date { time.clock.now }

        func remembered(_ question: Question) -> Remembered<Answer>? {
            ChainMemoryTests.remembered(question, by: chain)
        }

        /// Asks both systems, each by itself, about their reader.
        func prime(_ questions: [(Subscriber) -> Question]) async throws {
            for (backend, subscriber) in zip(protected, [ChainMemoryTests.ofA, ChainMemoryTests.ofB]) {
                for question in questions { _ = try await question(subscriber).put(to: backend, Inquiry()) }
            }
        }
    }

    private static func chain(_ members: [any SubscriberBackend], name: String = "chain") -> ChainBackend {
        ChainBackend(
            name: name, members: members.map { ChainMember(backend: $0, rule: ChainRule(recognised: .next)) },
            order: .inOrder, adoption: nil)
    }

    private static func remembered(
        _ question: Question, by backend: any SubscriberBackend, _ inquiry: Inquiry = Inquiry()
    ) -> Remembered<Answer>? {
        switch question {
        case .subscription(let subscriber):
            let known = backend.rememberedSubscription(of: subscriber, inquiry: inquiry)
            return known.map { Remembered(Answer.subscription($0.value), standing: $0.standing) }
        case .verdict(let edition?, let subscriber):
            let known = backend.rememberedVerdict(on: edition, for: subscriber, inquiry: inquiry)
            return known.map { known in
                var verdict: EditionVerdict?
                if case .verdict(let own) = known.value { verdict = own }
                return Remembered(Answer.verdict(verdict), standing: known.standing)
            }
        default: return nil
        }
    }

    @Test("is there once every member that would be asked remembers its answer, and nobody is asked for it")
    func all() async throws {
        let bench = try Bench()
        let (first, second) = (bench.protected[0], bench.protected[1])
        let questions = { (reader: Subscriber) in [Question.subscription(reader), .verdict(Self.edition, reader)] }
        for question in questions(Self.ofA) { _ = try await question.put(to: first, Inquiry()) }
        #expect(questions(Self.ofA).allSatisfy { bench.remembered($0) != nil })
        #expect(questions(Self.ofB).allSatisfy { bench.remembered($0) == nil })
        #expect(questions(bench.both).allSatisfy { bench.remembered($0) == nil })
        for question in questions(Self.ofB) { _ = try await question.put(to: second, Inquiry()) }
        for question in questions(Self.ofA) + questions(Self.ofB) + questions(bench.both) {
            let known = try #require(bench.remembered(question))
            #expect(try await question.put(to: bench.chain, Inquiry()) == known.value)
        }
        #expect(bench.systems.map(\.asked.count) == [2, 2])
    }

    @Test("does not stand any longer than it does with each of them", arguments: 0..<2 as Range<Int>)
    func takenAway(member: Int) async throws {
        let bench = try Bench()
        try await bench.prime([Question.subscription, { .verdict(Self.edition, $0) }])
        let questions = [Question.subscription(bench.both), .verdict(Self.edition, bench.both)]
        let known = try questions.map { try #require(bench.remembered($0)) }
        let other = try #require(bench.remembered(.subscription([Self.ofB, Self.ofA][member])))
        #expect(known.allSatisfy { $0.standing.holds(at: bench.now) })
        bench.protected[member].flush(.key(["1", "2"][member]))
        #expect(known.allSatisfy { !$0.standing.holds(at: bench.now) })
        #expect(questions.allSatisfy { bench.remembered($0) == nil })
        #expect(other.standing.holds(at: bench.now))
    }

    @Test("ends with the first of their answers that does")
    func until() async throws {
        let bench = try Bench()
        bench.systems[1].change { $0.subscription = { _ in Subscription(state: .inactive) } }
        try await bench.prime([Question.subscription])
        let known = try #require(bench.remembered(.subscription(bench.both)))
        bench.time.advance(by: 4.75)
        #expect(known.standing.holds(at: bench.now))
        // An inactive subscription is remembered for five seconds, an active one for most of a minute.
        bench.time.advance(by: 0.5)
        #expect(!known.standing.holds(at: bench.now) && bench.remembered(.subscription(bench.both)) == nil)
        #expect(bench.remembered(.subscription(Self.ofA)) != nil)
    }

    @Test("is nothing of the readers of a member that remembers nothing")
    func unprotected() async throws {
        let bench = try Bench()
        let chain = Self.chain([bench.protected[0], bench.systems[1]])
        for reader in [Self.ofA, Self.ofB, bench.both] {
            for question in [Question.subscription(reader), .verdict(Self.edition, reader)] {
                _ = try await question.put(to: chain, Inquiry())
                #expect((Self.remembered(question, by: chain) != nil) == (reader == Self.ofA), "\(question)")
            }
        }
    }

    @Test("of a reader whose system left the chain is what is said without asking anybody")
    func gone() async throws {
        let bench = try Bench()
        for question in [Question.subscription(Self.retired), .verdict(Self.edition, Self.retired)] {
            let known = try #require(bench.remembered(question))
            #expect(try await question.put(to: bench.chain, Inquiry()) == known.value)
        }
    }

    @Test("on an edition is one verdict of all of theirs, and where subscriptions decide these are known, too")
    func verdicts() async throws {
        let inner = Subscription(state: .active, message: "inner")
        let words: [EditionVerdict?] = [
            .granted, .refused(.notEntitled, message: "refused"), nil,
            .leftTo([inner], otherwise: .expired, message: "left"),
        ]
        for first in words {
            for second in words {
                let bench = try Bench()
                for (system, word) in zip(bench.systems, [first, second]) {
                    system.change {
                        $0.verdict = { _ in word }
                        $0.subscription = { Subscription(state: .active, message: $0.backend) }
                    }
                }
                let question = Question.verdict(Self.edition, bench.both)
                let name = Comment(rawValue: "\(String(describing: first)), \(String(describing: second))")
                try await bench.prime([{ .verdict(Self.edition, $0) }])
                let isLeftToUndecided =
                    [first, second].contains(nil) && first != second
                    && ![first, second].contains(EditionVerdict.granted)
                #expect((bench.remembered(question) == nil) == isLeftToUndecided, name)
                try await bench.prime([Question.subscription])
                let known = try #require(bench.remembered(question), name)
                #expect(try await question.put(to: bench.chain, Inquiry()) == known.value, name)
                #expect(known.standing.holds(at: bench.now), name)
                bench.protected[1].flush(.all)
                #expect(!known.standing.holds(at: bench.now), name)
            }
        }
    }

    @Test("in a chain of chains is the same")
    func nested() async throws {
        let bench = try Bench()
        let outer = Self.chain([FakeMember("c"), bench.chain], name: "outer")
        let question = Question.subscription(bench.both)
        #expect(Self.remembered(question, by: outer) == nil)
        let asked = try await question.put(to: outer, Inquiry())
        #expect(Self.remembered(question, by: outer)?.value == asked)
    }

    @Test("is of the same request, as far as a member's answer depends on it")
    func fields() async throws {
        let bench = try Bench(decidingFields: ["device"])
        let (one, another) = (Inquiry(fields: ["device": "one"]), Inquiry(fields: ["device": "another"]))
        let question = Question.subscription(bench.both)
        _ = try await question.put(to: bench.chain, one)
        #expect(Self.remembered(question, by: bench.chain, one) != nil)
        #expect(Self.remembered(question, by: bench.chain, another) == nil)
    }

    @Test("is what it answers when it is asked, for as long as that stands", arguments: 0..<20 as Range<UInt64>)
    func same(seed: UInt64) async throws {
        let bench = try Bench()
        var random = SeededRandom(seed: seed)
        let readers = [Self.ofA, Self.ofB, bench.both, Self.retired]
        let questions = readers.flatMap { reader in
            [Question.subscription(reader)] + Self.editions.map { Question.verdict($0, reader) }
        }
        var kept: [(question: Question, known: Remembered<Answer>)] = []
        var compared = 0
        for _ in 0..<300 {
            await change(bench, readers, &random)
            let question = try #require(questions.randomElement(using: &random))
            if Bool.random(using: &random) { _ = try? await question.put(to: bench.chain, Inquiry()) }
            if let known = bench.remembered(question) { kept.append((question, known)) }
            kept = kept.suffix(12).filter { $0.known.standing.holds(at: bench.now) }
            for (question, known) in kept {
                let asked = try? await question.put(to: bench.chain, Inquiry())
                // A question that was withdrawn, because another member granted, may have been answered meanwhile.
                guard known.standing.holds(at: bench.now) else { continue }
                #expect(asked == known.value, "seed \(seed): \(question)")
                compared += 1
            }
        }
        #expect(compared > 100)
    }

    /// Now and then, something that answers depend on.
    private func change(_ bench: Bench, _ readers: [Subscriber], _ random: inout SeededRandom) async {
        let member = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            let told = Subscription(
                state: SubscriptionState.allCases.randomElement(using: &random) ?? .active,
                message: "\(Int.random(in: 0..<1000, using: &random))",
                entitlement: .editions(Set(Self.editions.filter { _ in Bool.random(using: &random) })))
            let verdicts: [EditionVerdict?] = [
                .granted, .refused(.notEntitled, message: told.message), nil,
                .leftTo([told], otherwise: .expired, message: told.message),
            ]
            let verdict = verdicts[Int.random(in: 0..<verdicts.count, using: &random)]
            let isDown = Int.random(in: 0..<8, using: &random) == 0
            bench.systems[member].change {
                $0.subscription = { _ in
                    if isDown { throw FakeMember.Down() }
                    return told
                }
                $0.verdict = { _ in
                    if isDown { throw FakeMember.Down() }
                    return verdict
                }
            }
        case 2: bench.time.advance(by: [0.5, 4, 20].randomElement(using: &random) ?? 1)
        case 3:
            let targets: [FlushTarget] = [.all, .key("1"), .key("2")]
            bench.protected[member].flush(targets.randomElement(using: &random) ?? .all)
        case 4: try? await bench.chain.signOut(readers.randomElement(using: &random) ?? Self.ofA, inquiry: Inquiry())
        default: break
        }
    }
}
