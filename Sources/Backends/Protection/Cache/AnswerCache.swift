import Foundation
import Gatefold
import Protections
import Synchronization

/// Answers from memory what it may, asks the rest, and has the last good answer stand in when nobody could be asked.
final class AnswerCache: Sendable {
    struct Counts: Sendable {
        var fresh = 0
        var ageing = 0
        var missed = 0
        var lastKnownGood = 0
    }

    private struct State {
        /// Nil where it is switched off.
        var memory: AnswerMemory?
        var order: UInt64 = 0
        var counts = Counts()

        mutating func moment(at now: TimeInterval) -> Moment {
            order += 1
            return Moment(seconds: now, order: order)
        }
    }

    fileprivate let clock: WallClock
    private let random: RandomSource
    private let state: Mutex<State>

    init(
        _ settings: ProtectionSettings.Cache?, longestQuestion: TimeInterval, clock: WallClock, random: RandomSource
    ) {
        self.clock = clock
        self.random = random
        state = Mutex(State(memory: settings.map { AnswerMemory($0, longestQuestion: longestQuestion) }))
    }

    /// - Parameter ask: asks the backend, and has the answer remembered.
    /// - Throws: what `ask` throws, when nothing stands in for the answer.
    func answer(
        _ key: QuestionKey, _ ask: @escaping @Sendable (Urgency) async throws -> Told
    ) async throws -> (answer: Answer, isRemembered: Bool) {
        switch find(key) {
        case .fresh(let answer):
            return (answer, true)
        case .ageing(let answer, let isDue):
            if isDue {
                Task {
                    // That it could not be renewed is no news to the reader: the answer still holds.
                    _ = try? await ask(.background)
                }
            }
            return (answer, true)
        case .missing:
            do {
                return (try await ask(.reader).answer, false)
            } catch {
                guard Failing.meansNotAsked(error), let last = lastKnownGood(key) else { throw error }
                StandIns.note()
                return (last, true)
            }
        }
    }

    /// A fresh answer; nil, and nothing is counted, where there is none.
    func remembered(_ key: QuestionKey) -> Remembered<Answer>? {
        state.withLock { state in
            let now = clock.elapsed
            guard let (answer, mark, until) = state.memory?.peek(key, at: now) else { return nil }
            state.counts.fresh += 1
            return Remembered(answer, standing: Standing([mark], deadline: .init(clock, at: until)))
        }
    }

    /// The present moment, later than all before.
    func moment() -> Moment {
        state.withLock { $0.moment(at: clock.elapsed) }
    }

    /// - Returns: how many answers were forgotten.
    @discardableResult
    func forget(_ group: AnswerMemory.Group) -> Int {
        state.withLock { state in
            let moment = state.moment(at: clock.elapsed)
            return state.memory?.forget(group, at: moment) ?? 0
        }
    }

    /// Somebody and the subscribers they were recognised as.
    func withSubscribers(_ group: AnswerMemory.Group) -> Set<AnswerMemory.Group> {
        state.withLock { ($0.memory?.subscribers(recognisedIn: group) ?? []).union([group]) }
    }

    func forgetAll() -> Int {
        state.withLock { state in
            let moment = state.moment(at: clock.elapsed)
            return state.memory?.forgetAll(at: moment) ?? 0
        }
    }

    var status: (entries: Int, bytes: Int, counts: Counts) {
        state.withLock { ($0.memory?.count ?? 0, $0.memory?.bytes ?? 0, $0.counts) }
    }

    private func find(_ key: QuestionKey) -> AnswerMemory.Finding {
        state.withLock { state in
            let now = clock.elapsed
            let finding = state.memory?.find(key, at: now) ?? .missing
            switch finding {
            case .fresh: state.counts.fresh += 1
            case .ageing: state.counts.ageing += 1
            case .missing: state.counts.missed += 1
            }
            return finding
        }
    }

    private func lastKnownGood(_ key: QuestionKey) -> Answer? {
        state.withLock { state in
            let now = clock.elapsed
            let found = state.memory?.lastKnownGood(key, at: now)
            if found != nil { state.counts.lastKnownGood += 1 }
            return found
        }
    }

    func remember(_ told: Told, _ subject: AnswerMemory.Subject) {
        let jitter = random.fraction()
        state.withLock { state in
            let now = clock.elapsed
            state.memory?.store(told, subject, jitter: jitter, at: now)
        }
    }
}

// MARK: - What other processes learn

extension AnswerCache {
    /// When a question was put, by this process's clock.
    func date(of moment: Moment) -> Date {
        clock.now.addingTimeInterval(moment.seconds - clock.elapsed)
    }

    func forget(_ group: AnswerMemory.Group, askedUntil date: Date) {
        change(askedUntil: date) { memory, seconds, moment in
            memory.forget(group, askedUntil: seconds, at: moment)
        }
    }

    func forgetCredentials(
        of group: AnswerMemory.Group, askedUntil date: Date, where isWrong: (UInt64) -> Bool
    ) {
        change(askedUntil: date) { memory, seconds, moment in
            memory.forgetCredentials(of: group, askedUntil: seconds, at: moment, where: isWrong)
        }
    }

    func deny(
        _ group: AnswerMemory.Group, _ consequence: AnswerRules.Consequence, on edition: EditionID?,
        askedUntil date: Date
    ) {
        change(askedUntil: date) { memory, seconds, moment in
            memory.deny(group, consequence, on: edition, askedUntil: seconds, at: moment)
        }
    }

    func deny(
        _ group: AnswerMemory.Group, onEditions isDenied: (EditionID) -> Bool, askedUntil date: Date
    ) {
        change(askedUntil: date) { memory, seconds, moment in
            memory.deny(group, onEditions: isDenied, askedUntil: seconds, at: moment)
        }
    }

    private func change(
        askedUntil date: Date, _ change: (inout AnswerMemory, TimeInterval, Moment) -> Void
    ) {
        state.withLock { state in
            let moment = state.moment(at: clock.elapsed)
            guard var memory = state.memory else { return }
            // Taken out, so that it is not copied.
            state.memory = nil
            change(&memory, moment.seconds - max(0, clock.now.timeIntervalSince(date)), moment)
            state.memory = memory
        }
    }
}
