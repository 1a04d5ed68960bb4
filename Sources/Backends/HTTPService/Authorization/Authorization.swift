import Foundation
import Gatefold
import OutgoingRequests
import Settings

/// How a request says who asks.
protocol Authorization: Sendable {
    /// The values of templates it needs; none where the service's own credentials are meant.
    var names: Set<String> { get }

    /// Sends the request with whatever says so, twice where the first answer asks for it.
    func send(
        _ question: HTTPQuestion, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> HTTPAnswer
}

/// A user and a password, of the service's own account or of the reader.
struct AccountTemplate: Sendable {
    let user: Template
    private let password: Template

    /// Reads `user`, a template, and `password`: a template of nothing but values, or `{file: PATH}` or `{env: NAME}`.
    init(_ section: SettingsSection) throws(SettingsError) {
        user = try section.using("user") { text throws(Template.Unusable) in try Template(text) }
        if case .scalar = section.written("password")?.content {
            password = try section.using("password") { text throws(Template.Unusable) in
                let template = try Template(text)
                guard !template.names.isEmpty else {
                    throw Template.Unusable(
                        expected: "expected {file: PATH}, {env: NAME} or a value such as {password}")
                }
                return template
            }
        } else {
            guard let secret = try section.foreignSecret("password") else {
                throw section.error("password", expected: "missing; expected {file: PATH}, {env: NAME} or a value")
            }
            password = Template(parts: [.literal(secret)])
        }
        try section.finish()
    }

    var names: Set<String> { user.names.union(password.names) }

    /// - Throws: ``Unsendable`` for control characters, and for a user with a colon, which would be read as part of the
    ///   password (RFC 7617 section 2) or of the realm (RFC 7616 section 3.4.2).
    func render(_ values: TemplateValues) throws(Unsendable) -> (user: String, password: String) {
        let user = try TemplatePlace.header.write(try user.render(values, in: .asIs))
        guard !user.contains(":") else { throw Unsendable() }
        return (user, try TemplatePlace.header.write(try password.render(values, in: .asIs)))
    }
}

/// `Authorization: Basic` (RFC 7617), in UTF-8.
struct BasicAuthorization: Authorization {
    let account: AccountTemplate

    var names: Set<String> { account.names }

    func send(
        _ question: HTTPQuestion, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> HTTPAnswer {
        var question = question
        question.headers.append(HTTPQuestion.Header(name: "Authorization", value: try header(values)))
        return try await http.send(question)
    }

    /// - Throws: ``Unsendable``.
    func header(_ values: TemplateValues) throws(Unsendable) -> String {
        let (user, password) = try account.render(values)
        return "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }
}

/// `Authorization: Bearer` (RFC 6750 section 2.1) with a token that lasts.
struct BearerAuthorization: Authorization {
    let token: String

    var names: Set<String> { [] }

    func send(
        _ question: HTTPQuestion, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> HTTPAnswer {
        var question = question
        question.headers.append(HTTPQuestion.Header(name: "Authorization", value: "Bearer \(token)"))
        return try await http.send(question)
    }

    /// Whether a text may stand as a token: printable ASCII without spaces.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// Nothing says who asks.
struct NoAuthorization: Authorization {
    var names: Set<String> { [] }

    func send(
        _ question: HTTPQuestion, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> HTTPAnswer {
        try await http.send(question)
    }
}
