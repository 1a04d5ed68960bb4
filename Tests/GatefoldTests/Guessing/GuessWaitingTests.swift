import Foundation
import Gatefold
import TestSupport
import Testing

/// Attempts that wait until others under way are decided, as a state machine: reserve, wait, settle.
@Suite("Attempts that wait for others")
struct GuessWaitingTests {
    private static let start = GuessLedgerTests.start

    private static func limits(_ change: (inout GuessLimits) -> Void = { _ in }) -> GuessLimits {
        var limits = GuessLimits(perIdentifier: 2, perAddress: 3)
        change(&limits)
        return limits
    }

    private static func admit(_ ledger: inout GuessLedger, _ attempt: GuessAttempt) -> GuessLedger.Decision {
        ledger.admit(attempt, from: .stranger, at: start)
    }

    private static func ticket(_ decision: GuessLedger.Decision) throws -> GuessTicket {
        guard case .proceed(let ticket) = decision else {
            throw NotAdmitted(decision: decision)
        }
        return ticket
    }

    private static func settle(
        _ ledger: inout GuessLedger, _ ticket: GuessTicket, _ outcome: GuessOutcome
    ) -> [GuessLedger.Release] {
        ledger.settle(ticket, as: outcome, at: start).released
    }

    private struct NotAdmitted: Error {
        let decision: GuessLedger.Decision
    }

    @Test("wait in the order in which they came, and go ahead as right ones are settled")
    func order() throws {
        var ledger = GuessLedger(limits: Self.limits())
        let first = try Self.ticket(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "1")))
        let second = try Self.ticket(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "2")))
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "3")) == .queued(1))
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "4")) == .queued(2))
        let released = Self.settle(&ledger, first, .right)
        #expect(released.map(\.waiter) == [1])
        let third = try Self.ticket(try #require(released.first).decision)
        #expect(third.attempt.claim == GuessLedgerTests.attempt("reader", "3").claim)
        #expect(Self.settle(&ledger, second, .undecided).map(\.waiter) == [2])
        #expect(ledger.queued == 0)
        #expect(Self.settle(&ledger, third, .right).isEmpty)
    }

    @Test("Pitfall 19: are throttled once wrong guesses have used up what they waited for")
    func throttled() throws {
        var ledger = GuessLedger(limits: Self.limits())
        let tickets = try (0..<2).map {
            try Self.ticket(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "guess \($0)")))
        }
        for number in 2..<50 {
            let decision = Self.admit(&ledger, GuessLedgerTests.attempt("reader", "guess \(number)"))
            #expect(decision == .queued(UInt64(number - 1)))
        }
        #expect(Self.settle(&ledger, tickets[0], .wrong).isEmpty)
        let released = Self.settle(&ledger, tickets[1], .wrong)
        #expect(released.count == 48 && ledger.queued == 0)
        #expect(released.allSatisfy { $0.decision == .throttled(retryAfter: 450) })
    }

    @Test("move to the next counter that leaves no room")
    func nextCounter() throws {
        var ledger = GuessLedger(limits: Self.limits())
        let readers = try (0..<2).map { _ in
            try Self.ticket(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "right")))
        }
        let others = try (0..<3).map {
            try Self.ticket(Self.admit(&ledger, GuessLedgerTests.attempt("other \($0)", from: "192.0.2.1")))
        }
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "right", from: "192.0.2.1")) == .queued(1))
        #expect(Self.settle(&ledger, readers[0], .right).isEmpty)
        #expect(ledger.queued == 1)
        #expect(Self.settle(&ledger, others[0], .right).map(\.waiter) == [1])
    }

    @Test("are bounded, of all and of one counter; one more is told so, and one that leaves makes room")
    func bounded() throws {
        var ledger = GuessLedger(
            limits: Self.limits {
                $0.maxQueued = 3
                $0.maxQueuedPerCounter = 2
            })
        for reader in ["a", "b"] {
            for _ in 0..<2 { _ = try Self.ticket(Self.admit(&ledger, GuessLedgerTests.attempt(reader, "right"))) }
        }
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("a", "right")) == .queued(1))
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("a", "right")) == .queued(2))
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("a", "right")) == .queueFull)
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("b", "right")) == .queued(4))
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("b", "right")) == .queueFull)
        let (left, leftAgain) = (ledger.withdraw(1), ledger.withdraw(1))
        #expect(left && !leftAgain)
        #expect(Self.admit(&ledger, GuessLedgerTests.attempt("b", "right")) == .queued(6))
    }

    @Test("do not keep a reader's own device and address waiting")
    func ownDevice() throws {
        var ledger = GuessLedger(limits: Self.limits())
        for _ in 0..<2 { _ = try Self.ticket(Self.admit(&ledger, GuessLedgerTests.attempt("reader", "guess"))) }
        let own = GuessLedgerTests.attempt("reader", "right", device: "phone")
        #expect(ledger.admit(own, from: .unasked, at: Self.start) == .dependsOnBearer)
        _ = try Self.ticket(ledger.admit(own, from: .acquainted, at: Self.start))
    }

    private enum Step: CaseIterable {
        case guess, guessElsewhere, repeatedGuess, otherReader
        case settleRight, settleWrong, settleUndecided, settleLastWrong, withdraw
    }

    /// Every sequence of five steps: no more is under way and wrong together than the limits say, nobody waits for nothing,
    /// and everybody who waited is told once.
    @Test("hold their promises in every sequence of steps", arguments: Step.allCases)
    private func exhaustive(first: Step) {
        var sequences: [[Step]] = [[first]]
        for _ in 0..<4 { sequences = sequences.flatMap { steps in Step.allCases.map { steps + [$0] } } }
        for steps in sequences { Self.check(steps) }
    }

    private static func check(_ steps: [Step]) {
        // No address becomes the reader's own, which would have a count beside these.
        var ledger = GuessLedger(limits: GuessLimits(perIdentifier: 2, perAddress: 2, familiarity: 0))
        var underWay: [GuessTicket] = []
        var waiting: [UInt64] = []
        var wrong: [[UInt8]: Set<[UInt8]>] = [:]
        var count = 0

        func take(_ decision: GuessLedger.Decision) {
            switch decision {
            case .proceed(let ticket): underWay.append(ticket)
            case .queued(let waiter): waiting.append(waiter)
            case .throttled: break
            case .dependsOnBearer, .queueFull: Issue.record("\(steps): \(decision)")
            }
        }
        func settle(_ index: Int, _ outcome: GuessOutcome) {
            guard underWay.indices.contains(index) else { return }
            let ticket = underWay.remove(at: index)
            if outcome == .wrong { wrong[ticket.attempt.identifier, default: []].insert(ticket.attempt.claim) }
            for release in ledger.settle(ticket, as: outcome, at: start).released {
                if let place = waiting.firstIndex(of: release.waiter) {
                    waiting.remove(at: place)
                } else {
                    Issue.record("\(steps): \(release.waiter) did not wait")
                }
                take(release.decision)
            }
        }
        func attempt(_ step: Step) -> GuessAttempt {
            count += 1
            return switch step {
            case .guessElsewhere: GuessLedgerTests.attempt("reader", "\(count)", from: "192.0.2.2")
            case .repeatedGuess: GuessLedgerTests.attempt("reader", "again", from: "192.0.2.1")
            case .otherReader: GuessLedgerTests.attempt("other", "\(count)", from: "192.0.2.1")
            default: GuessLedgerTests.attempt("reader", "\(count)", from: "192.0.2.1")
            }
        }
        func holds() {
            for reader in ["reader", "other"].map({ Array($0.utf8) }) {
                let new = underWay.count {
                    $0.attempt.identifier == reader && !wrong[reader, default: []].contains($0.attempt.claim)
                }
                if wrong[reader, default: []].count + new > 2 { Issue.record("\(steps): too many guesses") }
            }
            if underWay.isEmpty, !waiting.isEmpty { Issue.record("\(steps): waits for nothing") }
            if ledger.queued != waiting.count { Issue.record("\(steps): \(ledger.queued) wait") }
        }

        for step in steps {
            switch step {
            case .guess, .guessElsewhere, .repeatedGuess, .otherReader:
                take(ledger.admit(attempt(step), from: .stranger, at: start))
            case .settleRight: settle(0, .right)
            case .settleWrong: settle(0, .wrong)
            case .settleUndecided: settle(0, .undecided)
            case .settleLastWrong: settle(underWay.count - 1, .wrong)
            case .withdraw: if let waiter = waiting.popLast(), !ledger.withdraw(waiter) { Issue.record("\(steps)") }
            }
            holds()
        }
        while !underWay.isEmpty {
            settle(0, .undecided)
            holds()
        }
        if !waiting.isEmpty { Issue.record("\(steps): still waits") }
    }

    @Test("Pitfall 26: a parallel attack has no more guesses decided than a serial one", arguments: 1...5)
    func parallelAttack(seed: UInt64) {
        func decided(inParallel: Bool) -> Int {
            // The moments are the same either way.
            var (clock, random) = (SeededRandom(seed: seed), SeededRandom(seed: seed + 100))
            var ledger = GuessLedger()
            var moment = Self.start
            var underWay: [GuessTicket] = []
            var count = 0
            func take(_ decision: GuessLedger.Decision) {
                if case .proceed(let ticket) = decision { underWay.append(ticket) }
            }
            for number in 0..<2_000 {
                moment += Double(Int.random(in: 0...2, using: &clock))
                take(
                    ledger.admit(
                        GuessLedgerTests.attempt("reader", "\(number)", from: "10.0.\(number % 200).1"),
                        from: .stranger, at: moment))
                while !underWay.isEmpty, !inParallel || Int.random(in: 0..<3, using: &random) == 0 {
                    let ticket = underWay.remove(at: Int.random(in: 0..<underWay.count, using: &random))
                    count += 1
                    for release in ledger.settle(ticket, as: .wrong, at: moment).released { take(release.decision) }
                }
            }
            return count
        }
        #expect(decided(inParallel: true) <= decided(inParallel: false))
    }
}
