import Foundation

/// The results that readers received before, during and after the fault.
public struct DrillReport: Sendable, Encodable {
    /// One phase of the drill.
    public struct Phase: Sendable, Encodable {
        public let name: String
        /// The number of times that each call had each result.
        public var results: [ResultCount] = []
        /// The number of queries that reached the subscriber backend, and the maximum number of concurrent queries.
        public var queries = 0
        public var maxConcurrent = 0
    }

    public struct ResultCount: Sendable, Encodable {
        public let query: String
        public let result: String
        /// A Boolean value that indicates whether the result differs from the one that the reader is entitled to.
        /// No fault may cause such a result.
        public let isWrong: Bool
        public let count: Int
        /// The median and the 99th percentile, in milliseconds.
        public let median: Double
        public let p99: Double
    }

    public let backend: String
    public let publication: String
    public let fault: String
    public let warmReaders: Int
    public let coldReaders: Int
    public internal(set) var phases: [Phase] = []

    public var wrongResults: Int {
        phases.flatMap(\.results).filter(\.isWrong).reduce(0) { $0 + $1.count }
    }

    /// The report as text for a terminal.
    public var text: String {
        var lines = [
            "backend \(backend), publication \(publication): \(fault)",
            "\(warmReaders) readers who signed in before, \(coldReaders) who sign in first during the fault", "",
        ]
        for phase in phases {
            lines.append(
                "\(phase.name): \(phase.queries) queries reached the backend, at most \(phase.maxConcurrent) at once")
            for result in phase.results {
                let query = result.query.padding(toLength: 20, withPad: " ", startingAt: 0)
                let verdict = (result.isWrong ? "WRONG: " : "") + result.result
                let what = verdict.padding(toLength: max(38, verdict.count), withPad: " ", startingAt: 0)
                let times = String(format: "p50 %.1f ms  p99 %.1f ms", result.median, result.p99)
                lines.append("  \(query)\(what)\(String(result.count).leftPadded(7))  \(times)")
            }
        }
        lines += [
            "",
            wrongResults == 0
                ? "no reader got a wrong result"
                : "\(wrongResults) results were wrong",
        ]
        return lines.joined(separator: "\n")
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
