/// What a token of the admin API or the console is for.
package enum AdminTokenKind: String, Sendable, CaseIterable {
    /// Requests of programs to the admin API.
    case api
    /// A link that opens the console once.
    case loginLink = "link"
    /// The session of a browser in the console.
    case consoleSession = "console"

    /// The beginning of the token itself.
    package var prefix: String {
        switch self {
        case .api: "gfa_"
        case .loginLink: "gfo_"
        case .consoleSession: "gfc_"
        }
    }

    /// The beginning of the public identifier, which tells the kinds apart in lists and in the audit log.
    package var idPrefix: String {
        switch self {
        case .api: ""
        case .loginLink, .consoleSession: rawValue + "-"
        }
    }

    /// The text before the random bits in the digest of a token.
    var digestPurpose: String {
        switch self {
        case .api: "gatefold admin token 1"
        case .loginLink: "gatefold login link 1"
        case .consoleSession: "gatefold console session 1"
        }
    }

    /// Returns the kind of the token with a public identifier.
    package static func kind(ofID id: String) -> AdminTokenKind {
        allCases.first { !$0.idPrefix.isEmpty && id.hasPrefix($0.idPrefix) } ?? .api
    }
}
