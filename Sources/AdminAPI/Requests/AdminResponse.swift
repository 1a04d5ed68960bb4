package import HTTPTypes
import JSON

/// A response of the admin API.
package struct AdminResponse: Sendable, Equatable {
    package let status: Int
    package var fields: HTTPFields
    package let body: [UInt8]
    /// The path template of the operation, for logs; nil for none.
    package var route: String?

    /// Creates the response of an operation.
    ///
    /// - Parameter json: The body as bytes; nil for none.
    init(_ status: Int, json: [UInt8]?) {
        self.status = status
        body = json ?? []
        fields = Self.common
        if json != nil { fields[.contentType] = "application/json" }
    }

    init(_ problem: AdminProblem) {
        status = problem.status
        body = JSONWriter.bytes(problem.json)
        fields = Self.common
        fields[.contentType] = "application/problem+json"
        if let seconds = problem.retryAfter { fields[.retryAfter] = String(seconds) }
        if !problem.allow.isEmpty { fields[.allow] = problem.allow.joined(separator: ", ") }
        if problem.status == 401 { fields[.wwwAuthenticate] = "Bearer" }
    }

    /// The fields of every response: no cache stores it, and no browser takes it for another type.
    private static let common: HTTPFields = {
        var fields: HTTPFields = [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
        if let policy = HTTPField.Name("Content-Security-Policy") {
            fields[policy] = "default-src 'none'; frame-ancestors 'none'"
        }
        return fields
    }()
}
