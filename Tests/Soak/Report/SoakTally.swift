import Foundation
import Synchronization

/// Counts answers by call, answer and the day they were given on.
final class SoakTally: Sendable {
    /// What credentials are called that were given because nobody could say.
    static let failedOpen = "credentials, failed open"
    static let goodDay = "good"

    struct Line: Sendable {
        let call: String
        let answer: String
        let day: String
        let count: Int
    }

    /// How often a call was made in some way.
    struct Mark: Sendable {
        let call: String
        let name: String
        let count: Int
    }

    private struct Key: Hashable {
        let call: String
        let answer: String
        let day: String
    }

    private struct MarkKey: Hashable {
        let call: String
        let name: String
    }

    private struct State {
        var counts: [Key: Int] = [:]
        var marks: [MarkKey: Int] = [:]
        var late = 0
        var calm = 0
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - marks: see ``Way/marks(of:)``.
    ///   - day: the bad day that the call may have met; nil for none.
    ///   - isLate: whether it was asked to come back although nothing is known to be wrong.
    func note(_ call: String, _ answer: String, marks: [String] = [], during day: String?, isLate: Bool = false) {
        state.withLock { state in
            state.counts[Key(call: call, answer: answer, day: day ?? Self.goodDay), default: 0] += 1
            for mark in marks { state.marks[MarkKey(call: call, name: mark), default: 0] += 1 }
            if day == nil { state.calm += 1 }
            if isLate { state.late += 1 }
        }
    }

    var count: Int { state.withLock { $0.counts.values.reduce(0, +) } }
    /// Answers on good days, and those of them that asked to come back.
    var calm: Int { state.withLock { $0.calm } }
    var late: Int { state.withLock { $0.late } }

    var lines: [Line] {
        state.withLock { $0.counts }
            .map { Line(call: $0.key.call, answer: $0.key.answer, day: $0.key.day, count: $0.value) }
            .sorted { ($0.call, $0.answer, $0.day) < ($1.call, $1.answer, $1.day) }
    }

    var marks: [Mark] {
        state.withLock { $0.marks }
            .map { Mark(call: $0.key.call, name: $0.key.name, count: $0.value) }
            .sorted { ($0.call, $0.name) < ($1.call, $1.name) }
    }
}
