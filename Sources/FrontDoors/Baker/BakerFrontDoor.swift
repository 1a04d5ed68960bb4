public import Gatefold
import HTTPTypes
public import Hummingbird

/// The services that a Baker app calls. They translate HTTP requests to use cases and results to JSON.
///
/// Success is exactly 200, or 303 if a download begins. A failure never has the status 200. Each publication has
/// its own paths, so this middleware runs before a router and passes on every other path.
///
/// Source: Baker protocol, “Success is exactly 200”.
public struct BakerFrontDoor<Context: RequestContext>: RouterMiddleware {
    private let storefronts: @Sendable () -> Storefronts
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - storefronts: Returns the storefronts for each request, so that a reload takes effect at once.
    ///   - client: Returns the address that a request comes from, as far as the listener knows.
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
        // The metric label is the template, not the path, so that requests of strangers cannot add labels.
        context.coreContext.endpointPath.value = first.template.description
        // The same path may be one call of this publication and another call of that publication.
        let methods = routes.map(\.call).methods
        if request.method == .options { return JSONResponse.options(methods) }
        guard methods.contains(request.method) else { return JSONResponse.methodNotAllowed(methods) }
        do {
            let fields = try await BakerFields(request)
            guard let (route, front, app) = storefronts.route(among: routes, fields, request.method) else {
                let isNamed = routes.contains { fields.with($0.match.values).app != nil }
                return isNamed
                    ? JSONResponse.error(.notFound, "unknown app")
                    : JSONResponse.error(.badRequest, "app_id is missing")
            }
            context.coreContext.endpointPath.value = route.template.description
            let known = fields.with(route.match.values)
            let handler = BakerRequestHandler(
                front: front, app: app, fields: known, context: known.context(client(request, context)))
            return await route.call.respond(request, context) { try await handler.respond(route.call, request) }
        } catch {
            return first.call.failure(error, context)
        }
    }
}

extension Storefronts {
    /// Returns whether a route is a call of an app in this configuration. A path that begins with an app belongs to
    /// other handlers unless it matches the publication's own call.
    fileprivate func owns(_ route: BakerRoutes.Route) -> Bool {
        guard route.template.beginsWithApp else { return true }
        return route.match.app.flatMap { self[$0] }?.baker?[route.call] == route.template
    }

    /// Returns the route of the calling app. A route without the request's method is returned only if there is no
    /// other.
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
    /// The methods of all calls, each once, in the order of the calls.
    fileprivate var methods: [HTTPRequest.Method] {
        var seen: Set<HTTPRequest.Method> = []
        return flatMap(\.methods).filter { seen.insert($0).inserted }
    }
}
