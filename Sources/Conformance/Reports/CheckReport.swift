package import Foundation

/// What a check found: every rule with its verdict, in the rule book's order.
package struct CheckReport: Sendable {
    package struct Entry: Sendable {
        package let rule: Rule
        package let verdict: Verdict
    }

    package let endpoint: String
    package let date: Date
    package let seconds: Double
    package let requests: Int
    /// Why not all was asked that was to be; nil where the server answered to the end.
    package let silence: String?
    /// Why the rest may say little; nil where it does not.
    package let doubt: String?
    /// The readers of whom little was asked; nil where there are none.
    package let unsigned: String?
    package let entries: [Entry]

    /// Has all rules judge the evidence.
    package init(_ evidence: Evidence, seconds: Double, rules: [Rule] = RuleBook.rules) {
        endpoint = evidence.endpoint.root.description
        date = evidence.date
        self.seconds = seconds
        silence = evidence.silence
        doubt = evidence.doubt
        // Where nothing is an endpoint, nobody is signed in.
        unsigned = doubt == nil ? evidence.unsigned : nil
        requests = evidence.exchanges.count + 2 * evidence.answerOrders.values.reduce(0) { $0 + $1.pairs }
        entries = Redaction.$current.withValue(Redaction(evidence)) {
            rules.map { Entry(rule: $0, verdict: $0.judge(evidence).shortened) }
        }
    }

    /// What is to be known before the rest is read.
    var remarks: [String] { [silence, doubt, unsigned].compactMap(\.self) }

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

    package func count(_ word: Verdict.Word) -> Int { entries.count { $0.verdict.word == word } }

    /// Whether the endpoint is as it should be.
    ///
    /// - Parameter isStrict: whether a warning counts.
    package func isClean(isStrict: Bool = false) -> Bool {
        count(.failed) == 0 && (!isStrict || count(.warning) == 0)
    }

    /// The sum of it in one line.
    package var sum: String {
        let counts = Verdict.Word.allCases.map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
        return "\(entries.count) rules: \(counts)"
    }
}

extension Verdict {
    package enum Word: String, Sendable, CaseIterable {
        case passed, failed, warning, skipped
    }

    /// With nothing that is longer than somebody would read.
    fileprivate var shortened: Verdict {
        func shortened(_ findings: [Finding]) -> [Finding] {
            findings.map { Finding(Printable.shortened($0.text), request: $0.request, answer: $0.answer) }
        }
        return switch self {
        case .passed: self
        case .failed(let findings): .failed(shortened(findings))
        case .warned(let findings): .warned(shortened(findings))
        case .skipped(let reason): .skipped(Printable.shortened(reason))
        }
    }

    package var word: Word {
        switch self {
        case .passed: .passed
        case .failed: .failed
        case .warned: .warning
        case .skipped: .skipped
        }
    }
}
