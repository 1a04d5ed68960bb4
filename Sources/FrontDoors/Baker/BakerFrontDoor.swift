import ContentGate
import Gatefold
import HTTPTypes
import Hummingbird
package import Settings

/// The front door for Baker apps. Each publication has its own paths.
///
/// Source: Baker protocol, “Overview”.
package struct BakerFrontDoor: FrontDoor {
    package typealias PublicationSettings = BakerSettings

    package static let name = "Baker"
    package static let pathSegments = BakerCall.usualPathSegments
    package static let issuesDownloadTokens = true

    package init() {}

    package static func settings(
        in publication: SettingsSection, of outline: PublicationOutline
    ) throws(SettingsError) -> BakerSettings? {
        guard publication.has("baker") else { return nil }
        let settings = try BakerSettings.read(
            try publication.section("baker"), reserved: outline.reservedPathSegments)
        if settings != nil { try Storefront.check(outline, "baker", in: publication) }
        return settings
    }

    package static func check(_ outline: ConfigurationOutline) throws(SettingsError) {
        try Storefront.check(outline, of: self)
        for publication in outline.publications {
            if let conflict = conflict(of: publication, outline) {
                throw outline.error(publication, expected: conflict)
            }
        }
    }

    private static func conflict(of publication: PublicationOutline, _ outline: ConfigurationOutline) -> String? {
        guard let settings = publication.frontDoors[BakerFrontDoor.self] else { return nil }
        if let name = outline.names.first(where: settings.firstPathSegments.contains) {
            return "has a path in `baker` that begins with the publication \(name)"
        }
        guard settings.beginsWithApp else { return nil }
        let taken = publication.reservedPathSegments.union(outline.names)
            .union(outline.publications.compactMap { $0.content?.firstSegment })
            .union(outline.publications.flatMap { $0.frontDoors[BakerFrontDoor.self]?.firstPathSegments ?? [] })
        return publication.apps.first(where: taken.contains).map { app in
            "has a path in `baker` that begins with :app_id, and an app `\(app)`, with which other paths begin"
        }
    }

    package static func hasCall(at path: String, of publication: PublicationOutline) -> Bool {
        publication.frontDoors[BakerFrontDoor.self]?.hasCall(at: path, of: publication.apps) == true
    }

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        BakerSnapshot(
            publications.all.compactMap { publication in
                publication.settings[BakerFrontDoor.self].flatMap { settings in
                    Storefront(of: publication, using: services).map { BakerStorefront($0, settings) }
                }
            })
    }
}

/// A publication for Baker apps.
package struct BakerStorefront: Sendable {
    let storefront: Storefront
    let settings: BakerSettings

    package init(_ storefront: Storefront, _ settings: BakerSettings) {
        self.storefront = storefront
        self.settings = settings
    }
}

/// The services that Baker apps call, of the publications of one configuration. They translate HTTP requests to use
/// cases and results to JSON.
///
/// Success is exactly 200, or 303 if a download begins. A failure never has the status 200.
///
/// Source: Baker protocol, “Success is exactly 200”.
package struct BakerSnapshot: FrontDoorSnapshot {
    private let storefronts: [String: BakerStorefront]
    private let routes: BakerRoutes

    package init(_ all: [BakerStorefront]) {
        storefronts = Storefront.byApp(all, \.storefront)
        routes = BakerRoutes(all.map(\.settings))
    }

    /// Adds routes that match at least the paths of the calls. Parameters at the end of a path may be missing, and
    /// parameters may be empty, so the templates themselves decide.
    package func addRoutes(to routes: inout Routes) {
        let clients = routes.clients
        for pattern in self.routes.patterns {
            routes.on(RoutePattern(pattern), methods: .all) { request, context in
                await respond(to: request, context, clients)
            }
        }
    }

    private func respond(
        to request: Request, _ context: GatefoldRequestContext, _ clients: RequestClients
    ) async -> Response? {
        let routes = routes.routes(of: request.uri.path).filter(owns)
        guard let first = routes.first else { return nil }
        // The metric label is the template, not the path, so that requests of strangers cannot add labels.
        context.route = first.template.description
        // The same path may be one call of this publication and another call of that publication.
        let methods = routes.map(\.call).methods
        if request.method == .options { return JSONResponse.options(methods) }
        guard methods.contains(request.method) else { return JSONResponse.methodNotAllowed(methods) }
        do {
            let fields = try await BakerFields(request)
            guard let (route, front, app) = route(among: routes, fields, request.method) else {
                let isNamed = routes.contains { fields.with($0.match.values).app != nil }
                throw isNamed
                    ? JSONRejection(.notFound, "unknown app", .unknownPublication)
                    : JSONRejection(.badRequest, "app_id is missing", .malformedRequest)
            }
            context.route = route.template.description
            let known = fields.with(route.match.values)
            let handler = BakerRequestHandler(
                front: front.storefront, settings: front.settings, app: app, fields: known,
                context: known.context(clients.address(request, context)))
            let publication = front.storefront.authorizationService.publication.id
            return await route.call.respond(request, context, of: publication) {
                try await handler.respond(route.call, request)
            }
        } catch {
            return first.call.failure(error, context)
        }
    }

    /// Returns whether a route is a call of an app in this configuration. A path that begins with an app belongs to
    /// other handlers unless it matches the publication's own call.
    private func owns(_ route: BakerRoutes.Route) -> Bool {
        guard route.template.beginsWithApp else { return true }
        return route.match.app.flatMap { storefronts[$0] }?.settings[route.call] == route.template
    }

    /// Returns the route of the calling app. A route without the request's method is returned only if there is no
    /// other.
    private func route(
        among routes: [BakerRoutes.Route], _ fields: BakerFields, _ method: HTTPRequest.Method
    ) -> (BakerRoutes.Route, BakerStorefront, app: String)? {
        let own = routes.compactMap { route -> (BakerRoutes.Route, BakerStorefront, app: String)? in
            guard let app = fields.with(route.match.values).app, let front = storefronts[app],
                front.settings[route.call] == route.template
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
