import Foundation
import Gatefold
import OutgoingRequests
import Settings

/// One call to a service: how it is asked, and what its answers mean.
struct ServiceCall: Sendable {
    /// What a service said.
    enum Outcome: Sendable, Equatable {
        case good([String: [String]])
        case refused([String: [String]])
    }

    let purpose: Purpose
    private let method: String
    private let url: URLTemplate
    private let headers: [(name: String, value: Template)]
    private let body: BodyTemplate?
    private let authorization: AuthorizationSettings?
    private let reader: AnswerReader
    private let good: [AnswerRule]
    private let refused: [AnswerRule]

    /// - Parameter needed: the name of a value that has to be in its answers.
    ///
    /// Reads `method`, `url`, `query`, `headers`, `body`, `authorization`, `read`, `recognised` (or `granted`), and `refused`.
    init(
        _ purpose: Purpose, _ section: SettingsSection, base: ServiceURL?, namespaces: [String: String],
        isAuthorizedByUs: Bool, needing needed: String? = nil
    ) throws(SettingsError) {
        self.purpose = purpose
        let bodies = try section.section("body")
        body = try BodyTemplate(bodies)
        try bodies.finish()
        method = try section.string("method", default: body == nil ? "GET" : "POST")
        guard ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"].contains(method), body == nil || method != "HEAD" else {
            throw section.error("method", expected: "expected GET, POST, PUT, PATCH, DELETE, or HEAD without a body")
        }
        let parameters = try section.templates("query")
        let text = try section.string("url", default: "")
        do {
            url = try URLTemplate(text, base: base, parameters: parameters)
        } catch {
            throw section.error("url", expected: error.expected)
        }
        headers = try Self.headers(section)
        if let body, case .text(let template, let type) = body, !template.names.isEmpty {
            let written = headers.filter { $0.name.lowercased() == "content-type" }.flatMap(\.value.parts)
            let types = [type] + written.compactMap { part in if case .literal(let text) = part { text } else { nil } }
            guard types.allSatisfy(BodyTemplate.isPlain), types.count == written.count + 1 else {
                throw section.error(
                    "body",
                    expected: "expected `form`, `json`, `xml` or `soap` for such a type: in `text` a value could be "
                        + "read as more than a value")
            }
        }
        authorization = try AuthorizationSettings(in: section)
        reader = try AnswerReader(section, namespaces: namespaces, needing: needed)
        var good = try section.rules(purpose.good, reader: reader)
        refused = try section.rules("refused", reader: reader)
        if good.isEmpty, purpose.needsEvidence {
            throw section.error(
                purpose.good, expected: "missing; expected the rule of an answer that is good news, such as {when: {…}}"
            )
        }
        if refused.isEmpty, purpose == .signIn || purpose == .verdict {
            throw section.error(
                "refused",
                expected: "missing; expected the rule of a refusal, such as {status: [401]}: "
                    + "whatever is neither is an outage")
        }
        if good.isEmpty {
            good = [try AnswerRule(try section.section(purpose.good), reader: reader, statuses: purpose.usualStatuses)]
        }
        if purpose.needsEvidence, good.contains(where: { !$0.hasEvidence && !$0.isDeclaredByStatus }) {
            throw section.error(
                purpose.good,
                expected: "expected `when` or `has`, because a page put in between has a good status, too; "
                    + "`by_status: true` where the status alone is the service's answer")
        }
        if refused.contains(where: { !$0.hasEvidence && !$0.isDeclaredByStatus }) {
            throw section.error(
                "refused",
                expected: "expected `when` or `has`, because the status alone may be meant for us and not for the "
                    + "reader, or be somebody else's; `by_status: true` where it is the service's answer")
        }
        let isOurs = authorization.map(\.isOurs) ?? isAuthorizedByUs
        if isOurs, refused.contains(where: { $0.includes(status: 401) && !$0.hasEvidence }) {
            throw section.error(
                "refused",
                expected: "expected `when` or `has` beside the status 401, because it may refuse our own authorization")
        }
        self.good = good
        try section.finish()
    }

    /// Whether good news must say something that a page put in between does not.
    var hasEvidence: Bool { good.allSatisfy { $0.hasEvidence || $0.isDeclaredByStatus } }

    /// Where one of the names in `read` is found.
    func expression(_ name: String) -> ReadExpression? { reader.expression(name) }

    /// Whether everything of ours that goes into the request can be carried: what is typed or read must be all that can not.
    ///
    /// - Throws: ``Unsendable``.
    func check(constants: [String: String], authorization standard: AuthorizationSettings) throws(Unsendable) {
        let authorization = authorization ?? standard
        let names = names.union(authorization.names)
        let samples = Dictionary(names.map { ($0, "x") }) { first, _ in first }
        let values = TemplateValues(samples).adding(constants)
        _ = try question(values)
        try authorization.check(values)
    }

    private static func headers(
        _ section: SettingsSection
    ) throws(SettingsError) -> [(name: String, value: Template)] {
        let headers = try section.templates("headers")
        let isOurs: Set<String> = [
            "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade", "te",
        ]
        for header in headers {
            let isToken = header.name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+\-.^_`|~]+/) != nil
            let literal = header.value.parts.allSatisfy { part in
                if case .literal(let text) = part { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } } else { true }
            }
            guard isToken, literal, !isOurs.contains(header.name.lowercased()) else {
                throw section.error(
                    "headers", expected: "expected other headers than those of the connection, in printable ASCII")
            }
        }
        return headers
    }

    /// The values that go into the request.
    var names: Set<String> {
        var names = url.names.union(body?.names ?? []).union(authorization?.names ?? [])
        for header in headers { names.formUnion(header.value.names) }
        return names
    }

    /// What it reads from an answer.
    var read: [String] { reader.names }

    /// Opens the call's own authorization, where it has one.
    func ownAuthorization(_ open: (AuthorizationSettings) -> any Authorization) -> (any Authorization)? {
        authorization.map(open)
    }

    /// - Throws: ``Unsendable``.
    func question(_ values: TemplateValues) throws(Unsendable) -> HTTPQuestion {
        var question = HTTPQuestion(method: method, url: try url.url(values))
        question.hasMeaningFor401 = (good + refused).contains { $0.includes(status: 401) }
        question.isRepeatable = purpose.isQuestion || ["GET", "HEAD"].contains(method)
        if let body {
            let rendered = try body.render(values)
            question.body = rendered.bytes
            question.headers += rendered.headers
        }
        for header in headers {
            let value = try header.value.render(values, in: header.value.parts.count > 1 ? .headerPart : .header)
            // Spaces around a value are taken off on its way: two readers could become one.
            guard !value.hasPrefix(" "), !value.hasSuffix(" ") else { throw Unsendable() }
            question.headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
            question.headers.append(HTTPQuestion.Header(name: header.name, value: value))
        }
        return question
    }

    /// What an answer means.
    ///
    /// - Throws: ``ServiceFailure`` for an answer that is neither good news nor a refusal, or both.
    func outcome(of answer: HTTPAnswer) throws(ServiceFailure) -> Outcome {
        let values = reader.values(in: answer)
        let isGood = good.contains { $0.matches(answer, values) }
        let isRefused = refused.contains { $0.matches(answer, values) }
        if SOAPFault.isIn(answer) {
            // A fault is bad news of any kind, unless a rule knows it by what it says.
            guard refused.contains(where: { $0.hasEvidence && $0.matches(answer, values) }) else {
                throw .fault(purpose)
            }
            return .refused(values.texts)
        }
        switch (isGood, isRefused) {
        case (true, false): return .good(values.texts)
        case (false, true): return .refused(values.texts)
        case (true, true): throw .contradictory(purpose)
        case (false, false): throw .notUnderstood(purpose, status: answer.status)
        }
    }
}
