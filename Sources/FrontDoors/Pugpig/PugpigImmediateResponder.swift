package import Gatefold
import HTTPTypes

/// The responses of the Pugpig security API that need no query to a backend, for use before a request is routed.
///
/// They are the same as the front door's responses. Unusual requests are left to the front door.
package struct PugpigImmediateResponder: Sendable {
    private let publications: PublicationDirectory

    package init(publications: PublicationDirectory) {
        self.publications = publications
    }

    /// Returns the response to a GET, or `nil` if it needs the front door.
    ///
    /// - Parameters:
    ///   - path: The path without the query.
    ///   - willBeCached: Whether to include how the response can be repeated.
    ///   - client: The client's address, as far as the listener knows.
    package func response(
        path: Substring, query: Substring.UTF8View, acceptLanguage: String?, willBeCached: Bool = false,
        client: @autoclosure () -> ClientAddress?
    ) -> ImmediateResponse? {
        for call in [PugpigCall.verifySubscription, .editionCredentials] {
            guard let selector = call.publication(in: path) else { continue }
            guard let authorizationService = publications.authorizationService(for: selector),
                let fields = try? RequestFields.read(query: query)
            else { return nil }
            let context = CallContext(
                fields: fields, client: client(), languages: acceptLanguage.map(AcceptLanguage.parse) ?? [])
            return response(
                call, by: authorizationService, context, route: call.route(selector), willBeCached: willBeCached)
        }
        return nil
    }

    private func response(
        _ call: PugpigCall, by authorizationService: AuthorizationService, _ context: CallContext, route: String,
        willBeCached: Bool
    ) -> ImmediateResponse? {
        let token = context.fields["token"] ?? ""
        if call == .verifySubscription {
            guard let immediate = authorizationService.immediateVerification(token: token, context) else { return nil }
            return response(
                PugpigResponse.verification(immediate.response), immediate, by: authorizationService, route: route)
        }
        // The front door handles the errors.
        guard
            let immediate = try? authorizationService.immediateCredentials(
                token: token, edition: context.fields["product_id"], context, willBeCached: willBeCached)
        else { return nil }
        return response(
            PugpigResponse.credentials(immediate.response), immediate, by: authorizationService, route: route)
    }

    private func response<Value>(
        _ buffered: BufferedResponse, _ immediate: ImmediateResult<Value>,
        by authorizationService: AuthorizationService, route: String
    ) -> ImmediateResponse {
        let effects = immediate.effects
        return ImmediateResponse(
            buffered, route: route, validity: immediate.validity, reusability: immediate.reusability,
            commit: { authorizationService.commit(effects) })
    }
}

extension PugpigCall {
    fileprivate func route(_ selector: PublicationSelector) -> String {
        switch selector {
        case .defaultPublication: "/\(rawValue)"
        case .named: "/{publication}/\(rawValue)"
        }
    }
}
