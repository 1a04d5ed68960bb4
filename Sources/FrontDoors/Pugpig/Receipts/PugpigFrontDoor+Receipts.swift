import Gatefold
import HTTPTypes
import Hummingbird

/// Edition credentials for a store's receipt (PROTOCOLS 1.6): the same document, whatever the store.
extension PugpigFrontDoor {
    func addReceiptRoutes(to router: Router<Context>) {
        for call in PugpigReceiptCall.allCases {
            for path in call.paths {
                for method in HTTPRequest.Method.every {
                    router.on(RouterPath(path), method: method) { request, context in
                        try await respond(to: call, request, context)
                    }
                }
            }
        }
    }

    private func respond(
        to call: PugpigReceiptCall, _ request: Request, _ context: Context
    ) async throws -> Response {
        guard let proxy = call.publication(in: request.uri.path).flatMap({ publications().proxy(for: $0) }) else {
            return PugpigResponse.notFound()
        }
        switch request.method {
        case .get, .post: break
        case .head: return PugpigResponse.head(of: .editionCredentials)
        case .options: return PugpigResponse.options()
        default: return PugpigResponse.methodNotAllowed()
        }
        let asked: PugpigReceiptRequest
        do {
            asked = try await PugpigReceiptRequest.read(call, request)
        } catch let refusal as RequestRefusal {
            return PugpigResponse.refused(refusal)
        } catch let incomplete as PugpigReceiptRequest.Incomplete {
            return PugpigResponse.incomplete(incomplete.text)
        }
        let inquiry = inquiry(asked.fields, request, context)
        do {
            return PugpigResponse.credentials(
                try await proxy.editionCredentials(
                    for: asked.requested, showing: asked.receipt, from: call.kind, app: asked.app, inquiry)
            ).response
        } catch {
            return failure(error, of: .editionCredentials, proxy, inquiry, context)
        }
    }
}
