package import HTTPTypes

/// A response of the console.
package struct ConsoleResponse: Sendable {
    package let status: Int
    package private(set) var fields: HTTPFields
    package let body: [UInt8]
    /// The pattern of the path, for logs and metrics. It begins with a colon where a value is, so that the log has no link.
    package var route: String

    static func page(_ html: String, status: Int, route: String) -> ConsoleResponse {
        ConsoleResponse(status, "text/html; charset=utf-8", Array(html.utf8), route)
    }

    static func style(_ text: [UInt8], route: String) -> ConsoleResponse {
        ConsoleResponse(200, "text/css; charset=utf-8", text, route)
    }

    /// - Parameter path: The path below that of the console.
    static func redirect(to path: String, route: String) -> ConsoleResponse {
        var response = ConsoleResponse(303, nil, [], route)
        response.fields[.location] = Console.root + path
        return response
    }

    func setting(cookie: String) -> ConsoleResponse {
        var response = self
        response.fields[.setCookie] = cookie
        return response
    }

    private init(_ status: Int, _ type: String?, _ body: [UInt8], _ route: String) {
        self.status = status
        self.body = body
        self.route = route
        fields = Self.common
        fields[.contentType] = type
    }

    /// The fields of every response. There is no script, so that the policy permits none.
    private static let common: HTTPFields = {
        var fields: HTTPFields = [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
        for (name, value) in [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
                    + "frame-ancestors 'none'"
            ),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()
}
