public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging

/// The services that a Baker app calls (PROTOCOLS section 2): HTTP in, use cases asked, JSON out.
///
/// Success is exactly 200, or 303 where a download begins; nothing that failed is ever answered with 200. Paths are each
/// publication's own, so this stands before a router and leaves it every other path.
public struct BakerFrontDoor<Context: RequestContext>: RouterMiddleware {
    private let storefronts: @Sendable () -> Storefronts
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - storefronts: asked for every request, so that a reload takes effect at once.
    ///   - client: the address a request comes from, as far as the listener can say.
    public init(
        storefronts: @escaping @Sendable () -> Storefronts,
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.storefronts = storefronts
        self.client = client
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let storefronts = storefronts()
        let routes = storefronts.baker.routes(of: request.uri.path)
        guard let first = routes.first else { return try await next(request, context) }
        // The template, not the path: a metric must not grow with what strangers ask for.
        context.coreContext.endpointPath.value = first.template.description
        let methods = first.call.methods
        if request.method == .options { return JSONAnswer.options(methods) }
        guard methods.contains(request.method) else { return JSONAnswer.methodNotAllowed(methods) }
        let fields: BakerFields
        do {
            fields = try await BakerFields(request)
        } catch let refusal as RequestRefusal {
            return JSONAnswer.refused(refusal)
        }
        return try await answer(request, routes, fields, storefronts, context)
    }

    /// Asks the storefront of the app that calls, by that one's own paths.
    private func answer(
        _ request: Request, _ routes: [BakerRoutes.Route], _ fields: BakerFields, _ storefronts: Storefronts,
        _ context: Context
    ) async throws -> Response {
        var isNamed = false
        for route in routes {
            let fields = fields.with(route.match.values)
            guard let app = fields.app else { continue }
            isNamed = true
            guard let front = storefronts[app], front.baker?[route.call] == route.template,
                route.call.methods.contains(request.method)
            else { continue }
            context.coreContext.endpointPath.value = route.template.description
            let question = BakerQuestion(
                front: front, app: app, fields: fields, inquiry: fields.inquiry(client(request, context)))
            do {
                return try await question.answer(route.call, request)
            } catch let failure as Unavailable {
                return JSONAnswer.unavailable(failure)
            } catch {
                // The type alone: an error's text may quote what the app sent.
                context.logger.error(
                    "A call failed unexpectedly",
                    metadata: ["call": "\(route.call.rawValue)", "error": "\(String(describing: type(of: error)))"])
                return JSONAnswer.unavailable(Unavailable(retryAfter: 30, cause: ""))
            }
        }
        return isNamed ? JSONAnswer.error(.notFound, "unknown app") : JSONAnswer.error(.badRequest, "app_id is missing")
    }
}
