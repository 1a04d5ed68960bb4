import HTTPTypes
import Hummingbird

/// What browsers want to be told before scripts may call and read (the Fetch standard, "CORS protocol").
enum CrossOrigin {
    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    private static let fields = ["Authorization", "Content-Type", "Accept", "Authentication-Type"]
    private static let mostFields = 20

    /// - Parameter allowed: the origin that may read; nil for none.
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

    /// Ours, and those that the page asks for: none of them means anything to us.
    private static func requested(_ request: Request) -> [String] {
        let asked = (request.headers[.accessControlRequestHeaders] ?? "").split(separator: ",").prefix(mostFields)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
            .filter { name in HTTPField.Name(name) != nil && name.utf8.count <= 64 }
        return fields
            + asked.filter { name in !fields.contains { $0.lowercased() == name.lowercased() } }
    }
}
