import Foundation
import Gatefold
import TestSupport
import Testing

/// Tests the queue of attempts as a state machine: reserve, wait, settle.
@Suite("Login throttle queue")
struct LoginThrottleWaitingTests {
    private static let start = LoginThrottleLedgerTests.start

    private static func limits(_ change: (inout LoginThrottleLimits) -> Void = { _ in }) -> LoginThrottleLimits {
        var limits = LoginThrottleLimits(perIdentifier: 2, perAddress: 3)
        change(&limits)
        return limits
    }

    private static func admit(_ ledger: inout LoginAttemptLedger, _ attempt: LoginAttempt)
        -> LoginAttemptLedger.Decision
    {
        ledger.admit(attempt, from: .unknownDevice, at: start)
    }

    private static func permit(_ decision: LoginAttemptLedger.Decision) throws -> LoginAttemptPermit {
        guard case .proceed(let permit) = decision else {
            throw NotAdmitted(decision: decision)
        }
        return permit
    }

    private static func settle(
        _ ledger: inout LoginAttemptLedger, _ permit: LoginAttemptPermit, _ outcome: LoginAttemptOutcome
    ) -> [LoginAttemptLedger.ReleasedAttempt] {
        ledger.settle(permit, as: outcome, at: start).released
    }

    private struct NotAdmitted: Error {
        let decision: LoginAttemptLedger.Decision
    }

    @Test("Attempts wait in order of arrival and proceed as correct ones are settled")
    func order() throws {
        var ledger = LoginAttemptLedger(limits: Self.limits())
        let first = try Self.permit(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "1")))
        let second = try Self.permit(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "2")))
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "3")) == .queued(1))
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "4")) == .queued(2))
        let released = Self.settle(&ledger, first, .right)
        #expect(released.map(\.waitingAttempt) == [1])
        let third = try Self.permit(try #require(released.first).decision)
        #expect(third.attempt.claim == LoginThrottleLedgerTests.attempt("reader", "3").claim)
        #expect(Self.settle(&ledger, second, .undecided).map(\.waitingAttempt) == [2])
        #expect(ledger.queued == 0)
        #expect(Self.settle(&ledger, third, .right).isEmpty)
    }

    @Test("Pitfall 19: queued attempts are throttled once wrong attempts use up the limit")
    func throttled() throws {
        var ledger = LoginAttemptLedger(limits: Self.limits())
        let permits = try (0..<2).map {
            try Self.permit(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "guess \($0)")))
        }
        for number in 2..<50 {
            let decision = Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "guess \(number)"))
            #expect(decision == .queued(UInt64(number - 1)))
        }
        #expect(Self.settle(&ledger, permits[0], .wrong).isEmpty)
        let released = Self.settle(&ledger, permits[1], .wrong)
        #expect(released.count == 48 && ledger.queued == 0)
        #expect(released.allSatisfy { $0.decision == .throttled(retryAfter: 450) })
    }

    @Test("A released attempt moves to the next counter that is full")
    func nextCounter() throws {
        var ledger = LoginAttemptLedger(limits: Self.limits())
        let readers = try (0..<2).map { _ in
            try Self.permit(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "right")))
        }
        let others = try (0..<3).map {
            try Self.permit(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("other \($0)", from: "192.0.2.1")))
        }
        #expect(
            Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "right", from: "192.0.2.1")) == .queued(1))
        #expect(Self.settle(&ledger, readers[0], .right).isEmpty)
        #expect(ledger.queued == 1)
        #expect(Self.settle(&ledger, others[0], .right).map(\.waitingAttempt) == [1])
    }

    @Test("The queue is bounded in total and per counter, and a withdrawn attempt frees its place")
    func bounded() throws {
        var ledger = LoginAttemptLedger(
            limits: Self.limits {
                $0.maxQueued = 3
                $0.maxQueuedPerCounter = 2
            })
        for reader in ["a", "b"] {
            for _ in 0..<2 {
                _ = try Self.permit(Self.admit(&ledger, LoginThrottleLedgerTests.attempt(reader, "right")))
            }
        }
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("a", "right")) == .queued(1))
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("a", "right")) == .queued(2))
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("a", "right")) == .queueFull)
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("b", "right")) == .queued(4))
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("b", "right")) == .queueFull)
        let (left, leftAgain) = (ledger.withdraw(1), ledger.withdraw(1))
        #expect(left && !leftAgain)
        #expect(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("b", "right")) == .queued(6))
    }

    @Test("A reader's known device does not wait")
    func ownDevice() throws {
        var ledger = LoginAttemptLedger(limits: Self.limits())
        for _ in 0..<2 { _ = try Self.permit(Self.admit(&ledger, LoginThrottleLedgerTests.attempt("reader", "guess"))) }
        let own = LoginThrottleLedgerTests.attempt("reader", "right", device: "phone")
        #expect(ledger.admit(own, from: .unresolved, at: Self.start) == .dependsOnDeviceTrust)
        _ = try Self.permit(ledger.admit(own, from: .knownDevice, at: Self.start))
    }

    private enum Step: CaseIterable {
        case tryLogin, attemptElsewhere, repeatedAttempt, otherReader
        case settleRight, settleWrong, settleUndecided, settleLastWrong, withdraw
    }

    /// Runs every sequence of five steps. Attempts under way and wrong ones together never exceed the limit, no attempt
    /// waits without cause, and each waiting attempt is released once.
    @Test("Every sequence of steps preserves the invariants of the queue", arguments: Step.allCases)
    private func exhaustive(first: Step) {
        var sequences: [[Step]] = [[first]]
        for _ in 0..<4 { sequences = sequences.flatMap { steps in Step.allCases.map { steps + [$0] } } }
        for steps in sequences { Self.check(steps) }
    }

    private static func check(_ steps: [Step]) {
        // No address becomes a known address, which would have a separate counter.
        var ledger = LoginAttemptLedger(limits: LoginThrottleLimits(perIdentifier: 2, perAddress: 2, knownDeviceTTL: 0))
        var inFlight: [LoginAttemptPermit] = []
        var waiting: [UInt64] = []
        var wrong: [[UInt8]: Set<[UInt8]>] = [:]
        var count = 0

        func take(_ decision: LoginAttemptLedger.Decision) {
            switch decision {
            case .proceed(let permit): inFlight.append(permit)
            case .queued(let waitingAttempt): waiting.append(waitingAttempt)
            case .throttled: break
            case .dependsOnDeviceTrust, .queueFull: Issue.record("\(steps): \(decision)")
            }
        }
        func settle(_ index: Int, _ outcome: LoginAttemptOutcome) {
            guard inFlight.indices.contains(index) else { return }
            let permit = inFlight.remove(at: index)
            if outcome == .wrong { wrong[permit.attempt.identifier, default: []].insert(permit.attempt.claim) }
            for release in ledger.settle(permit, as: outcome, at: start).released {
                if let place = waiting.firstIndex(of: release.waitingAttempt) {
                    waiting.remove(at: place)
                } else {
                    Issue.record("\(steps): \(release.waitingAttempt) did not wait")
                }
                take(release.decision)
            }
        }
        func attempt(_ step: Step) -> LoginAttempt {
            count += 1
            return switch step {
            case .attemptElsewhere: LoginThrottleLedgerTests.attempt("reader", "\(count)", from: "192.0.2.2")
            case .repeatedAttempt: LoginThrottleLedgerTests.attempt("reader", "again", from: "192.0.2.1")
            case .otherReader: LoginThrottleLedgerTests.attempt("other", "\(count)", from: "192.0.2.1")
            default: LoginThrottleLedgerTests.attempt("reader", "\(count)", from: "192.0.2.1")
            }
        }
        func holds() {
            for reader in ["reader", "other"].map({ Array($0.utf8) }) {
                let new = inFlight.count {
                    $0.attempt.identifier == reader && !wrong[reader, default: []].contains($0.attempt.claim)
                }
                if wrong[reader, default: []].count + new > 2 { Issue.record("\(steps): too many attempts") }
            }
            if inFlight.isEmpty, !waiting.isEmpty { Issue.record("\(steps): an attempt waits without cause") }
            if ledger.queued != waiting.count { Issue.record("\(steps): \(ledger.queued) attempts wait") }
        }

        for step in steps {
            switch step {
            case .tryLogin, .attemptElsewhere, .repeatedAttempt, .otherReader:
                take(ledger.admit(attempt(step), from: .unknownDevice, at: start))
            case .settleRight: settle(0, .right)
            case .settleWrong: settle(0, .wrong)
            case .settleUndecided: settle(0, .undecided)
            case .settleLastWrong: settle(inFlight.count - 1, .wrong)
            case .withdraw:
                if let waitingAttempt = waiting.popLast(), !ledger.withdraw(waitingAttempt) { Issue.record("\(steps)") }
            }
            holds()
        }
        while !inFlight.isEmpty {
            settle(0, .undecided)
            holds()
        }
        if !waiting.isEmpty { Issue.record("\(steps): an attempt still waits") }
    }

    @Test("Pitfall 26: a parallel attack gets no more attempts admitted than a serial one", arguments: 1...5)
    func parallelAttack(seed: UInt64) {
        func admitted(inParallel: Bool) -> Int {
            // Both runs use the same timestamps.
            var (clock, random) = (SeededRandom(seed: seed), SeededRandom(seed: seed + 100))
            var ledger = LoginAttemptLedger()
            var timestamp = Self.start
            var inFlight: [LoginAttemptPermit] = []
            var count = 0
            func take(_ decision: LoginAttemptLedger.Decision) {
                if case .proceed(let permit) = decision { inFlight.append(permit) }
            }
            for number in 0..<2_000 {
                timestamp += Double(Int.random(in: 0...2, using: &clock))
                take(
                    ledger.admit(
                        LoginThrottleLedgerTests.attempt("reader", "\(number)", from: "10.0.\(number % 200).1"),
                        from: .unknownDevice, at: timestamp))
                while !inFlight.isEmpty, !inParallel || Int.random(in: 0..<3, using: &random) == 0 {
                    let permit = inFlight.remove(at: Int.random(in: 0..<inFlight.count, using: &random))
                    count += 1
                    for release in ledger.settle(permit, as: .wrong, at: timestamp).released { take(release.decision) }
                }
            }
            return count
        }
        #expect(admitted(inParallel: true) <= admitted(inParallel: false))
    }
}
