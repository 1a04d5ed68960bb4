package import Foundation

/// The result of a check: every rule with its verdict, in the order of the rule book.
package struct CheckReport: Sendable {
    package struct Entry: Sendable {
        package let rule: Rule
        package let verdict: Verdict
    }

    package let endpoint: String
    package let date: Date
    package let seconds: Double
    package let requests: Int
    /// The reason why the check ended early; nil if the server responded to the end.
    package let abortReason: String?
    /// A warning that the results may mean little; nil if there is no reason for one.
    package let reportWarning: String?
    /// A warning about readers for whom few calls were made; nil if there are none.
    package let unsigned: String?
    package let entries: [Entry]

    /// Creates a report by letting all rules judge the evidence.
    package init(_ evidence: Evidence, seconds: Double, rules: [Rule] = RuleBook.rules) {
        endpoint = evidence.endpoint.root.description
        date = evidence.date
        self.seconds = seconds
        abortReason = evidence.abortReason
        reportWarning = evidence.reportWarning
        // A server that is no endpoint signs no reader in, so the second warning would add nothing.
        unsigned = reportWarning == nil ? evidence.unsigned : nil
        requests = evidence.exchanges.count + 2 * evidence.responseOrders.values.reduce(0) { $0 + $1.pairs }
        entries = Redaction.$current.withValue(Redaction(evidence)) {
            rules.map { Entry(rule: $0, verdict: $0.evaluate(evidence).shortened) }
        }
    }

    /// The remarks that come before the results.
    var remarks: [String] { [abortReason, reportWarning, unsigned].compactMap(\.self) }

    /// The rules by family, in their order.
    var families: [(name: String, entries: [Entry])] {
        var families: [(name: String, entries: [Entry])] = []
        for entry in entries {
            if families.last?.name == entry.rule.family {
                families[families.count - 1].entries.append(entry)
            } else {
                families.append((entry.rule.family, [entry]))
            }
        }
        return families
    }

    package func count(_ kind: Verdict.Kind) -> Int { entries.count { $0.verdict.kind == kind } }

    /// Returns whether the endpoint meets all rules.
    ///
    /// - Parameter isStrict: Whether a warning counts as a failure. Default: false.
    package func isClean(isStrict: Bool = false) -> Bool {
        count(.failed) == 0 && (!isStrict || count(.warning) == 0)
    }

    /// The totals in one line.
    package var summaryLine: String {
        let counts = Verdict.Kind.allCases.map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
        return "\(entries.count) rules: \(counts)"
    }
}

extension Verdict {
    package enum Kind: String, Sendable, CaseIterable {
        case passed, failed, warning, skipped
    }

    /// The verdict with its texts shortened to a readable length.
    fileprivate var shortened: Verdict {
        func shortened(_ findings: [Finding]) -> [Finding] {
            findings.map { Finding(Printable.shortened($0.text), request: $0.request, response: $0.response) }
        }
        return switch self {
        case .passed: self
        case .failed(let findings): .failed(shortened(findings))
        case .warned(let findings): .warned(shortened(findings))
        case .skipped(let reason): .skipped(Printable.shortened(reason))
        }
    }

    package var kind: Kind {
        switch self {
        case .passed: .passed
        case .failed: .failed
        case .warned: .warning
        case .skipped: .skipped
        }
    }
}
