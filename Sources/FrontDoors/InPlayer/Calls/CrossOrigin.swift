import HTTPTypes
import Hummingbird

/// The headers that browsers require before scripts may call and read (the Fetch standard, "CORS protocol").
enum CrossOrigin {
    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    private static let fields = ["Authorization", "Content-Type", "Accept", "Authentication-Type"]
    private static let maxFields = 20

    /// - Parameter allowed: The origin that may read responses, or `nil` for none.
    static func preflight(_ request: Request, allowed: String?) -> Response {
        var headers: HTTPFields = [.allow: methods]
        if let allowed {
            headers[.accessControlAllowOrigin] = allowed
            headers[.accessControlAllowMethods] = methods
            headers[.accessControlAllowHeaders] = requested(request).joined(separator: ", ")
            headers[.accessControlMaxAge] = "600"
        }
        headers[.vary] = "Origin, Access-Control-Request-Headers"
        return Response(status: .noContent, headers: headers)
    }

    static func add(_ allowed: String?, to response: inout Response) {
        if allowed != "*" { response.headers[.vary] = "Origin" }
        guard let allowed else { return }
        response.headers[.accessControlAllowOrigin] = allowed
        response.headers[.accessControlExposeHeaders] = "Retry-After, WWW-Authenticate"
    }

    /// Returns Gatefold's own fields and those that the page requests. Allowing them is safe, because Gatefold
    /// ignores them.
    private static func requested(_ request: Request) -> [String] {
        let requestedNames = (request.headers[.accessControlRequestHeaders] ?? "").split(separator: ",").prefix(
            maxFields
        )
        .map { $0.filter { $0 != " " && $0 != "\t" } }
        .filter { name in HTTPField.Name(name) != nil && name.utf8.count <= 64 }
        return fields
            + requestedNames.filter { name in !fields.contains { $0.lowercased() == name.lowercased() } }
    }
}
