import Foundation
import OutgoingRequests
import Primitives
import Settings

/// A method that authorizes the requests to a service.
protocol Authorization: Sendable {
    /// The names of the template values that the method needs. Empty when the method uses the service's own
    /// credentials.
    var names: Set<String> { get }

    /// Sends the request with the authorization added. Sends it again when the first response demands that.
    func send(
        _ request: OutboundRequest, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> OutboundResponse
}

/// A user name and a password, either of the service's own account or of the reader.
struct AccountTemplate: Sendable {
    let user: PlaceholderTemplate
    private let password: PlaceholderTemplate

    /// Reads `user`, a template, and `password`: a template that consists of values only, or `{file: PATH}` or
    /// `{env: NAME}`.
    init(_ section: SettingsSection) throws(SettingsError) {
        user = try section.using("user") { text throws(TemplateError) in try PlaceholderTemplate(text) }
        if case .scalar = section.written("password")?.content {
            password = try section.using("password") { text throws(TemplateError) in
                let template = try PlaceholderTemplate(text)
                guard !template.names.isEmpty else {
                    throw TemplateError(
                        expected: "{file: PATH}, {env: NAME} or a value such as {password}")
                }
                return template
            }
        } else {
            guard let secret = try section.externalSecret("password") else {
                throw section.error("password", expected: "missing; expected {file: PATH}, {env: NAME} or a value")
            }
            password = PlaceholderTemplate(parts: [.literal(secret)])
        }
        try section.finish()
    }

    var names: Set<String> { user.names.union(password.names) }

    /// Renders the user name and the password.
    ///
    /// - Throws: ``UnsendableValue`` for control characters, and for a user name with a colon, because servers read a
    ///   colon as the start of the password (RFC 7617 section 2) or of the realm (RFC 7616 section 3.4.2).
    func render(_ values: TemplateValues) throws(UnsendableValue) -> (user: String, password: String) {
        let user = try TemplateContext.header.write(try user.render(values, in: .plain))
        guard !user.contains(":") else { throw UnsendableValue() }
        return (user, try TemplateContext.header.write(try password.render(values, in: .plain)))
    }
}

/// `Authorization: Basic` (RFC 7617), in UTF-8.
struct BasicAuthorization: Authorization {
    let account: AccountTemplate

    var names: Set<String> { account.names }

    func send(
        _ request: OutboundRequest, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> OutboundResponse {
        var request = request
        request.headers.append(OutboundRequest.Header(name: "Authorization", value: try header(values)))
        return try await http.send(request)
    }

    /// Returns the value of the header.
    ///
    /// - Throws: ``UnsendableValue`` when the account cannot be sent.
    func header(_ values: TemplateValues) throws(UnsendableValue) -> String {
        let (user, password) = try account.render(values)
        return "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }
}

/// `Authorization: Bearer` (RFC 6750 section 2.1) with a fixed token.
struct BearerAuthorization: Authorization {
    let token: String

    var names: Set<String> { [] }

    func send(
        _ request: OutboundRequest, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> OutboundResponse {
        var request = request
        request.headers.append(OutboundRequest.Header(name: "Authorization", value: "Bearer \(token)"))
        return try await http.send(request)
    }

    /// Returns whether a text is usable as a token: printable ASCII without spaces.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// No authorization.
struct NoAuthorization: Authorization {
    var names: Set<String> { [] }

    func send(
        _ request: OutboundRequest, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> OutboundResponse {
        try await http.send(request)
    }
}
