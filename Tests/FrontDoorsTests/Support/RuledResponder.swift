import ContentGate
import FrontDoors
import Hummingbird

/// A responder of routes under the rules of all responses, as in the server.
struct RuledResponder: HTTPResponder {
    let table: RouteTable
    /// The responder for content, which comes before the routes.
    var content: ContentResponder<GatefoldRequestContext>?

    func respond(to request: Request, context: GatefoldRequestContext) async throws -> Response {
        var response = try await ResponseRules.response(to: request, in: context) { request, context in
            guard let content else { return try await table.respond(to: request, context: context) }
            return try await content.handle(request, context: context) {
                try await table.respond(to: $0, context: $1)
            }
        }
        NoCacheHeaders.applyUnlessSet(to: &response.headers)
        return response
    }
}
