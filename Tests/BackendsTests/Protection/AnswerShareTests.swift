import Gatefold
import Protections
import TestSupport
import Testing

@testable import Backends

@Suite("One reader's share of the answers that are remembered")
struct AnswerShareTests {
    private static let active = Answer.subscription(Subscription(state: .active))

    private func key(_ number: Int) -> QuestionKey { QuestionKey(UInt64(number), 0, 0, 0) }

    private func told(_ answer: Answer, _ order: Int) -> Told {
        Told(answer: answer, asked: Moment(seconds: 0, order: UInt64(order)))
    }

    private func verdict(_ number: Int, of reader: UInt64) -> AnswerMemory.Subject {
        AnswerMemory.Subject(
            key: key(number), groups: [.subscriber(reader)], edition: EditionID("made-up-\(number)"))
    }

    @Test(
        "Pitfall 23: 200,000 made-up editions drive out nobody else's last good answer, nor one's own subscription",
        arguments: [Answer.verdict(.refused(.notEntitled, message: nil)), .verdict(nil)])
    func flood(answer: Answer) throws {
        var settings = ProtectionSettings.Cache()
        settings.memory = 2_000 * AnswerSize.entry
        var memory = AnswerMemory(settings, longestQuestion: 6)
        for reader in 1...1_000 {
            let subject = AnswerMemory.Subject(key: key(reader), groups: [.subscriber(UInt64(reader))])
            memory.store(told(Self.active, reader), subject, jitter: 0, at: 0)
        }
        for number in 10_000..<210_000 {
            memory.store(told(answer, number), verdict(number, of: 1), jitter: 0, at: 0)
        }
        #expect((2...1_000).allSatisfy { memory.lastKnownGood(key($0), at: 10) == Self.active })
        #expect(memory.count <= 1_000 + AnswerMemory.share)
        if answer != .verdict(nil) { #expect(memory.lastKnownGood(key(1), at: 10) == Self.active) }
    }

    @Test("Pitfall 23: what a refused edition takes with it is found without a look at the reader's others")
    func bounded() throws {
        var memory = AnswerMemory(ProtectionSettings.Cache(), longestQuestion: 6)
        for number in 0..<300 {
            memory.store(told(.verdict(.granted), number + 1), verdict(number, of: 1), jitter: 0, at: 0)
        }
        let edition = EditionID("made-up-7")
        #expect(memory.places(in: .subscriber(1), takenBy: .edition, on: edition).count == 1)
        var other = verdict(7, of: 1)
        other = AnswerMemory.Subject(key: key(9_999), groups: other.groups, edition: edition)
        memory.store(told(.verdict(.refused(.notEntitled, message: nil)), 1_000), other, jitter: 0, at: 0)
        #expect(memory.lastKnownGood(key(7), at: 1) == nil)
        #expect(memory.lastKnownGood(key(8), at: 1) == .verdict(.granted))
    }
}
