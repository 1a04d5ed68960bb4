package import Foundation
package import Gatefold

/// An explanation as a command prints it and the admin API returns it.
package struct ExplanationReport: Encodable, Sendable {
    package struct Step: Encodable, Sendable {
        package let step: String
        package let outcome: String
        package let reason: String?
        package let remedy: String?
        package let backend: String?
        package let freshness: String?
        /// True for values of the present in an explanation about another time.
        package let presentOnly: Bool?
        package let values: [Value]
    }

    package struct Value: Encodable, Sendable {
        package let name: String
        package let value: String
    }

    package let publication: String
    package let edition: String
    package let subscriber: String?
    package let backend: String?
    package let time: Date
    /// `granted`, `granted_in_outage`, `rejected`, `unavailable` or `undecided`.
    package let verdict: String
    package let reason: String?
    /// The step that prevents the reader from reading.
    package let cause: String?
    package let opens: Bool
    /// The state that the app receives in a verification.
    package let state: String?
    package let steps: [Step]

    package init(_ explanation: Explanation) {
        publication = explanation.publication.rawValue
        edition = explanation.edition.rawValue
        subscriber = explanation.reader?.description
        backend = explanation.backend
        time = explanation.timestamp
        verdict = explanation.verdict.name
        reason = explanation.verdict.reason?.rawValue
        cause = explanation.cause?.code.rawValue
        opens = explanation.opens
        state = explanation.subscription?.state.rawValue
        steps = explanation.steps.map { step in
            Step(
                step: step.code.rawValue, outcome: step.outcome.rawValue, reason: step.reason?.rawValue,
                remedy: step.remedy, backend: step.backend, freshness: step.freshness.map { "\($0)" },
                presentOnly: step.isOfPresent ? true : nil,
                values: step.values.map {
                    Value(name: LineLogHandler.oneLine($0.name), value: LineLogHandler.oneLine($0.value))
                })
        }
    }

    /// The text for a terminal: the verdict, and one block for each step.
    package var text: String {
        var lines = [
            "edition     \(edition) of \(publication)",
            "reader      " + (subscriber.map { "\($0) in \(backend ?? "")" } ?? "not found"),
            "time        \(time.formatted(.iso8601))",
            "verdict     \(verdict)" + (reason.map { ": \($0)" } ?? "") + (cause.map { " (see \($0))" } ?? ""),
            "",
        ]
        for step in steps {
            let origin = [step.backend, step.freshness, step.presentOnly == true ? "present only" : nil]
                .compactMap(\.self).joined(separator: ", ")
            var line = Self.padded(step.step, 14) + Self.padded(step.outcome, 16) + (step.reason ?? "")
            if !origin.isEmpty { line += (step.reason == nil ? "" : " ") + "[\(origin)]" }
            lines.append(Self.trimmed(line))
            for value in step.values { lines.append("                \(value.name): \(value.value)") }
            if let remedy = step.remedy { lines.append("                remedy: \(remedy)") }
        }
        // Names and values of other systems must not control the terminal.
        return lines.map(LineLogHandler.oneLine).joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.padding(toLength: max(width, text.count + 1), withPad: " ", startingAt: 0)
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
