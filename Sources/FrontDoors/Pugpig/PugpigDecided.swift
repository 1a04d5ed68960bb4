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
    ///   - client: who asks, as far as the listener can say.
    /// - Returns: the answer, and its route as the router would name it.
    package func answer(
        path: Substring, query: Substring.UTF8View, acceptLanguage: String?, client: @autoclosure () -> ClientAddress?
    ) -> (route: String, WholeAnswer)? {
        for call in [PugpigCall.verifySubscription, .editionCredentials] {
            guard let addressed = call.publication(in: path) else { continue }
            guard let proxy = publications.proxy(for: addressed),
                let fields = try? RequestFields.read(query: query)
            else { return nil }
            let inquiry = Inquiry(
                fields: fields, client: client(), languages: acceptLanguage.map(AcceptLanguage.parse) ?? [])
            return answer(call, by: proxy, inquiry).map { (call.route(addressed), $0) }
        }
        return nil
    }

    private func answer(_ call: PugpigCall, by proxy: PublicationProxy, _ inquiry: Inquiry) -> WholeAnswer? {
        let token = inquiry.fields["token"] ?? ""
        if call == .verifySubscription {
            return proxy.decidedVerification(token: token, inquiry).map { PugpigResponse.verification($0) }
        }
        // What throws is the front door's to answer.
        let decided = try? proxy.decidedCredentials(token: token, edition: inquiry.fields["product_id"], inquiry)
        return decided.flatMap(\.self).map { PugpigResponse.credentials($0) }
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
