import Foundation

/// The result of a soak.
struct SoakReport: Sendable {
    let plan: SoakPlan
    let seconds: Double
    let lines: [SoakTally.Line]
    let labels: [SoakTally.Baseline]
    /// The number of responses without a fault that asked for a retry. A busy machine produces some.
    let late: Int
    let faultFreeCount: Int
    let start: ServerFootprint?
    let end: ServerFootprint?
    /// The first response that no state allows, with the reader's history.
    let contradiction: String?
    let serverOutput: String

    /// The reciprocal of the allowed share of late responses without a fault.
    static let lateShare = 50

    /// The allowed increase of descriptors since the initial load, because connections to the system vary, and a slow machine
    /// has not opened all connections to the databases yet. Measured: 31 to 89 then, and 40 to 49 at the end.
    static let descriptorTolerance = 32

    var isCorrect: Bool { contradiction == nil && mistakes.isEmpty }

    /// The failures of the soak as a whole.
    private var mistakes: [String] {
        var mistakes: [String] = []
        if late * Self.lateShare > max(faultFreeCount, Self.lateShare) {
            mistakes.append("too many responses asked for a retry without a fault")
        }
        if let start, let end, end.descriptors > start.descriptors + Self.descriptorTolerance {
            mistakes.append("the number of open descriptors grew")
        }
        mistakes += SoakFloors.missing(from: lines, labels)
        return mistakes
    }

    var text: String {
        var text: [String] = []
        var calls: [String] = []
        for line in lines where !calls.contains(line.call) { calls.append(line.call) }
        for call in calls {
            text.append(call)
            var responses: [String] = []
            for line in lines where line.call == call && !responses.contains(line.response) {
                responses.append(line.response)
            }
            for response in responses {
                let days = lines.filter { $0.call == call && $0.response == response }
                let count = days.reduce(0) { $0 + $1.count }
                text.append(
                    "  " + response.padding(toLength: 34, withPad: " ", startingAt: 0) + "\(count)".leftPadded(8) + "  "
                        + days.map { "\($0.day) \($0.count)" }.joined(separator: ", "))
            }
            let ways = labels.filter { $0.call == call }.map { "\($0.name) \($0.count)" }
            if !ways.isEmpty { text.append("  variants: " + ways.joined(separator: ", ")) }
        }
        text.append("")
        let count = lines.reduce(0) { $0 + $1.count }
        text.append(
            String(
                format: "%d responses in %.0f s, %d readers with two apps each, seed %llu", count, seconds,
                plan.readers,
                plan.seed))
        text.append("retries without a fault: \(late) of \(faultFreeCount)")
        if let start, let end { text.append("server: \(start) after warm-up, \(end) at the end") }
        if let contradiction {
            text.append("\nINCORRECT RESPONSE: \(contradiction)")
            if !serverOutput.isEmpty { text.append("last output of the server:\n\(serverOutput)") }
        } else {
            text += mistakes.isEmpty ? ["all responses were correct"] : mistakes
        }
        return text.joined(separator: "\n")
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
