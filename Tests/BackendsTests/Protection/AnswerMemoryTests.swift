import Gatefold
import Protections
import TestSupport
import Testing

@testable import Backends

@Suite("The answers that are remembered")
struct AnswerMemoryTests {
    private static let active = Answer.subscription(Subscription(state: .active))
    private static let suspended = Answer.subscription(Subscription(state: .suspended))

    private func key(_ number: Int) -> QuestionKey { QuestionKey(UInt64(number), 0, 0, 0) }

    private func subject(_ number: Int, of reader: UInt64 = 1) -> AnswerMemory.Subject {
        AnswerMemory.Subject(key: key(number), groups: [.subscriber(reader)])
    }

    private func memory(_ change: (inout ProtectionSettings.Cache) -> Void = { _ in }) -> AnswerMemory {
        var settings = ProtectionSettings.Cache()
        change(&settings)
        return AnswerMemory(settings, longestQuestion: 6)
    }

    private func told(_ answer: Answer, at seconds: Double, _ order: UInt64) -> Told {
        Told(answer: answer, asked: Moment(seconds: seconds, order: order))
    }

    @Test("are fresh, then ageing, then good for an outage only, then gone")
    func ages() {
        var memory = memory()
        memory.store(told(Self.active, at: 0, 1), subject(1), jitter: 0, at: 2)
        #expect(memory.find(key(1), at: 29.9) == .fresh(Self.active))
        #expect(memory.find(key(1), at: 30) == .ageing(Self.active, isDue: true))
        #expect(memory.find(key(1), at: 30.5) == .ageing(Self.active, isDue: false))
        #expect(memory.find(key(1), at: 31.1) == .ageing(Self.active, isDue: true))
        #expect(memory.find(key(1), at: 60) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 86_399) == Self.active)
        #expect(memory.lastKnownGood(key(1), at: 86_400) == nil)
    }

    @Test("jitter shortens what holds, and never lengthens it")
    func jitter() {
        let rules = AnswerRules(settings: ProtectionSettings.Cache())
        for jitter in stride(from: 0.0, through: 1, by: 0.01) {
            for answer in [Self.active, Self.suspended, .verdict(.granted), .recognition(.notRecognised(message: nil))]
            {
                let terms = rules.terms(of: answer, asked: 100, jitter: jitter)
                #expect(terms.revalidateAt <= terms.freshUntil)
                #expect(terms.freshUntil <= (AnswerRules.isAffirmative(answer) ? 160 : 105))
                #expect(terms.freshUntil >= (AnswerRules.isAffirmative(answer) ? 148 : 105))
            }
        }
    }

    @Test(
        "a refusal of any sort holds for the short time only, and stands in for nothing",
        arguments: [
            Answer.recognition(.notRecognised(message: "no")), .verdict(.refused(.notEntitled, message: nil)),
            .subscription(Subscription(state: .unknown)), suspended, .subscription(Subscription(state: .stale)),
            .subscription(Subscription(state: .inactive)),
        ])
    func refusals(answer: Answer) {
        var memory = memory()
        memory.store(told(Self.active, at: 0, 1), subject(1), jitter: 0, at: 0)
        memory.store(told(answer, at: 1, 2), subject(1), jitter: 0, at: 1)
        #expect(memory.find(key(1), at: 5.9) == .fresh(answer))
        #expect(memory.find(key(1), at: 6) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 2) == nil)
    }

    @Test("an inactive reader's own editions stand in during an outage")
    func inactive() throws {
        var memory = memory()
        let edition = try #require(EditionID("ed-1"))
        let answer = Answer.subscription(Subscription(state: .inactive, entitlement: .editions([edition])))
        memory.store(told(answer, at: 0, 1), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 6) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 6) == answer)
    }

    @Test("an answer that opened a session of its own is never handed out twice, but in an outage")
    func sessions() {
        var memory = memory()
        let answer = Answer.recognition(
            .recognised(Subscriber(backend: "house", key: "ada", upstreamSession: "session")))
        memory.store(told(answer, at: 0, 1), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 10) == answer)
    }

    @Test("what was asked earlier never takes the place of what was asked later")
    func order() {
        var memory = memory()
        memory.store(told(Self.suspended, at: 5, 2), subject(1), jitter: 0, at: 6)
        memory.store(told(Self.active, at: 1, 1), subject(1), jitter: 0, at: 7)
        #expect(memory.find(key(1), at: 7) == .fresh(Self.suspended))
    }

    @Test("a subscription that is over takes the granted editions with it; one unknown takes everything")
    func consequences() {
        var memory = memory()
        let granted = Answer.verdict(.granted)
        let recognised = Answer.recognition(.recognised(ProtectedBench.ada))
        memory.store(told(granted, at: 0, 1), subject(1), jitter: 0, at: 0)
        memory.store(told(recognised, at: 0, 2), subject(2), jitter: 0, at: 0)
        memory.store(told(granted, at: 0, 3), subject(3, of: 2), jitter: 0, at: 0)
        memory.store(told(Self.suspended, at: 0, 5), subject(4), jitter: 0, at: 0)
        // Asked before the suspension, answered after it.
        memory.store(told(granted, at: 0, 4), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .missing)
        #expect(memory.find(key(2), at: 0) == .fresh(recognised))
        #expect(memory.find(key(3), at: 0) == .fresh(granted))
        memory.store(
            told(.subscription(Subscription(state: .unknown)), at: 0, 6), subject(4), jitter: 0, at: 0)
        #expect(memory.lastKnownGood(key(2), at: 0) == nil)
        #expect(memory.find(key(3), at: 0) == .fresh(granted))
    }

    @Test(
        "Pitfall 9: what one session is told of a subscription that is over holds for the reader's others",
        arguments: [SubscriptionState.inactive, .suspended, .stale])
    func otherSessions(state: SubscriptionState) throws {
        var memory = memory()
        let own = Answer.subscription(
            Subscription(state: .inactive, entitlement: .editions([try #require(EditionID("ed-1"))])))
        memory.store(told(own, at: 0, 1), subject(2), jitter: 0, at: 0)
        memory.store(told(Self.active, at: 0, 2), subject(1), jitter: 0, at: 0)
        memory.store(told(.subscription(Subscription(state: state)), at: 1, 5), subject(3), jitter: 0, at: 1)
        // Asked by a fourth before that, answered after it.
        memory.store(told(Self.active, at: 1, 4), subject(4), jitter: 0, at: 1)
        // Stale is one session, not the reader.
        #expect(memory.lastKnownGood(key(1), at: 2) == (state == .stale ? Self.active : nil))
        #expect(memory.lastKnownGood(key(2), at: 2) == (state == .suspended ? nil : own))
        #expect(memory.lastKnownGood(key(4), at: 2) == nil)
        memory.store(told(Self.active, at: 2, 6), subject(1), jitter: 0, at: 2)
        #expect(memory.lastKnownGood(key(1), at: 2) == Self.active)
    }

    @Test("Pitfall 9: an edition refused to one session is not granted to another from memory; other editions are")
    func otherSessionsEditions() throws {
        var memory = memory()
        let (first, second) = (try #require(EditionID("ed-1")), try #require(EditionID("ed-2")))
        func verdict(_ number: Int, _ edition: EditionID) -> AnswerMemory.Subject {
            AnswerMemory.Subject(key: key(number), groups: [.subscriber(1)], edition: edition)
        }
        memory.store(told(.verdict(.granted), at: 0, 1), verdict(1, first), jitter: 0, at: 0)
        memory.store(told(.verdict(.granted), at: 0, 2), verdict(2, second), jitter: 0, at: 0)
        memory.store(told(Self.active, at: 0, 3), subject(3), jitter: 0, at: 0)
        // A session that is over says nothing about the reader's others.
        memory.store(
            told(.verdict(.refused(.expired, message: nil)), at: 1, 4), verdict(4, first), jitter: 0, at: 1)
        #expect(memory.lastKnownGood(key(1), at: 2) == .verdict(.granted))
        memory.store(
            told(.verdict(.refused(.notEntitled, message: nil)), at: 1, 5), verdict(5, first), jitter: 0, at: 1)
        #expect(memory.lastKnownGood(key(1), at: 2) == nil)
        #expect(memory.lastKnownGood(key(2), at: 2) == .verdict(.granted))
        #expect(memory.lastKnownGood(key(3), at: 2) == Self.active)
    }

    @Test("what was asked before somebody was forgotten is not remembered when it comes")
    func barriers() {
        var memory = memory()
        memory.store(told(Self.active, at: 0, 1), subject(1), jitter: 0, at: 0)
        #expect(memory.forget(.subscriber(1), at: Moment(seconds: 0, order: 3)) == 1)
        memory.store(told(Self.active, at: 0, 2), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .missing)
        memory.store(told(Self.active, at: 0, 4), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .fresh(Self.active))
        #expect(memory.forgetAll(at: Moment(seconds: 0, order: 6)) == 1)
        memory.store(told(Self.active, at: 0, 5), subject(1), jitter: 0, at: 0)
        #expect(memory.count == 0 && memory.bytes == 0)
    }

    @Test("barriers are forgotten once every question from before them has been answered")
    func oldBarriers() {
        var barriers = Barriers()
        for number in 1...1_000 {
            barriers.raise(
                .subscriber(UInt64(number)), Moment(seconds: Double(number), order: UInt64(number)),
                longestQuestion: 6)
        }
        #expect(barriers.count == 7)
        #expect(barriers.bar(Moment(seconds: 0, order: 1_000), [.subscriber(1_000)]))
        #expect(!barriers.bar(Moment(seconds: 0, order: 1_001), [.subscriber(1_000)]))
    }

    @Test("are never more than memory was given, those unused for longest going first")
    func memoryBound() {
        var memory = memory { $0.memory = 100 * AnswerSize.entry }
        for number in 0..<100 {
            memory.store(
                told(Self.active, at: 0, UInt64(number + 1)), subject(number, of: UInt64(number)), jitter: 0, at: 0)
        }
        #expect(memory.count == 100)
        #expect(memory.find(key(0), at: 0) == .fresh(Self.active))
        memory.store(told(Self.active, at: 0, 101), subject(100, of: 100), jitter: 0, at: 0)
        #expect(memory.find(key(0), at: 0) == .fresh(Self.active))
        #expect(memory.find(key(1), at: 0) == .missing)
        #expect(memory.count == 100 && memory.bytes == 100 * AnswerSize.entry)
    }

    @Test("wrong sign-ins, however many, drive out nothing that a reader needs in an outage")
    func strangers() {
        var memory = memory { $0.memory = 80 * AnswerSize.entry }
        let refused = Answer.recognition(.notRecognised(message: nil))
        for number in 0..<70 {
            memory.store(
                told(Self.active, at: 0, UInt64(number + 1)), subject(number, of: UInt64(number)), jitter: 0, at: 0)
        }
        for number in 1_000..<10_000 {
            memory.store(
                told(refused, at: 0, UInt64(number)),
                AnswerMemory.Subject(key: key(number), groups: [.identifier(UInt64(number))]), jitter: 0, at: 0)
        }
        #expect(memory.count == 80)
        #expect((0..<70).allSatisfy { memory.lastKnownGood(key($0), at: 3_600) == Self.active })
        #expect(memory.find(key(9_999), at: 0) == .fresh(refused) && memory.find(key(9_989), at: 0) == .missing)
        // What readers are told may use the rest, and never more than all.
        for number in 100..<180 {
            memory.store(
                told(Self.active, at: 0, UInt64(number + 10_000)), subject(number, of: UInt64(number)), jitter: 0,
                at: 0)
        }
        #expect(memory.count == 80 && memory.bytes == 80 * AnswerSize.entry)
    }

    @Test("the books agree after any mixture of storing, finding, forgetting and ageing", arguments: 1...10)
    func books(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var memory = memory { $0.memory = 50 * AnswerSize.entry }
        var now = 0.0
        var order: UInt64 = 10
        let answers = [
            Self.active, Self.suspended, .verdict(.granted), .verdict(nil), .recognition(.notRecognised(message: nil)),
        ]
        for _ in 0..<5_000 {
            now += Double.random(in: 0..<20, using: &random)
            order += 1
            let number = Int.random(in: 0..<200, using: &random)
            let reader = UInt64(number % 20)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: memory.forget(.subscriber(reader), at: Moment(seconds: now, order: order))
            case 1 where number == 0: memory.forgetAll(at: Moment(seconds: now, order: order))
            case 2...8: _ = memory.find(key(number), at: now)
            default:
                let answer = answers[Int.random(in: 0..<answers.count, using: &random)]
                let asked = order - UInt64.random(in: 0..<9, using: &random)
                memory.store(
                    told(answer, at: now, asked), subject(number, of: reader),
                    jitter: Double.random(in: 0...1, using: &random), at: now)
            }
            #expect(memory.count <= 50)
            #expect(memory.bytes == memory.count * AnswerSize.entry)
        }
        for reader in 0..<20 { memory.forget(.subscriber(UInt64(reader)), at: Moment(seconds: now, order: order + 1)) }
        #expect(memory.count == 0 && memory.bytes == 0)
    }
}
