public import Gatefold
import HTTPTypes
public import Hummingbird

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
        let routes = storefronts.baker.routes(of: request.uri.path).filter(storefronts.owns)
        guard let first = routes.first else { return try await next(request, context) }
        // The template, not the path: a metric must not grow with what strangers ask for.
        context.coreContext.endpointPath.value = first.template.description
        // One path may be one call of this publication and another call of that one.
        let methods = routes.map(\.call).methods
        if request.method == .options { return JSONAnswer.options(methods) }
        guard methods.contains(request.method) else { return JSONAnswer.methodNotAllowed(methods) }
        do {
            let fields = try await BakerFields(request)
            guard let (route, front, app) = storefronts.route(among: routes, fields, request.method) else {
                let isNamed = routes.contains { fields.with($0.match.values).app != nil }
                return isNamed
                    ? JSONAnswer.error(.notFound, "unknown app") : JSONAnswer.error(.badRequest, "app_id is missing")
            }
            context.coreContext.endpointPath.value = route.template.description
            let known = fields.with(route.match.values)
            let question = BakerQuestion(
                front: front, app: app, fields: known, inquiry: known.inquiry(client(request, context)))
            return await route.call.answer(request, context) { try await question.answer(route.call, request) }
        } catch {
            return first.call.failure(error, context)
        }
    }
}

extension Storefronts {
    /// Returns whether a route is a call of apps of ours: one that begins with the app is the path of anything else where that is none
    /// of the publication's.
    fileprivate func owns(_ route: BakerRoutes.Route) -> Bool {
        guard route.template.beginsWithApp else { return true }
        return route.match.app.flatMap { self[$0] }?.baker?[route.call] == route.template
    }

    /// The route among these that is the calling app's own; one without the request's method only where there is no other.
    fileprivate func route(
        among routes: [BakerRoutes.Route], _ fields: BakerFields, _ method: HTTPRequest.Method
    ) -> (BakerRoutes.Route, Storefront, app: String)? {
        let own = routes.compactMap { route -> (BakerRoutes.Route, Storefront, app: String)? in
            guard let app = fields.with(route.match.values).app, let front = self[app],
                front.baker?[route.call] == route.template
            else { return nil }
            return (route, front, app)
        }
        return own.first { $0.0.call.methods.contains(method) } ?? own.first
    }
}

extension [BakerCall] {
    /// Each once, in the order of the calls.
    fileprivate var methods: [HTTPRequest.Method] {
        var seen: Set<HTTPRequest.Method> = []
        return flatMap(\.methods).filter { seen.insert($0).inserted }
    }
}
