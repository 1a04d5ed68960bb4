import ContentGate
import Gatefold
import HTTPTypes
import Hummingbird
import Logging

/// The front door for Pugpig apps: the security API, with and without a publication in front of its paths.
///
/// Source: Pugpig protocol, “Overview”.
package struct PugpigFrontDoor: FrontDoor {
    package static let name = "Pugpig"
    package static let pathSegments = Set(PugpigCall.allCases.map(\.rawValue))

    package init() {}

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        PugpigSnapshot(publications.directory)
    }
}

/// The Pugpig security API of the publications of one configuration.
package struct PugpigSnapshot: FrontDoorSnapshot {
    private let publications: PublicationDirectory

    package init(_ publications: PublicationDirectory) {
        self.publications = publications
    }

    /// Adds a route for every call, with and without a publication, including the calls with receipts.
    package func addRoutes(to routes: inout Routes) {
        let handler = PugpigRequestHandler(publications: publications, clients: routes.clients)
        for call in PugpigCall.allCases {
            for path in ["/\(call.rawValue)", "/{publication}/\(call.rawValue)"] {
                routes.on(RoutePattern(path), methods: .all) { request, context in
                    try await handler.respond(to: call, request, context)
                }
            }
        }
        for call in PugpigReceiptCall.allCases {
            for path in call.paths {
                routes.on(RoutePattern(path), methods: .all) { request, context in
                    try await handler.respond(to: call, request, context)
                }
            }
        }
    }
}

/// A handler of Pugpig calls. It translates HTTP requests to use cases and results to XML.
struct PugpigRequestHandler {
    let publications: PublicationDirectory
    let clients: RequestClients

    func respond(
        to call: PugpigCall, _ request: Request, _ context: GatefoldRequestContext
    ) async throws -> Response {
        guard let authorizationService = publications.authorizationService(for: call.publication(in: request.uri.path))
        else {
            context.refuse(Refusal(.unknownPublication, call.refusedCall))
            return PugpigResponse.notFound()
        }
        if let response = PugpigResponse.withoutCall(request.method, of: call) { return response }
        let fields: [String: String]
        do {
            fields = try await RequestFields.read(request)
        } catch let rejection as RequestRejection {
            context.refuse(authorizationService.refusal(.malformedRequest, call.refusedCall))
            return PugpigResponse.rejected(rejection)
        }
        let callContext = callContext(fields, request, context)
        do {
            return try await response(call, by: authorizationService, callContext)
        } catch let response as ScriptedResponse {
            if response.status >= 400 {
                context.refuse(authorizationService.refusal(.testResponse, call.refusedCall))
            }
            return PugpigResponse.scripted(response)
        } catch {
            return failure(error, of: call, authorizationService, callContext, context)
        }
    }

    func callContext(_ fields: [String: String], _ request: Request, _ context: GatefoldRequestContext) -> CallContext {
        CallContext(
            fields: fields, client: clients.address(request, context),
            languages: request.headers.value(of: .acceptLanguage).map(AcceptLanguage.parse) ?? [])
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
        _ context: GatefoldRequestContext
    ) -> Response {
        context.refuse(authorizationService.refusal(RefusalReason(error), call.refusedCall))
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
