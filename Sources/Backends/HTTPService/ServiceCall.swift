import Foundation
import OutgoingRequests
import Primitives
import Settings

/// One call to a service: its request, and the meaning of its responses.
struct ServiceCall: Sendable {
    /// The meaning of a service's response.
    enum Outcome: Sendable, Equatable {
        case good([String: [String]])
        case rejected([String: [String]])
    }

    let purpose: Purpose
    private let method: String
    private let url: URLTemplate
    private let headers: [(name: String, value: PlaceholderTemplate)]
    private let body: BodyTemplate?
    private let authorization: AuthorizationSettings?
    private let reader: ResponseReader
    private let good: [ResponseRule]
    private let rejected: [ResponseRule]

    /// Reads `method`, `url`, `query`, `headers`, `body`, `authorization`, `read`, `authenticated` (or `granted`), and
    /// `rejected`.
    ///
    /// - Parameter needed: the name of a value that every response must contain.
    init(
        _ purpose: Purpose, _ section: SettingsSection, base: ServiceURL?, namespaces: [String: String],
        usesServiceAccount: Bool, requiring needed: String? = nil
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
            throw section.error("url", expected: "\(error)")
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
        reader = try ResponseReader(section, namespaces: namespaces, requiring: needed)
        var good = try section.rules(purpose.good, reader: reader)
        rejected = try section.rules("rejected", reader: reader)
        if good.isEmpty, purpose.needsEvidence {
            throw section.error(
                purpose.good, expected: "missing; expected the rule of a success, such as {when: {…}}"
            )
        }
        if rejected.isEmpty, purpose == .signIn || purpose == .verdict {
            throw section.error(
                "rejected",
                expected: "missing; expected the rule of a rejection, such as {status: [401]}: "
                    + "any other response is an outage")
        }
        if good.isEmpty {
            good = [
                try ResponseRule(try section.section(purpose.good), reader: reader, statuses: purpose.defaultStatuses)
            ]
        }
        if purpose.needsEvidence, good.contains(where: { !$0.hasEvidence && !$0.isDeclaredByStatus }) {
            throw section.error(
                purpose.good,
                expected: "expected `when` or `has`, because an intermediary's page has a success status, too; "
                    + "`by_status: true` where the status alone is decisive")
        }
        if rejected.contains(where: { !$0.hasEvidence && !$0.isDeclaredByStatus }) {
            throw section.error(
                "rejected",
                expected: "expected `when` or `has`, because the status alone may concern Gatefold and not the "
                    + "reader, or come from an intermediary; `by_status: true` where it is decisive")
        }
        let isServiceAccount = authorization.map(\.isServiceAccount) ?? usesServiceAccount
        if isServiceAccount, rejected.contains(where: { $0.includes(status: 401) && !$0.hasEvidence }) {
            throw section.error(
                "rejected",
                expected: "expected `when` or `has` beside the status 401, because it may reject our own authorization")
        }
        self.good = good
        try section.finish()
    }

    /// A Boolean value that indicates whether a positive response must contain content that no page of an
    /// intermediary has, or is declared by its status.
    var hasEvidence: Bool { good.allSatisfy { $0.hasEvidence || $0.isDeclaredByStatus } }

    /// Returns the expression of a name in `read`.
    func expression(_ name: String) -> ReadExpression? { reader.expression(name) }

    /// Checks that every configured value in the request can be sent. Only values that readers type or that
    /// responses contain may fail later.
    ///
    /// - Throws: ``UnsendableValue``.
    func check(constants: [String: String], authorization standard: AuthorizationSettings) throws(UnsendableValue) {
        let authorization = authorization ?? standard
        let names = names.union(authorization.names)
        let samples = Dictionary(names.map { ($0, "x") }) { first, _ in first }
        let values = TemplateValues(samples).adding(constants)
        _ = try request(values)
        try authorization.check(values)
    }

    private static func headers(
        _ section: SettingsSection
    ) throws(SettingsError) -> [(name: String, value: PlaceholderTemplate)] {
        let headers = try section.templates("headers")
        let isServiceAccount: Set<String> = [
            "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade", "te",
        ]
        for header in headers {
            let isToken = header.name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+\-.^_`|~]+/) != nil
            let literal = header.value.parts.allSatisfy { part in
                if case .literal(let text) = part { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } } else { true }
            }
            guard isToken, literal, !isServiceAccount.contains(header.name.lowercased()) else {
                throw section.error(
                    "headers", expected: "expected other headers than those of the connection, in printable ASCII")
            }
        }
        return headers
    }

    /// The names of the values in the request.
    var names: Set<String> {
        var names = url.names.union(body?.names ?? []).union(authorization?.names ?? [])
        for header in headers { names.formUnion(header.value.names) }
        return names
    }

    /// The names of the values that the call reads from a response.
    var read: [String] { reader.names }

    /// Opens the call's own authorization. Returns nil when the call has none.
    func ownAuthorization(_ open: (AuthorizationSettings) -> any Authorization) -> (any Authorization)? {
        authorization.map(open)
    }

    /// Renders the request.
    ///
    /// - Throws: ``UnsendableValue`` for a value that is missing or cannot be sent.
    func request(_ values: TemplateValues) throws(UnsendableValue) -> OutboundRequest {
        var request = OutboundRequest(method: method, url: try url.url(values))
        request.accepts401 = (good + rejected).contains { $0.includes(status: 401) }
        request.isRepeatable = purpose.isQuery || ["GET", "HEAD"].contains(method)
        if let body {
            let rendered = try body.render(values)
            request.body = rendered.bytes
            request.headers += rendered.headers
        }
        for header in headers {
            let value = try header.value.render(values, in: header.value.parts.count > 1 ? .headerPart : .header)
            // Servers strip spaces around a header value, which could make the values of two readers equal.
            guard !value.hasPrefix(" "), !value.hasSuffix(" ") else { throw UnsendableValue() }
            request.headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
            request.headers.append(OutboundRequest.Header(name: header.name, value: value))
        }
        return request
    }

    /// Returns the meaning of a response.
    ///
    /// - Throws: ``ServiceFailure`` for a response that is neither positive nor a rejection, or both.
    func outcome(of response: OutboundResponse) throws(ServiceFailure) -> Outcome {
        let values = reader.values(in: response)
        let isGood = good.contains { $0.matches(response, values) }
        let isRejected = rejected.contains { $0.matches(response, values) }
        if SOAPFault.isIn(response) {
            // A fault can have any cause, so it is a rejection only when a rule matches its content.
            guard rejected.contains(where: { $0.hasEvidence && $0.matches(response, values) }) else {
                throw .fault(purpose)
            }
            return .rejected(values.texts)
        }
        switch (isGood, isRejected) {
        case (true, false): return .good(values.texts)
        case (false, true): return .rejected(values.texts)
        case (true, true): throw .contradictory(purpose)
        case (false, false): throw .unrecognizedResponse(purpose, status: response.status)
        }
    }
}
