import Foundation

extension CheckReport: Encodable {
    private enum Key: String, CodingKey {
        case endpoint, date, seconds, requests, unreachable, warning, noSignIn, clean, counts, rules
    }

    private struct Row: Encodable {
        let id, title, source, fix, verdict: String
        /// The text of the cited sections; nil if only public documents are cited.
        let why: String?
        let reason: String?
        let places: Int?
        let findings: [Place]
    }

    private struct Place: Encodable {
        let text: String
        let request: String?
        let response: String?
    }

    /// Encodes the report for programs. `clean` indicates that no rule failed. Every rule is included,
    /// with any verdict.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(endpoint, forKey: .endpoint)
        try container.encode(date, forKey: .date)
        try container.encode((seconds * 1000).rounded() / 1000, forKey: .seconds)
        try container.encode(requests, forKey: .requests)
        try container.encodeIfPresent(abortReason, forKey: .unreachable)
        try container.encodeIfPresent(reportWarning, forKey: .warning)
        try container.encodeIfPresent(unsigned, forKey: .noSignIn)
        try container.encode(isClean(), forKey: .clean)
        let counts = Dictionary(uniqueKeysWithValues: Verdict.Kind.allCases.map { ($0.rawValue, count($0)) })
        try container.encode(counts, forKey: .counts)
        let rows = entries.map { entry in
            let why = SourceCitation.text(of: entry.rule.source)
            var reason: String?
            var places: Int?
            switch entry.verdict {
            case .skipped(let why): reason = why
            case .passed(let count): places = count
            case .failed, .warned: break
            }
            return Row(
                id: entry.rule.id, title: entry.rule.title, source: entry.rule.source, fix: entry.rule.fix,
                verdict: entry.verdict.kind.rawValue, why: why.isEmpty ? nil : why, reason: reason, places: places,
                findings: entry.verdict.findings.map {
                    Place(text: $0.text, request: $0.request, response: $0.response)
                })
        }
        try container.encode(rows, forKey: .rules)
    }
}
