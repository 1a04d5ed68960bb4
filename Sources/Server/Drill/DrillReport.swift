import Foundation

/// What readers were answered before, during and after a bad day.
public struct DrillReport: Sendable, Encodable {
    /// One part of the drill.
    public struct Phase: Sendable, Encodable {
        public let name: String
        /// How often each question got each answer.
        public var answers: [Answer] = []
        /// Questions that reached the subscriber system, and the most of them at the same time.
        public var asked = 0
        public var mostAtOnce = 0
    }

    public struct Answer: Sendable, Encodable {
        public let question: String
        public let answer: String
        /// Whether it differs from what the reader is due: never, whatever the day.
        public let isWrong: Bool
        public let count: Int
        /// Milliseconds: the median, and what 99 of 100 stayed below.
        public let median: Double
        public let slowest: Double
    }

    public let backend: String
    public let publication: String
    public let fault: String
    public let warmReaders: Int
    public let coldReaders: Int
    public internal(set) var phases: [Phase] = []

    public var wrongAnswers: Int {
        phases.flatMap(\.answers).filter(\.isWrong).reduce(0) { $0 + $1.count }
    }

    /// For a terminal.
    public var text: String {
        var lines = [
            "backend \(backend), publication \(publication): \(fault)",
            "\(warmReaders) readers who signed in before, \(coldReaders) who come during the bad day", "",
        ]
        for phase in phases {
            lines.append(
                "\(phase.name): \(phase.asked) questions reached the backend, at most \(phase.mostAtOnce) at once")
            for answer in phase.answers {
                let question = answer.question.padding(toLength: 20, withPad: " ", startingAt: 0)
                let words = (answer.isWrong ? "WRONG: " : "") + answer.answer
                let what = words.padding(toLength: max(38, words.count), withPad: " ", startingAt: 0)
                let times = String(format: "p50 %.1f ms  p99 %.1f ms", answer.median, answer.slowest)
                lines.append("  \(question)\(what)\(String(answer.count).leftPadded(7))  \(times)")
            }
        }
        lines += [
            "",
            wrongAnswers == 0
                ? "no reader was told anything that is not so"
                : "\(wrongAnswers) answers were not what the reader is due",
        ]
        return lines.joined(separator: "\n")
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
