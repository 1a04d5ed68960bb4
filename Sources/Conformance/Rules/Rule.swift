/// A requirement or recommendation for an endpoint.
package struct Rule: Sendable {
    /// The family and the name, such as `cache-refusal`.
    package let id: String
    /// The required behaviour.
    package let title: String
    /// The cited sections, such as “Pugpig protocol: Status codes; Pitfall 16; RFC 9111 section 5.1”. Each is named
    /// by the title of its article and by its heading (``SourceCitation``).
    package let source: String
    /// The change that fixes a violation.
    package let fix: String
    let evaluate: @Sendable (Evidence) -> Verdict

    /// The text of the cited sections with their names. Public documents have only a name.
    package var why: String {
        let text = SourceCitation.text(of: source)
        return text.isEmpty ? source : "\(text) (\(source))"
    }

    init(
        _ id: String, _ title: String, source: String, fix: String, evaluate: @escaping @Sendable (Evidence) -> Verdict
    ) {
        self.id = id
        self.title = title
        self.source = source
        self.fix = fix
        self.evaluate = evaluate
    }

    /// The first part of the identifier.
    package var family: String { String(id.prefix { $0 != "-" }) }
}

/// The verdict of a rule.
package enum Verdict: Sendable, Equatable {
    /// No violation in the given number of places.
    case passed(Int)
    case failed([Finding])
    /// A possible violation: the behaviour may be intended, or the evidence is weak.
    case warned([Finding])
    /// Nothing to judge, with the reason.
    case skipped(String)

    package var findings: [Finding] {
        switch self {
        case .failed(let findings), .warned(let findings): findings
        case .passed, .skipped: []
        }
    }
}

/// A violation of a rule in one place.
package struct Finding: Sendable, Equatable {
    package let text: String
    /// The request without its secrets; nil if no single request is responsible.
    package let request: String?
    /// The outcome of the request.
    package let response: String?

    init(_ text: String, _ exchange: Exchange? = nil) {
        self.init(text, request: exchange?.probe.summary, response: exchange?.summary)
    }

    init(_ text: String, request: String?, response: String?) {
        self.text = text
        self.request = request
        self.response = response
    }
}

/// The severity of a violation.
enum Severity {
    case failure, warning
}

extension Verdict {
    /// Judges each exchange separately, with or without a response.
    ///
    /// - Parameters:
    ///   - reason: The reason if there are no exchanges.
    ///   - problem: Returns the violation, or nil if there is none.
    static func eachRequested(
        _ exchanges: [Exchange], none reason: String, _ problem: (Exchange) -> String?
    ) -> Verdict {
        of(exchanges, none: reason) { exchange in problem(exchange).map { Finding($0, exchange) } }
    }

    /// Judges each exchange with a response separately. Exchanges without a response count as neither passed nor
    /// failed, because another rule reports them.
    static func each(
        _ exchanges: [Exchange], none reason: String, as severity: Severity = .failure,
        _ problem: (Exchange) -> String?
    ) -> Verdict {
        let responded = exchanges.filter { $0.response != nil }
        let why = exchanges.isEmpty ? reason : "no response was received"
        return of(responded, none: why, as: severity) { exchange in problem(exchange).map { Finding($0, exchange) } }
    }

    /// Judges each response separately.
    static func eachResponse(
        _ exchanges: [Exchange], none reason: String, as severity: Severity = .failure,
        _ problem: (ReceivedResponse) -> String?
    ) -> Verdict {
        each(exchanges, none: reason, as: severity) { $0.response.flatMap(problem) }
    }

    static func of<Subject>(
        _ subjects: [Subject], none reason: String, as severity: Severity = .failure, _ find: (Subject) -> Finding?
    ) -> Verdict {
        guard !subjects.isEmpty else { return .skipped(reason) }
        let findings = subjects.compactMap(find)
        guard !findings.isEmpty else { return .passed(subjects.count) }
        return severity == .failure ? .failed(findings) : .warned(findings)
    }
}
