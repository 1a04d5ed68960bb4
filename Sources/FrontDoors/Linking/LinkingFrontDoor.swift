import Gatefold
import HTTPTypes
public import Hummingbird
import JSON

/// Makes an installation of an app and a subscriber one person: `link` and `unlink`, with or without a publication before
/// them, by POST.
///
/// Not part of any app's protocol: an app's developer, or a page that the publisher shows in the app, calls it with the
/// token of a sign-in and the installation's `app_id` and `user_id`.
public struct LinkingFrontDoor<Context: RequestContext>: Sendable {
    private let publications: @Sendable () -> PublicationDirectory

    /// - Parameter publications: asked for every request, so that a reload takes effect at once.
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
        guard let proxy = proxy(in: directory, context) else { return JSONAnswer.error(.notFound, "not found") }
        return await call.answer(request, context) {
            let fields = BakerFields(try await RequestFields.read(request, ignoringCase: true))
            guard let app = fields.app, let user = fields.user else {
                return JSONAnswer.error(.badRequest, "app_id or user_id is missing")
            }
            guard directory.proxy(app: app)?.publication.id == proxy.publication.id else {
                return JSONAnswer.error(.notFound, "unknown app")
            }
            let owner = proxy.owner(installation: user, of: app)
            switch call {
            case .link: return try await link(owner, with: fields["token"], proxy)
            case .unlink: return try await unlink(owner, proxy)
            }
        }
    }

    private func proxy(in directory: PublicationDirectory, _ context: Context) -> PublicationProxy? {
        guard let name = context.parameters.get("publication") else { return directory.default }
        return PublicationID(name).flatMap { directory.byID[$0] }
    }

    private func link(
        _ owner: PurchaseOwner, with text: String?, _ proxy: PublicationProxy
    ) async throws -> Response {
        guard let text else { return JSONAnswer.error(.badRequest, "token is missing") }
        return try await proxy.link(token: text, with: owner)
            ? JSONAnswer.make(.ok, ["linked": true])
            : JSONAnswer.error(.forbidden, "the token is not good, or nothing is sold here")
    }

    /// Needs no token: whoever knows the installation's identifier has all its rights, and this takes some away.
    private func unlink(_ owner: PurchaseOwner, _ proxy: PublicationProxy) async throws -> Response {
        _ = try await proxy.purchases?.unlink(owner)
        return JSONAnswer.make(.ok, ["linked": false])
    }
}

/// The calls, by the names in their paths.
public enum LinkingCall: String, CaseIterable, Sendable, JSONCall {
    case link, unlink

    /// A link that something fetches on its own must not change anything, and a query is written down.
    var methods: [HTTPRequest.Method] { [.post] }
}
