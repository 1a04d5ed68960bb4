package import Gatefold
package import HTTPTypes
package import JSON

/// An operation of the admin API. Everything that decides who may call it and with which values is in this declaration, and
/// ``AdminAPI`` enforces it. The handler does the rest.
///
/// - Parameter Services: What the handlers use.
package struct AdminOperation<Services: Sendable>: Sendable {
    package typealias Handler = @Sendable (Services, AdminCall) async throws -> AdminResult

    /// The publications that the token must be for.
    package enum Reach: Sendable, Equatable {
        /// The publication in the path.
        case publication
        /// The publications of the token: the handler shows only those.
        case scoped
        /// All publications, because the operation reaches beyond one.
        case everything
    }

    /// The name, which never changes, such as `listEditions`.
    package let id: String
    package let method: HTTPRequest.Method
    package let path: PathTemplate
    package let role: AdminRole
    package let reach: Reach
    package let summary: String
    package let description: String
    /// The parameters in the path, except the publication.
    package let pathParameters: [AdminProperty]
    package let query: [AdminProperty]
    package let body: AdminBody?
    package let success: AdminSuccess
    /// The action in the audit log; nil if the operation neither changes anything nor reveals a person.
    package let audits: AuditAction?
    /// Whether the operation changes something.
    package let isChange: Bool
    /// Whether a repetition of the change does no harm, so that a request needs no idempotency key. One that has a key is
    /// made once nevertheless.
    package let isRepeatable: Bool
    package let handler: Handler

    package init(
        _ id: String, _ method: HTTPRequest.Method, _ path: String, role: AdminRole, reach: Reach,
        summary: String, description: String = "", pathParameters: [AdminProperty] = [],
        query: [AdminProperty] = [], body: AdminBody? = nil, success: AdminSuccess,
        audits: AuditAction? = nil, isChange: Bool = false, isRepeatable: Bool = false,
        handler: @escaping Handler
    ) {
        self.id = id
        self.method = method
        self.path = PathTemplate(path)
        self.role = role
        self.reach = reach
        self.summary = summary
        self.description = description
        self.pathParameters = pathParameters
        self.query = query
        self.body = body
        self.success = success
        self.audits = audits
        self.isChange = isChange
        self.isRepeatable = isRepeatable
        self.handler = handler
    }

    /// Whether a request must have an idempotency key. DELETE needs none: a repetition changes nothing.
    package var needsKey: Bool { isChange && method == .post && !isRepeatable }
}

/// The body of a request.
package struct AdminBody: Sendable {
    package let properties: [AdminProperty]
    /// A complete example, which a test sends to a real server.
    package let example: JSONValue

    package init(_ properties: [AdminProperty], example: JSONValue) {
        self.properties = properties
        self.example = example
    }

    var schema: AdminSchema { .object(properties) }
}

/// The response of an operation that succeeds.
package struct AdminSuccess: Sendable {
    package let status: Int
    /// The body; nil for status 204.
    package let schema: AdminSchema?
    package let description: String
    /// Whether the body is a page of a list, see ``AdminPage``.
    package let isPage: Bool

    package static func json(_ schema: AdminSchema, _ description: String) -> AdminSuccess {
        AdminSuccess(status: 200, schema: schema, description: description, isPage: false)
    }

    package static func page(of item: AdminSchema, _ description: String) -> AdminSuccess {
        AdminSuccess(status: 200, schema: AdminPage.schema(of: item), description: description, isPage: true)
    }

    package static func nothing(_ description: String) -> AdminSuccess {
        AdminSuccess(status: 204, schema: nil, description: description, isPage: false)
    }
}

/// What a handler returns: the body of a successful response; nil for none.
package typealias AdminResult = JSONValue?
