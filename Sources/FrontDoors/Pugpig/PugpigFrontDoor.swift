public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging

/// The Pugpig security API (PROTOCOLS section 1): HTTP in, use cases asked, XML out.
public struct PugpigFrontDoor<Context: RequestContext>: Sendable {
    let publications: @Sendable () -> PublicationDirectory
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - publications: asked for every request, so that a reload takes effect at once.
    ///   - client: the address a request comes from, as far as the listener can say.
    public init(
        publications: @escaping @Sendable () -> PublicationDirectory,
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.publications = publications
        self.client = client
    }

    /// Adds a route for every call, with and without a publication, for every method; those with receipts included.
    public func addRoutes(to router: Router<Context>) {
        router.add(middleware: UnknownMethods(publications: publications))
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
        guard let proxy = call.publication(in: request.uri.path).flatMap({ publications().proxy(for: $0) }) else {
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
        } catch let refusal as RequestRefusal {
            return PugpigResponse.refused(refusal)
        }
        let inquiry = inquiry(fields, request, context)
        do {
            return try await answer(call, by: proxy, inquiry)
        } catch let answer as VerbatimAnswer {
            return PugpigResponse.verbatim(answer)
        } catch {
            return failure(error, of: call, proxy, inquiry, context)
        }
    }

    func inquiry(_ fields: [String: String], _ request: Request, _ context: Context) -> Inquiry {
        Inquiry(
            fields: fields, client: client(request, context),
            languages: request.headers[.acceptLanguage].map(AcceptLanguage.parse) ?? [])
    }

    private func answer(_ call: PugpigCall, by proxy: PublicationProxy, _ inquiry: Inquiry) async throws -> Response {
        let token = inquiry.fields["token"] ?? ""
        switch call {
        case .signIn:
            return PugpigResponse.signIn(try await proxy.signIn(inquiry))
        case .renewToken, .renew:
            return PugpigResponse.signIn(try await proxy.renew(token: token, inquiry))
        case .verifySubscription:
            return PugpigResponse.verification(try await proxy.verify(token: token, inquiry)).response
        case .editionCredentials:
            return PugpigResponse.credentials(
                try await proxy.editionCredentials(token: token, edition: inquiry.fields["product_id"], inquiry)
            ).response
        case .signOut:
            try await proxy.signOut(token: token, inquiry)
            return PugpigResponse.signedOut()
        }
    }

    /// Nobody could say: only edition credentials have a document for that (DESIGN rules 4 and 6).
    func failure(
        _ error: any Error, of call: PugpigCall, _ proxy: PublicationProxy, _ inquiry: Inquiry,
        _ context: Context
    ) -> Response {
        let retryAfter: Int
        if let unavailable = error as? Unavailable {
            retryAfter = unavailable.retryAfter
        } else {
            retryAfter = 30
            context.logger.unexpected(error, "A call failed unexpectedly", ["call": "\(call.rawValue)"])
        }
        guard call == .editionCredentials else { return PugpigResponse.unavailable(retryAfter: retryAfter) }
        return PugpigResponse.credentials(
            .refused(
                CredentialsRefusal(
                    reason: .notEntitled,
                    message: proxy.publication.messages.text(.unavailable, for: inquiry.languages),
                    retryAfter: retryAfter),
                comments: [])
        ).response
    }
}
