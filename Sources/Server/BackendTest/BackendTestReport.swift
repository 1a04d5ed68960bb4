import Foundation
import Gatefold

/// The results of a backend test, with personal data masked.
package struct BackendTestReport: Encodable, Sendable {
    package enum Outcome: String, Encodable, Sendable {
        case succeeded
        /// The system responded: it does not have the reader, or the proof is wrong.
        case negative
        case failed
        case skipped
    }

    package struct Step: Encodable, Sendable {
        package let step: String
        package var outcome: Outcome
        /// The statements and requests that were sent, by their names in the configuration. The last one failed, if the
        /// step did.
        package var calls: [String] = []
        package var details: [String] = [] {
            didSet { details = details.map(LineLogHandler.oneLine) }
        }
        package var cause: String? {
            didSet { cause = cause.map(LineLogHandler.oneLine) }
        }
        package var milliseconds: Int?

        init(step: String, outcome: Outcome) {
            self.step = step
            self.outcome = outcome
        }

        static func failed(_ name: String, _ calls: [String], _ cause: String) -> Step {
            var step = Step(step: name, outcome: .failed)
            step.calls = calls
            step.cause = cause
            return step
        }

        static func skipped(_ name: String, _ detail: String) -> Step {
            var step = Step(step: name, outcome: .skipped)
            step.details = [detail]
            return step
        }
    }

    /// A field as the system returned it. A value that may identify the reader is masked.
    package struct RawField: Encodable, Sendable {
        package let name: String
        package let values: [String]

        init(_ field: QueryTrace.Field) {
            name = LineLogHandler.oneLine(field.name)
            values = (field.isPersonal ? field.values.map(Self.masked) : field.values).map(LineLogHandler.oneLine)
        }

        /// Returns the first character and the length of a value, and only the length of one that it would reveal.
        static func masked(_ value: String) -> String {
            guard let first = value.first else { return "" }
            return "\(value.count < 4 ? "" : String(first))… (\(value.count) characters)"
        }
    }

    /// A subscription as Gatefold understands it.
    package struct Mapped: Encodable, Sendable {
        package let state: String
        package let hasMessage: Bool
        /// The editions, or nil for all.
        package let editions: [String]?
        package let periods: [String]
        package let userInfo: Int

        init(_ subscription: Subscription) {
            state = subscription.state.rawValue
            hasMessage = subscription.message != nil
            editions =
                switch subscription.entitlement {
                case .allEditions: nil
                case .editions(let held): held.sorted().map(\.rawValue)
                }
            periods = subscription.periods.map { period in
                let start = period.start == .distantPast ? "" : period.start.formatted(.iso8601)
                return "\(start)/\(period.end?.formatted(.iso8601) ?? "")"
            }
            userInfo = subscription.userInfo.count
        }
    }

    /// The results of one backend.
    package struct Part: Encodable, Sendable {
        package let backend: String
        package var steps: [Step] = []
        /// The pseudonyms of the readers.
        package var subscribers: [String] = []
        package var raw: [[RawField]] = []
        package var mapped: [Mapped] = []

        init(backend: String) {
            self.backend = backend
        }
    }

    package internal(set) var backends: [Part] = []

    package var hasFailed: Bool { backends.contains { $0.steps.contains { $0.outcome == .failed } } }

    /// A Boolean value that indicates whether no backend has the reader and accepts the password, and one has said so.
    package var isNegative: Bool {
        let negative = backends.filter { $0.steps.contains { $0.outcome == .negative } }
        return !negative.isEmpty
            && !backends.contains { part in
                !part.subscribers.isEmpty && !negative.contains { $0.backend == part.backend }
            }
    }

    /// The text for a terminal.
    package var text: String {
        // Names and values of other systems must not control the terminal.
        backends.flatMap { part -> [String] in
            var lines = ["backend \(part.backend)"]
            for step in part.steps {
                let calls = step.calls.isEmpty ? "" : " [\(step.calls.joined(separator: ", "))]"
                let time = step.milliseconds.map { " \($0) ms" } ?? ""
                let more = step.details.isEmpty ? "" : ": " + step.details.joined(separator: ", ")
                lines.append("  \(step.step): \(step.outcome.rawValue)\(calls)\(time)\(more)")
                if let cause = step.cause {
                    lines.append("    \(step.calls.last.map { "\($0): " } ?? "")\(cause)")
                }
            }
            for subscriber in part.subscribers { lines.append("  subscriber \(subscriber)") }
            for record in part.raw {
                lines += record.map { "  raw \($0.name) = \($0.values.joined(separator: ", "))" }
            }
            for mapped in part.mapped {
                lines.append("  mapped state = \(mapped.state)")
                lines.append("  mapped editions = \(mapped.editions.map { "\($0.count)" } ?? "all")")
                lines += mapped.periods.map { "  mapped period = \($0)" }
                if mapped.hasMessage { lines.append("  mapped message = (present)") }
                if mapped.userInfo > 0 { lines.append("  mapped user_info = \(mapped.userInfo) values") }
            }
            return lines.map(LineLogHandler.oneLine)
        }.joined(separator: "\n")
    }
}
