import Commerce
package import Gatefold
import HTTPTypes
import Hummingbird
import JSON

/// A front door that links an installation of an app and a subscriber to one person: `link` and `unlink`, with or
/// without a publication before them, by POST.
///
/// It is not part of any app's protocol. An app's developer, or a page that the publisher shows in the app, calls
/// it with the token of a sign-in and the installation's `app_id` and `user_id`. It knows the apps of the front doors
/// at which installations buy.
package struct LinkingFrontDoor: FrontDoor {
    package static let name = "Linking"
    package static let pathSegments = Set(LinkingCall.allCases.map(\.rawValue))

    package init() {}

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        let selling = publications.all.filter { publication in
            publication.settings[BakerFrontDoor.self] != nil || publication.settings[BasispressFrontDoor.self] != nil
        }
        let publicationsByApp = selling.flatMap { publication in publication.apps.map { ($0, publication.id) } }
        return LinkingSnapshot(publications.directory, apps: Dictionary(publicationsByApp) { first, _ in first })
    }
}

/// The links of installations to the subscribers of the publications of one configuration.
package struct LinkingSnapshot: FrontDoorSnapshot {
    private let directory: PublicationDirectory
    private let apps: [String: PublicationID]

    /// - Parameter apps: The publications of the apps whose installations can be linked.
    package init(_ directory: PublicationDirectory, apps: [String: PublicationID]) {
        self.directory = directory
        self.apps = apps
    }

    package func addRoutes(to routes: inout Routes) {
        for call in LinkingCall.allCases {
            routes.on(RoutePattern("/\(call.rawValue)")) { request, context in
                await respond(to: call, of: directory.default, request, context)
            }
            routes.on(RoutePattern("/{publication}/\(call.rawValue)")) { request, context in
                let name = request.uri.path.split(separator: "/").first
                let named = name.flatMap { PublicationID($0) }.flatMap { directory.byID[$0] }
                return await respond(to: call, of: named, request, context)
            }
        }
    }

    private func respond(
        to call: LinkingCall, of authorizationService: AuthorizationService?, _ request: Request,
        _ context: GatefoldRequestContext
    ) async -> Response {
        guard let authorizationService else {
            return call.failure(JSONRejection(.notFound, "not found", .unknownPublication), context)
        }
        return await call.respond(request, context, of: authorizationService.publication.id) {
            let fields = BakerFields(try await RequestFields.read(request, ignoringCase: true))
            guard let app = fields.app, let user = fields.user else {
                throw JSONRejection(.badRequest, "app_id or user_id is missing", .malformedRequest)
            }
            guard apps[app] == authorizationService.publication.id else {
                throw JSONRejection(.notFound, "unknown app", .unknownPublication)
            }
            let owner = authorizationService.owner(installation: user, of: app)
            switch call {
            case .link: return try await link(owner, with: fields["token"], authorizationService)
            case .unlink: return try await unlink(owner, authorizationService)
            }
        }
    }

    private func link(
        _ owner: PurchaseOwner, with text: String?, _ authorizationService: AuthorizationService
    ) async throws -> Response {
        guard let text else { throw JSONRejection(.badRequest, "token is missing", .tokenMissing) }
        guard try await authorizationService.link(token: text, with: owner) else {
            throw JSONRejection(
                .forbidden, "the token is not valid, or the publication has no store",
                authorizationService.read(text).refusal(text)?.reason ?? .receiptWithoutStore)
        }
        return JSONResponse.make(.ok, ["linked": true])
    }

    /// Removes the link of an installation. It needs no token, because the installation's identifier already grants
    /// all its rights, and this call only removes some.
    private func unlink(_ owner: PurchaseOwner, _ authorizationService: AuthorizationService) async throws -> Response {
        _ = try await authorizationService.purchases?.unlink(owner)
        return JSONResponse.make(.ok, ["linked": false])
    }
}

/// The calls, by the names in their paths.
enum LinkingCall: String, CaseIterable, Sendable, JSONCall {
    case link, unlink

    /// The only method is POST, because a link that is fetched automatically must not change anything, and queries
    /// are logged.
    var methods: [HTTPRequest.Method] { [.post] }

    var refusedCall: RefusedCall { .linking }
}
