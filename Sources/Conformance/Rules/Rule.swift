/// One thing that an endpoint must or should do.
package struct Rule: Sendable {
    /// The family and the name, such as `cache-refusal`.
    package let id: String
    /// What must be so.
    package let title: String
    /// Where that stands.
    package let source: String
    /// What to change where it is not so.
    package let fix: String
    let judge: @Sendable (Evidence) -> Verdict

    /// What the source says, and where that stands; of what everybody can look up only where.
    package var why: String {
        let words = CitedSource.words(of: source)
        return words.isEmpty ? source : "\(words) (\(source))"
    }

    init(
        _ id: String, _ title: String, source: String, fix: String, judge: @escaping @Sendable (Evidence) -> Verdict
    ) {
        self.id = id
        self.title = title
        self.source = source
        self.fix = fix
        self.judge = judge
    }

    /// The first word of the id.
    package var family: String { String(id.prefix { $0 != "-" }) }
}

/// What a rule finds.
package enum Verdict: Sendable, Equatable {
    /// Nothing wrong in that many places.
    case passed(Int)
    case failed([Finding])
    /// Something that may be meant so, or that only hints at something.
    case warned([Finding])
    /// There was nothing to look at, and why.
    case skipped(String)

    package var findings: [Finding] {
        switch self {
        case .failed(let findings), .warned(let findings): findings
        case .passed, .skipped: []
        }
    }
}

/// One place where a rule is broken.
package struct Finding: Sendable, Equatable {
    package let text: String
    /// The request, without its secrets; nil where no single one is to blame.
    package let request: String?
    /// What came of it.
    package let answer: String?

    init(_ text: String, _ exchange: Exchange? = nil) {
        self.init(text, request: exchange?.probe.summary, answer: exchange?.summary)
    }

    init(_ text: String, request: String?, answer: String?) {
        self.text = text
        self.request = request
        self.answer = answer
    }
}

/// How much a broken rule matters.
enum Severity {
    case failure, warning
}

extension Verdict {
    /// Looks at each exchange by itself, whether it was answered or not.
    ///
    /// - Parameters:
    ///   - reason: why there may be none.
    ///   - complaint: nil where the exchange is as it should be.
    static func eachAsked(
        _ exchanges: [Exchange], none reason: String, _ complaint: (Exchange) -> String?
    ) -> Verdict {
        of(exchanges, none: reason) { exchange in complaint(exchange).map { Finding($0, exchange) } }
    }

    /// Looks at each exchange by itself that was answered: of what was not, another rule says so, and nothing is passed by it.
    static func each(
        _ exchanges: [Exchange], none reason: String, as severity: Severity = .failure,
        _ complaint: (Exchange) -> String?
    ) -> Verdict {
        let answered = exchanges.filter { $0.answer != nil }
        let why = exchanges.isEmpty ? reason : "nothing was answered"
        return of(answered, none: why, as: severity) { exchange in complaint(exchange).map { Finding($0, exchange) } }
    }

    /// Looks at each answer by itself.
    static func eachAnswer(
        _ exchanges: [Exchange], none reason: String, as severity: Severity = .failure,
        _ complaint: (RawAnswer) -> String?
    ) -> Verdict {
        each(exchanges, none: reason, as: severity) { $0.answer.flatMap(complaint) }
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
