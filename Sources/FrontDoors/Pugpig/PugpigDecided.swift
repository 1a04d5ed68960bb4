package import Gatefold
import HTTPTypes

/// Those answers of the Pugpig security API that can be given without asking anybody, for whoever wants them before a request is
/// routed. They are the front door's own; whatever is not quite usual is left to it.
package struct PugpigDecided: Sendable {
    private let publications: PublicationDirectory

    package init(publications: PublicationDirectory) {
        self.publications = publications
    }

    /// The answer to a GET; nil when it is not decided.
    ///
    /// - Parameters:
    ///   - path: without the query.
    ///   - isToBeKept: whether to say how the answer is given again.
    ///   - client: who asks, as far as the listener can say.
    package func answer(
        path: Substring, query: Substring.UTF8View, acceptLanguage: String?, isToBeKept: Bool = false,
        client: @autoclosure () -> ClientAddress?
    ) -> DecidedAnswer? {
        for call in [PugpigCall.verifySubscription, .editionCredentials] {
            guard let addressed = call.publication(in: path) else { continue }
            guard let proxy = publications.proxy(for: addressed),
                let fields = try? RequestFields.read(query: query)
            else { return nil }
            let inquiry = Inquiry(
                fields: fields, client: client(), languages: acceptLanguage.map(AcceptLanguage.parse) ?? [])
            return answer(call, by: proxy, inquiry, route: call.route(addressed), isToBeKept: isToBeKept)
        }
        return nil
    }

    private func answer(
        _ call: PugpigCall, by proxy: PublicationProxy, _ inquiry: Inquiry, route: String, isToBeKept: Bool
    ) -> DecidedAnswer? {
        let token = inquiry.fields["token"] ?? ""
        if call == .verifySubscription {
            guard let decided = proxy.decidedVerification(token: token, inquiry) else { return nil }
            return answer(PugpigResponse.verification(decided.answer), decided, by: proxy, route: route)
        }
        // What throws is the front door's to answer.
        guard
            let decided = try? proxy.decidedCredentials(
                token: token, edition: inquiry.fields["product_id"], inquiry, isToBeKept: isToBeKept)
        else { return nil }
        return answer(PugpigResponse.credentials(decided.answer), decided, by: proxy, route: route)
    }

    private func answer<Answer>(
        _ whole: WholeAnswer, _ decided: Decided<Answer>, by proxy: PublicationProxy, route: String
    ) -> DecidedAnswer {
        let consequences = decided.consequences
        return DecidedAnswer(
            whole, route: route, standing: decided.standing, repetition: decided.repetition,
            given: { proxy.give(consequences) })
    }
}

extension PugpigCall {
    fileprivate func route(_ addressed: Addressed) -> String {
        switch addressed {
        case .theDefault: "/\(rawValue)"
        case .named: "/{publication}/\(rawValue)"
        }
    }
}
