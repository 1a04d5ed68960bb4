package import JSON

/// An error of the admin API, as problem details (RFC 9457).
///
/// A problem contains no value of the request, so that a response cannot carry a script, a secret or a name.
package struct AdminProblem: Error, Sendable, Equatable {
    /// A member of the request that is not as expected.
    package struct Fault: Sendable, Equatable {
        /// A JSON Pointer into the body, or the name of a parameter.
        package let location: String
        package let expected: String

        package init(_ location: String, _ expected: String) {
            self.location = location
            self.expected = expected
        }
    }

    package let status: Int
    /// The end of the problem's type, which never changes.
    package let code: String
    package let title: String
    package var detail: String?
    package var faults: [Fault] = []
    /// The number of seconds after which the request may succeed.
    package var retryAfter: Int?
    /// The methods of the path, for status 405.
    package var allow: [String] = []

    package init(_ status: Int, _ code: String, _ title: String, detail: String? = nil, faults: [Fault] = []) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.faults = faults
    }

    /// No valid token. All causes have the same response, so that it is no oracle.
    package static let unauthenticated = AdminProblem(401, "unauthenticated", "A valid token is required")
    package static let forbidden = AdminProblem(403, "forbidden", "The token does not permit this operation")
    /// No such object, or one of a publication outside the token's scope. Both have the same response.
    package static let notFound = AdminProblem(404, "not-found", "Not found")
    package static let conflict = AdminProblem(
        409, "request-running", "Another request with this idempotency key is running"
    ).retrying(after: 1)
    package static let tooLarge = AdminProblem(413, "too-large", "The body is too large")
    package static let unsupportedType = AdminProblem(
        415, "unsupported-media-type", "Expected a body of the type application/json")
    package static let otherRequest = AdminProblem(
        422, "idempotency-key-reused", "The idempotency key belongs to another request")
    package static let failed = AdminProblem(500, "internal-error", "The request failed unexpectedly")
    package static let unavailable = AdminProblem(
        503, "state-unavailable", "The state is unavailable"
    ).retrying(after: 5)

    package static func tooMany(after seconds: Int) -> AdminProblem {
        AdminProblem(429, "too-many-requests", "Too many requests").retrying(after: seconds)
    }

    package static func invalid(_ faults: Fault...) -> AdminProblem { invalid(faults) }

    package static func invalid(_ faults: [Fault]) -> AdminProblem {
        AdminProblem(400, "invalid-request", "The request is not as the API describes it", faults: faults)
    }

    static func methodNotAllowed(_ allow: [String]) -> AdminProblem {
        var problem = AdminProblem(405, "method-not-allowed", "The path does not support the method")
        problem.allow = allow
        return problem
    }

    package func retrying(after seconds: Int) -> AdminProblem {
        var problem = self
        problem.retryAfter = seconds
        return problem
    }

    static let typePrefix = "urn:gatefold:problem:"

    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "type", value: .string(Self.typePrefix + code)), .init(name: "title", value: .string(title)),
            .init(name: "status", value: .number(String(status))),
        ]
        if let detail { members.append(.init(name: "detail", value: .string(detail))) }
        if !faults.isEmpty {
            members.append(
                .init(
                    name: "errors",
                    value: .array(
                        faults.map { ["location": .string($0.location), "expected": .string($0.expected)] })))
        }
        return .object(members)
    }

    static let schema = AdminSchema.object([
        AdminProperty("type", .string(.upTo(100)), "The kind of problem. It never changes."),
        AdminProperty("title", .string(.upTo(200)), "The kind of problem in words."),
        AdminProperty("status", .integer(400...599), "The status of the response."),
        AdminProperty("detail", .string(.upTo(500)), "More about this problem.", isRequired: false),
        AdminProperty(
            "errors",
            .list(
                .object([
                    AdminProperty("location", .string(.upTo(200)), "A JSON Pointer into the body, or a parameter."),
                    AdminProperty("expected", .string(.upTo(500)), "What the API expects there."),
                ])), "What is wrong with the request.", isRequired: false),
    ])
}
