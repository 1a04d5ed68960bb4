import Gatefold
import HTTPTypes

/// The calls of the SDKs, by their paths. A version in front of a path and a slash behind it are ignored.
///
/// Source: InPlayer protocol, “Account calls”, “Item calls” and “Receipt validation”.
enum InPlayerCall: Hashable, Sendable {
    case accounts, authenticate, logout, erase, changePassword, forgotPassword, export, social, sendPIN, validatePIN
    /// - Parameter token: The token of the e-mail message.
    case newPassword(token: String)
    case registerFields(merchant: String?)
    case item(String, merchant: String?)
    case externalItem(String)
    case accessFees(item: String)
    case access(item: String)
    case history, subscriptions, notificationKeys, keySet
    /// Favorites and watch history of media, which Gatefold does not have. Web apps request them at every sign-in.
    case favorites, watchHistory
    case receipt(store: String)

    /// The first segments of the SDKs' paths, including calls that are not offered, because scripts can read the
    /// error only if this front door responds.
    static let pathSegments: Set<String> = [
        "accounts", "items", "subscriptions", "external-payments", "iot", "payments", "vouchers", "branding",
        "restrictions", "dlc",
    ]
    /// The first segments of paths that have a version in front of them in every SDK.
    static let versionedPathSegments: Set<String> = pathSegments.union(["accounting", "features", "nfts"])
    static let versions: Set<String> = ["v1", "v2", "v3"]

    /// - Parameter segments: The decoded segments, without empty ones at the end.
    init?(_ segments: some Collection<String>) {
        var path = Array(segments)
        if let first = path.first, Self.versions.contains(first), path.count > 1 { path.removeFirst() }
        guard let found = Self.account(path) ?? Self.item(path) ?? Self.other(path) else { return nil }
        self = found
    }

    private static func account(_ path: [String]) -> InPlayerCall? {
        guard path.first == "accounts" else { return nil }
        switch path.dropFirst().first {
        case nil: return .accounts
        case "authenticate" where path.count == 2: return .authenticate
        case "logout" where path.count == 2: return .logout
        case "erase" where path.count == 2: return .erase
        case "change-password" where path.count == 2: return .changePassword
        case "forgot-password":
            return path.count == 2 ? .forgotPassword : path.count == 3 ? .newPassword(token: path[2]) : nil
        case "export" where path.count == 2: return .export
        case "social" where path.count == 2: return .social
        case "register-fields" where path.count <= 3:
            return .registerFields(merchant: path.count == 3 ? path[2] : nil)
        case "pin-codes" where path.count == 3:
            return path[2] == "send" ? .sendPIN : path[2] == "validate" ? .validatePIN : nil
        case "media" where path.count == 3:
            return path[2] == "favorites" ? .favorites : path[2] == "watch-history" ? .watchHistory : nil
        default: return nil
        }
    }

    private static func item(_ path: [String]) -> InPlayerCall? {
        guard path.first == "items" else { return nil }
        switch path.count {
        case 2: return .item(path[1], merchant: nil)
        case 3 where path[1] == "access" && path[2] == "customers": return .history
        case 3 where path[2] == "access": return .access(item: path[1])
        case 3 where path[2] == "access-fees": return .accessFees(item: path[1])
        case 3: return .item(path[2], merchant: path[1])
        case 5 where path[1] == "assets" && path[2] == "external": return .externalItem(path[4])
        default: return nil
        }
    }

    private static func other(_ path: [String]) -> InPlayerCall? {
        switch path {
        case ["subscriptions"]: .subscriptions
        case ["iot", "keys"]: .notificationKeys
        case [".well-known", "jwks.json"]: .keySet
        default:
            path.count == 3 && path[0] == "external-payments" && path[2] == "validate" ? .receipt(store: path[1]) : nil
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .accounts: [.get, .head, .post, .put]
        // A GET signs the reader out, which HEAD must not do.
        case .logout: [.get, .post]
        case .authenticate, .changePassword, .forgotPassword, .export, .sendPIN, .validatePIN, .receipt: [.post]
        case .erase: [.delete]
        case .newPassword: [.put]
        case .registerFields, .social, .item, .externalItem, .accessFees, .access, .history, .subscriptions,
            .notificationKeys, .keySet, .favorites, .watchHistory:
            [.get, .head]
        }
    }

    /// Returns whether the call concerns a reader and therefore requires a token.
    func needsToken(_ method: HTTPRequest.Method) -> Bool {
        switch self {
        case .accounts: method != .post
        case .logout, .erase, .changePassword, .export, .sendPIN, .validatePIN, .access, .history, .subscriptions,
            .notificationKeys, .receipt, .favorites, .watchHistory:
            true
        case .authenticate, .forgotPassword, .newPassword, .registerFields, .social, .item, .externalItem, .accessFees,
            .keySet:
            false
        }
    }

    /// The path with placeholders for persons and items, for logs and metrics.
    var pattern: String {
        switch self {
        case .accounts: "/accounts"
        case .authenticate: "/accounts/authenticate"
        case .logout: "/accounts/logout"
        case .erase: "/accounts/erase"
        case .changePassword: "/accounts/change-password"
        case .forgotPassword: "/accounts/forgot-password"
        case .newPassword: "/accounts/forgot-password/{token}"
        case .export: "/accounts/export"
        case .social: "/accounts/social"
        case .sendPIN: "/accounts/pin-codes/send"
        case .validatePIN: "/accounts/pin-codes/validate"
        case .registerFields: "/accounts/register-fields/{merchant}"
        case .item: "/items/{merchant}/{id}"
        case .externalItem: "/items/assets/external/{type}/{id}"
        case .accessFees: "/items/{id}/access-fees"
        case .access: "/items/{id}/access"
        case .history: "/items/access/customers"
        case .subscriptions: "/subscriptions"
        case .notificationKeys: "/iot/keys"
        case .keySet: "/.well-known/jwks.json"
        case .receipt: "/external-payments/{store}/validate"
        case .favorites: "/accounts/media/favorites"
        case .watchHistory: "/accounts/media/watch-history"
        }
    }

    /// The kind of call, for the report of a refusal.
    var refusedCall: RefusedCall {
        switch self {
        case .authenticate: .signIn
        case .logout: .signOut
        case .access: .editionCredentials
        case .history, .subscriptions: .access
        case .receipt: .purchase
        case .item, .externalItem, .accessFees, .favorites, .watchHistory: .catalogue
        case .notificationKeys: .notifications
        case .keySet: .other
        case .accounts, .erase, .changePassword, .forgotPassword, .newPassword, .export, .social, .sendPIN,
            .validatePIN, .registerFields:
            .account
        }
    }

    /// The merchant that the path names.
    var merchant: String? {
        switch self {
        case .registerFields(let merchant), .item(_, let merchant): merchant
        default: nil
        }
    }
}

/// The first segments of the call paths, which no publication can have as its name.
package enum InPlayerPathSegments {
    package static let all = InPlayerCall.pathSegments.union(InPlayerCall.versions).union([".well-known"])

    /// The patterns of routes that match at least the paths of this API.
    static var patterns: [String] {
        let paths =
            InPlayerCall.pathSegments.sorted().flatMap { ["/\($0)", "/\($0)/**"] }
            + InPlayerCall.versions.sorted().map { "/\($0)/**" } + ["/.well-known/jwks.json"]
        return paths + paths.map { "/{publication}\($0)" }
    }
}

/// The destination of a request.
struct InPlayerAddress: Equatable {
    /// The publication in front of the path.
    let publication: PublicationID?
    /// The call, or `nil` for a path of this API without a call.
    let call: InPlayerCall?
    /// The path with placeholders, for logs and metrics.
    let pattern: String

    /// The maximum length of a path, in bytes. Longer paths match no call.
    private static let maxLength = 8_192

    /// Returns `nil` for a path that does not belong to this API.
    ///
    /// - Parameter isKnown: Returns whether a publication has this front door.
    init?(_ path: String, isKnown: (PublicationID) -> Bool) {
        guard path.utf8.count <= Self.maxLength, path.hasPrefix("/") else { return nil }
        var pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        while pieces.last?.isEmpty == true { pieces.removeLast() }
        var segments = pieces.map { FormFields.unescaped($0) }[...]
        if let first = segments.first, let id = PublicationID(first), isKnown(id) {
            publication = id
            segments = segments.dropFirst()
        } else {
            publication = nil
        }
        guard let first = segments.first else { return nil }
        let isVersioned = InPlayerCall.versions.contains(first)
        let segment = isVersioned ? segments.dropFirst().first ?? "" : first
        call = InPlayerCall(segments)
        guard
            call != nil
                || (isVersioned ? InPlayerCall.versionedPathSegments : InPlayerCall.pathSegments).contains(segment)
        else {
            return nil
        }
        pattern =
            call?.pattern ?? (InPlayerCall.pathSegments.contains(segment) ? "/\(segment)" : "/\(first)/\(segment)")
    }
}
