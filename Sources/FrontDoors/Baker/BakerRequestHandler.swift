import Gatefold
import Hummingbird
import JSON

/// One call of an app at its storefront.
struct BakerRequestHandler {
    let front: Storefront
    let settings: BakerSettings
    let app: String
    let fields: BakerFields
    let context: CallContext

    /// Handles the call.
    ///
    /// - Throws: ``Unavailable`` if a backend could not be queried, or a store could not store the data.
    func respond(_ call: BakerCall, _ request: Request) async throws -> Response {
        switch call {
        case .shelf: try shelf(request)
        case .purchases: try await purchases()
        case .confirmation: try await confirmation()
        case .pushToken: try await pushToken()
        case .issue: try await issue()
        }
    }

    static let noUser = JSONRejection(.badRequest, "user_id is missing or too long", .malformedRequest)

    /// The owner of this installation's purchases, or `nil` if the app sent no valid installation.
    var owner: PurchaseOwner? { fields.user.map { front.authorizationService.owner(installation: $0, of: app) } }

    /// Registers a push token. Malformed tokens succeed too, because the app cannot act on a failure.
    ///
    /// Source: Baker protocol, “Push token request”.
    private func pushToken() async throws -> Response {
        try await front.register(pushToken: fields["apns_token"] ?? "", of: app, in: fields.pushEnvironment)
        return JSONResponse.make(.ok, ["status": "ok"])
    }
}
