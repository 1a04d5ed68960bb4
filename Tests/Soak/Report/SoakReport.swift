import Foundation

/// What came of a soak.
struct SoakReport: Sendable {
    let plan: SoakPlan
    let seconds: Double
    let lines: [SoakTally.Line]
    let marks: [SoakTally.Mark]
    /// Answers on good days that asked to come back, of how many: a busy machine has some.
    let late: Int
    let calm: Int
    let start: ServerFootprint?
    let end: ServerFootprint?
    /// The first answer that no state allows, with the reader's history.
    let contradiction: String?
    let serverOutput: String

    /// One in so many answers of a good day may come late on a busy machine.
    static let lateShare = 50

    /// So many more descriptors than under load at first are no leak: connections to the system come and go.
    static let spareDescriptors = 16

    var isRight: Bool { contradiction == nil && mistakes.isEmpty }

    /// What is wrong with the whole of it, though each answer was right.
    private var mistakes: [String] {
        var mistakes: [String] = []
        if late * Self.lateShare > max(calm, Self.lateShare) {
            mistakes.append("too many answers asked to come back on good days")
        }
        if let start, let end, end.descriptors > start.descriptors + Self.spareDescriptors {
            mistakes.append("the server has more and more descriptors open")
        }
        mistakes += SoakFloors.missing(from: lines, marks)
        return mistakes
    }

    var text: String {
        var text: [String] = []
        var calls: [String] = []
        for line in lines where !calls.contains(line.call) { calls.append(line.call) }
        for call in calls {
            text.append(call)
            var answers: [String] = []
            for line in lines where line.call == call && !answers.contains(line.answer) { answers.append(line.answer) }
            for answer in answers {
                let days = lines.filter { $0.call == call && $0.answer == answer }
                let count = days.reduce(0) { $0 + $1.count }
                text.append(
                    "  " + answer.padding(toLength: 34, withPad: " ", startingAt: 0) + "\(count)".leftPadded(8) + "  "
                        + days.map { "\($0.day) \($0.count)" }.joined(separator: ", "))
            }
            let ways = marks.filter { $0.call == call }.map { "\($0.name) \($0.count)" }
            if !ways.isEmpty { text.append("  made with " + ways.joined(separator: ", ")) }
        }
        text.append("")
        let count = lines.reduce(0) { $0 + $1.count }
        text.append(
            String(
                format: "%d answers in %.0f s, %d readers with two apps each, seed %llu", count, seconds, plan.readers,
                plan.seed))
        text.append("asked to come back on a good day: \(late) of \(calm)")
        if let start, let end { text.append("the server: \(start) at first, \(end) at the end") }
        if let contradiction {
            text.append("\nCONTRADICTION: \(contradiction)")
            if !serverOutput.isEmpty { text.append("the server's last words:\n\(serverOutput)") }
        } else {
            text += mistakes.isEmpty ? ["every answer was right"] : mistakes
        }
        return text.joined(separator: "\n")
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
