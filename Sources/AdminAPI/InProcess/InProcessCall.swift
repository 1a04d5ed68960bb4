import HTTPTypes
package import JSON
import Primitives

/// A call of an operation of the admin API from within the process.
package struct InProcessCall: Sendable {
    /// The name of the operation, such as `getReader`.
    package let operation: String
    /// The values of the parameters in the path.
    package let path: [String: String]
    package let query: [String: String]
    /// The body; nil for none.
    package let body: JSONValue?
    /// The idempotency key; nil for none.
    package let key: String?

    package init(
        _ operation: String, path: [String: String] = [:], query: [String: String] = [:], body: JSONValue? = nil,
        key: String? = nil
    ) {
        self.operation = operation
        self.path = path
        self.query = query
        self.body = body
        self.key = key
    }

    /// Returns the request of the API that the call stands for.
    func request(of method: HTTPRequest.Method, at template: PathTemplate) -> AdminRequest {
        var fields = HTTPFields()
        if body != nil { fields[.contentType] = "application/json" }
        if let key { fields[IdempotencyKey.field] = key }
        let bytes = body.map(JSONWriter.bytes) ?? []
        return AdminRequest(
            method: method, path: template.path(with: path), query: query.isEmpty ? nil : Self.query(query),
            fields: fields, address: "local", isLocal: true
        ) { limit in bytes.count <= limit ? bytes : nil }
    }

    private static func query(_ values: [String: String]) -> String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
