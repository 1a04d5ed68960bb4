import Gatefold
import HTTPTypes

/// The calls of a Baker app. The raw value is the name in the configuration.
///
/// Source: Baker protocol, “URLs of the calls”.
public enum BakerCall: String, CaseIterable, Sendable, JSONCall {
    case shelf
    case purchases
    case confirmation
    case pushToken = "apns_token"
    /// The download that the shelf's URLs point to.
    case issue

    /// The path of the call in the usual layout of apps in production.
    ///
    /// Source: Baker protocol, “URLs of the calls”.
    public var defaultPath: PathTemplate? {
        switch self {
        case .shelf: PathTemplate("/issues/:app_id/:user_id")
        case .purchases: PathTemplate("/purchases/:app_id/:user_id")
        case .confirmation: PathTemplate("/confirmpurchase/:app_id/:user_id")
        case .pushToken: PathTemplate("/apns/:app_id/:user_id")
        case .issue: PathTemplate("/issue/:app_id/:user_id/:name")
        }
    }

    /// The first segments of the usual paths.
    public static let usualPathSegments = Set(allCases.compactMap { $0.defaultPath?.first })

    var refusedCall: RefusedCall {
        switch self {
        case .shelf: .catalogue
        case .purchases: .access
        case .confirmation: .purchase
        case .pushToken: .pushToken
        case .issue: .editionCredentials
        }
    }

    /// The methods of the call. An older client sample sends the purchases call by POST.
    ///
    /// Source: Baker protocol, “Older request formats”.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .shelf, .issue: [.get, .head]
        case .purchases: [.get, .head, .post]
        case .confirmation, .pushToken: [.post]
        }
    }
}
