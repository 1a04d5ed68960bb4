import Commerce
import Gatefold
import HTTPTypes
public import Hummingbird
import JSON

/// A front door that links an installation of an app and a subscriber to one person: `link` and `unlink`, with or
/// without a publication before them, by POST.
///
/// It is not part of any app's protocol. An app's developer, or a page that the publisher shows in the app, calls
/// it with the token of a sign-in and the installation's `app_id` and `user_id`.
public struct LinkingFrontDoor<Context: RequestContext>: Sendable {
    private let publications: @Sendable () -> PublicationDirectory

    /// - Parameter publications: Returns the publications for each request, so that a reload takes effect at once.
    public init(publications: @escaping @Sendable () -> PublicationDirectory) {
        self.publications = publications
    }

    public func addRoutes(to router: Router<Context>) {
        for call in LinkingCall.allCases {
            for method in HTTPRequest.Method.every {
                for path in ["/\(call.rawValue)", "/{publication}/\(call.rawValue)"] {
                    router.on(RouterPath(path), method: method) { request, context in
                        await respond(to: call, request, context)
                    }
                }
            }
        }
    }

    private func respond(to call: LinkingCall, _ request: Request, _ context: Context) async -> Response {
        let directory = publications()
        guard let authorizationService = authorizationService(in: directory, context) else {
            return JSONResponse.error(.notFound, "not found")
        }
        return await call.respond(request, context) {
            let fields = BakerFields(try await RequestFields.read(request, ignoringCase: true))
            guard let app = fields.app, let user = fields.user else {
                return JSONResponse.error(.badRequest, "app_id or user_id is missing")
            }
            guard directory.authorizationService(app: app)?.publication.id == authorizationService.publication.id else {
                return JSONResponse.error(.notFound, "unknown app")
            }
            let owner = authorizationService.owner(installation: user, of: app)
            switch call {
            case .link: return try await link(owner, with: fields["token"], authorizationService)
            case .unlink: return try await unlink(owner, authorizationService)
            }
        }
    }

    private func authorizationService(in directory: PublicationDirectory, _ context: Context) -> AuthorizationService? {
        guard let name = context.parameters.get("publication") else { return directory.default }
        return PublicationID(name).flatMap { directory.byID[$0] }
    }

    private func link(
        _ owner: PurchaseOwner, with text: String?, _ authorizationService: AuthorizationService
    ) async throws -> Response {
        guard let text else { return JSONResponse.error(.badRequest, "token is missing") }
        return try await authorizationService.link(token: text, with: owner)
            ? JSONResponse.make(.ok, ["linked": true])
            : JSONResponse.error(.forbidden, "the token is not valid, or the publication has no store")
    }

    /// Removes the link of an installation. It needs no token, because the installation's identifier already grants
    /// all its rights, and this call only removes some.
    private func unlink(_ owner: PurchaseOwner, _ authorizationService: AuthorizationService) async throws -> Response {
        _ = try await authorizationService.purchases?.unlink(owner)
        return JSONResponse.make(.ok, ["linked": false])
    }
}

/// The calls, by the names in their paths.
public enum LinkingCall: String, CaseIterable, Sendable, JSONCall {
    case link, unlink

    /// The only method is POST, because a link that is fetched automatically must not change anything, and queries
    /// are logged.
    var methods: [HTTPRequest.Method] { [.post] }
}
