package import Hummingbird

/// A responder that finds the route of a request.
package final class RouteTable: HTTPResponder {
    package let routes: [Routes.Route]
    private let exact: RouteTree
    /// The routes that match paths with percent-escapes.
    private let unescaped: RouteTree

    package init(_ routes: Routes) {
        self.routes = routes.all
        var (exact, unescaped) = (RouteTree(), RouteTree())
        for (number, route) in routes.all.enumerated() {
            exact.insert(route.pattern, route: number)
            if route.matchesEscapes { unescaped.insert(route.pattern, route: number) }
        }
        self.exact = exact
        self.unescaped = unescaped
    }

    /// - Throws: `HTTPError` with 404 if no route handles the request.
    package func respond(to request: Request, context: GatefoldRequestContext) async throws -> Response {
        let path = request.uri.path
        if let response = try await respond(to: request, context, by: exact.routes(of: path)) { return response }
        if !unescaped.isEmpty, path.utf8.contains(UInt8(ascii: "%")) {
            let matches = unescaped.routes(of: Self.unescaped(path))
            if let response = try await respond(to: request, context, by: matches) { return response }
        }
        // A handler may have returned nil after its route was recorded.
        context.route = nil
        throw HTTPError(.notFound)
    }

    private func respond(
        to request: Request, _ context: GatefoldRequestContext, by matches: RouteMatches
    ) async throws -> Response? {
        guard let first = matches.first else { return nil }
        if let response = try await respond(to: request, context, by: routes[first]) { return response }
        for number in matches.rest {
            if let response = try await respond(to: request, context, by: routes[number]) { return response }
        }
        return nil
    }

    private func respond(
        to request: Request, _ context: GatefoldRequestContext, by route: Routes.Route
    ) async throws -> Response? {
        guard route.allows(request.method) else { return nil }
        context.route = route.pattern.description
        return try await route.handler(request, context)
    }

    /// Returns the path with its segments unescaped. An escaped slash becomes a character that no literal segment has,
    /// because it does not separate segments.
    private static func unescaped(_ path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).map {
            FormFields.unescaped($0).replacing("/", with: "\u{0}")
        }.joined(separator: "/")
    }
}
