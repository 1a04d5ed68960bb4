import Gatefold
import HTTPTypes
import Hummingbird
package import Settings

/// The front door for Basispress readers.
///
/// Source: Basispress protocol, “Overview”.
package struct BasispressFrontDoor: FrontDoor {
    /// The settings of a publication that has the front door. There is nothing to set.
    package struct PublicationSettings: Sendable, Equatable {}

    package static let name = "Basispress"
    package static let pathSegments: Set<String> = ["api", "push_tokens.json"]
    package static let issuesDownloadTokens = true

    package init() {}

    package static func settings(
        in publication: SettingsSection, of outline: PublicationOutline
    ) throws(SettingsError) -> PublicationSettings? {
        guard publication.has("basispress") else { return nil }
        let section = try publication.section("basispress")
        let isEnabled = try section.boolean("enabled", default: true)
        try section.finish()
        guard isEnabled else { return nil }
        try Storefront.check(outline, "basispress", in: publication)
        return PublicationSettings()
    }

    package static func check(_ outline: ConfigurationOutline) throws(SettingsError) {
        try Storefront.check(outline, of: self)
    }

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        BasispressSnapshot(
            publications.all.compactMap { publication in
                publication.settings[BasispressFrontDoor.self].flatMap { _ in
                    Storefront(of: publication, using: services)
                }
            })
    }
}

/// The services that Basispress readers call, of the publications of one configuration.
package struct BasispressSnapshot: FrontDoorSnapshot {
    private let storefronts: [String: Storefront]

    package init(_ storefronts: [Storefront]) {
        self.storefronts = Storefront.byApp(storefronts) { $0 }
    }

    package func addRoutes(to routes: inout Routes) {
        let handler = BasispressCallHandler(storefronts: storefronts, clients: routes.clients)
        for call in BasispressCall.allCases {
            routes.on(RoutePattern(call.rawValue)) { request, context in
                await handler.respond(to: call, request, context)
            }
        }
    }
}

/// A handler that finds the storefront of a call. It translates HTTP requests to use cases and results to JSON.
private struct BasispressCallHandler {
    let storefronts: [String: Storefront]
    let clients: RequestClients

    func respond(to call: BasispressCall, _ request: Request, _ context: GatefoldRequestContext) async -> Response {
        await call.respond(request, context) { try await response(to: call, request, context) }
    }

    private func response(
        to call: BasispressCall, _ request: Request, _ context: GatefoldRequestContext
    ) async throws -> Response {
        switch call {
        case .pushTokens:
            let registration = try await BasispressRegistration(request)
            guard let front = storefronts[registration.app] else { throw Self.unknown(registration.app) }
            return await call.respond(request, context, of: front.authorizationService.publication.id) {
                try await BasispressRequestHandler(front: front, app: registration.app, context: CallContext())
                    .register(registration)
            }
        case .document, .receipt:
            let fields = try await RequestFields.read(request, limits: .receipts)
            let app = fields["id"] ?? ""
            guard let front = storefronts[app] else { throw Self.unknown(app) }
            let handler = BasispressRequestHandler(
                front: front, app: app,
                context: CallContext(
                    fields: fields.filter { $0.key != "data" }, client: clients.address(request, context)))
            return await call.respond(request, context, of: front.authorizationService.publication.id) {
                guard call == .receipt else { return try handler.document(request) }
                switch try await handler.receipt(fields) {
                case .granted(let address): return BasispressReceiptResponse.granted(address)
                case .refused(let reason):
                    context.refuse(front.authorizationService.refusal(reason, call.refusedCall))
                    return BasispressReceiptResponse.failed
                }
            }
        }
    }

    private static func unknown(_ app: String) -> JSONRejection {
        app.isEmpty
            ? JSONRejection(.badRequest, "id is missing", .malformedRequest)
            : JSONRejection(.notFound, "unknown id", .unknownPublication)
    }
}

/// The calls, by their paths.
enum BasispressCall: String, CaseIterable, Sendable, JSONCall {
    case document = "/api/protocol.json"
    case receipt = "/api/receipt.json"
    case pushTokens = "/push_tokens.json"

    var refusedCall: RefusedCall {
        switch self {
        case .document: .catalogue
        case .receipt: .editionCredentials
        case .pushTokens: .pushToken
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .document: [.get, .head]
        case .receipt: [.get, .head, .post]
        case .pushTokens: [.post]
        }
    }
}
