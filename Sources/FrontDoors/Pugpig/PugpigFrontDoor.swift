public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging

/// The Pugpig security API. It translates HTTP requests to use cases and results to XML.
///
/// Source: Pugpig protocol, “Overview”.
public struct PugpigFrontDoor<Context: RequestContext>: Sendable {
    let publications: @Sendable () -> PublicationDirectory
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - publications: Returns the publications for each request, so that a reload takes effect at once.
    ///   - client: Returns the address that a request comes from, as far as the listener knows.
    public init(
        publications: @escaping @Sendable () -> PublicationDirectory,
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.publications = publications
        self.client = client
    }

    /// Adds a route for every call and every method, with and without a publication, including the calls with
    /// receipts.
    public func addRoutes(to router: Router<Context>) {
        router.add(middleware: UnknownMethodMiddleware(publications: publications))
        for call in PugpigCall.allCases {
            for path in ["/\(call.rawValue)", "/{publication}/\(call.rawValue)"] {
                for method in HTTPRequest.Method.every {
                    router.on(RouterPath(path), method: method) { request, context in
                        try await respond(to: call, request, context)
                    }
                }
            }
        }
        addReceiptRoutes(to: router)
    }

    private func respond(to call: PugpigCall, _ request: Request, _ context: Context) async throws -> Response {
        guard
            let authorizationService = call.publication(in: request.uri.path).flatMap({
                publications().authorizationService(for: $0)
            })
        else {
            return PugpigResponse.notFound()
        }
        switch request.method {
        case .get, .post: break
        case .head: return PugpigResponse.head(of: call)
        case .options: return PugpigResponse.options()
        default: return PugpigResponse.methodNotAllowed()
        }
        let fields: [String: String]
        do {
            fields = try await RequestFields.read(request)
        } catch let rejection as RequestRejection {
            return PugpigResponse.rejected(rejection)
        }
        let callContext = callContext(fields, request, context)
        do {
            return try await response(call, by: authorizationService, callContext)
        } catch let response as ScriptedResponse {
            return PugpigResponse.scripted(response)
        } catch {
            return failure(error, of: call, authorizationService, callContext, context)
        }
    }

    func callContext(_ fields: [String: String], _ request: Request, _ context: Context) -> CallContext {
        CallContext(
            fields: fields, client: client(request, context),
            languages: request.headers[.acceptLanguage].map(AcceptLanguage.parse) ?? [])
    }

    private func response(_ call: PugpigCall, by authorizationService: AuthorizationService, _ callContext: CallContext)
        async throws -> Response
    {
        let token = callContext.fields["token"] ?? ""
        switch call {
        case .signIn:
            return PugpigResponse.signIn(try await authorizationService.signIn(callContext))
        case .renewToken, .renew:
            return PugpigResponse.signIn(try await authorizationService.renew(token: token, callContext))
        case .verifySubscription:
            return PugpigResponse.verification(try await authorizationService.verify(token: token, callContext))
        case .editionCredentials:
            return PugpigResponse.credentials(
                try await authorizationService.editionCredentials(
                    token: token, edition: callContext.fields["product_id"], callContext))
        case .signOut:
            try await authorizationService.signOut(token: token, callContext)
            return PugpigResponse.signedOut()
        }
    }

    /// Returns the response to an outage. Only edition credentials have a document for it.
    ///
    /// Source: Design rules, “An outage is never a rejection” and “Edition credentials are always a document”.
    func failure(
        _ error: any Error, of call: PugpigCall, _ authorizationService: AuthorizationService,
        _ callContext: CallContext,
        _ context: Context
    ) -> Response {
        let retryAfter: Int
        if let unavailable = error as? Unavailable {
            retryAfter = unavailable.retryAfter
        } else {
            retryAfter = 30
            context.logger.unexpected(error, "Call failed unexpectedly", ["call": "\(call.rawValue)"])
        }
        guard call == .editionCredentials else { return PugpigResponse.unavailable(retryAfter: retryAfter) }
        return PugpigResponse.credentials(
            .rejected(
                CredentialsRejection(
                    reason: .notEntitled,
                    message: authorizationService.publication.messages.text(.unavailable, for: callContext.languages),
                    retryAfter: retryAfter),
                notes: []))
    }
}
