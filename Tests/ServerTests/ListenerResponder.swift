import FrontDoors
import Hummingbird
import NIOEmbedded

@testable import Server

/// The responder of a listener with a router, for tests that need no connection.
struct ListenerResponder: HTTPResponder {
    let router: MainRouter

    func respond(to request: Request, context: GatefoldRequestContext) async throws -> Response {
        try await RequestResponder(router, logger: context.logger)
            .respond(to: request, on: RequestConnection(EmbeddedChannel()))
    }
}
