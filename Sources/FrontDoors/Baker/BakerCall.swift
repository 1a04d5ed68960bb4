import HTTPTypes

/// The calls of a Baker app (PROTOCOLS section 2); the raw value is the name in the configuration.
public enum BakerCall: String, CaseIterable, Sendable, JSONCall {
    case shelf
    case purchases
    case confirmation
    case pushToken = "apns_token"
    /// The download that the shelf's URLs lead to.
    case issue

    /// The layout that apps in production have (PROTOCOLS 2.1).
    public var usualPath: PathTemplate? {
        switch self {
        case .shelf: PathTemplate("/issues/:app_id/:user_id")
        case .purchases: PathTemplate("/purchases/:app_id/:user_id")
        case .confirmation: PathTemplate("/confirmpurchase/:app_id/:user_id")
        case .pushToken: PathTemplate("/apns/:app_id/:user_id")
        case .issue: PathTemplate("/issue/:app_id/:user_id/:name")
        }
    }

    /// The first segments of those paths.
    public static let usualWords = Set(allCases.compactMap { $0.usualPath?.first })

    /// An older sample posted its question about purchases (PROTOCOLS 2.1).
    var methods: [HTTPRequest.Method] {
        switch self {
        case .shelf, .issue: [.get, .head]
        case .purchases: [.get, .head, .post]
        case .confirmation, .pushToken: [.post]
        }
    }
}
