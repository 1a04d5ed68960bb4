import Gatefold
import Hummingbird
import JSON

/// One call of an app at its storefront.
struct BakerQuestion {
    let front: Storefront
    let app: String
    let fields: BakerFields
    let inquiry: Inquiry

    /// - Throws: ``Unavailable`` when those who know could not be asked, or could not keep it.
    func answer(_ call: BakerCall, _ request: Request) async throws -> Response {
        switch call {
        case .shelf: try shelf(request)
        case .purchases: try await purchases()
        case .confirmation: try await confirmation()
        case .pushToken: try await pushToken()
        case .issue: try await issue()
        }
    }

    static var noUser: Response { JSONAnswer.error(.badRequest, "user_id is missing or too long") }

    /// Whom purchases of this installation belong to; nil where the app did not say which it is.
    var owner: PurchaseOwner? { fields.user.map { front.proxy.owner(installation: $0, of: app) } }

    /// Whatever was sent, for the app can do nothing about it (PROTOCOLS 2.5).
    private func pushToken() async throws -> Response {
        try await front.register(pushToken: fields["apns_token"] ?? "", of: app, in: fields.pushEnvironment)
        return JSONAnswer.make(.ok, ["status": "ok"])
    }
}
