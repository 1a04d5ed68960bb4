/// The users of the historic test endpoint, parsed from a user name in lower case.
///
/// Source: Pugpig test endpoint and test console, “Test users”.
enum TestUser: Equatable {
    /// `activeall`, `lapsedsome`, `fliprandom` and similar users.
    case ordinary(Activity, Holding)
    /// A user whose verification succeeds and whose edition credentials are deliberately denied.
    case yesByProxy
    /// A user whose token has several thousand characters, including all that are escaped anywhere.
    case longJSON
    case credentialsError
    case expiredToken
    case blockedToken
    case alwaysStaleToken
    /// The only user with a password.
    case peter
    /// `A-B-C`: the responses to sign-in, verification and edition credentials.
    case statusCoder(signIn: StatusCode, verification: StatusCode, credentials: StatusCode)

    enum Activity: String, CaseIterable {
        case active, lapsed
        /// Active in every odd five minutes of the hour.
        case flip
    }

    enum Holding: String, CaseIterable {
        case all, none
        /// Every second edition.
        case some
        /// Each edition with a probability of one half.
        case random
        /// All editions and the feed password.
        case global
    }

    /// A part of a status coder's name.
    enum StatusCode: Equatable {
        /// `200`: the response of `activeall`.
        case fine
        /// `000`: status 200 with a text that is not XML.
        case notXML
        /// `zzz`: the response of `activeall` after a minute.
        case late
        /// Any other part: this status with a text. An invalid status becomes 500.
        case status(Int)

        init(_ text: some StringProtocol) {
            self =
                switch text {
                case "200": .fine
                case "000": .notXML
                case "zzz": .late
                default: .status(Int(text).flatMap { (200...599).contains($0) ? $0 : nil } ?? 500)
                }
        }
    }

    static let longJSONName = "longjson"

    /// Parses a user name. Returns `nil` for an unknown name.
    init?(_ name: String) {
        switch name {
        case "yesbyproxy": self = .yesByProxy
        case Self.longJSONName: self = .longJSON
        case "credserror": self = .credentialsError
        case "expiredtoken": self = .expiredToken
        case "blockedtoken": self = .blockedToken
        case "alwaysstaletoken": self = .alwaysStaleToken
        case "peter": self = .peter
        default:
            for activity in Activity.allCases {
                for holding in Holding.allCases where name == activity.rawValue + holding.rawValue {
                    self = .ordinary(activity, holding)
                    return
                }
            }
            let parts = name.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            self = .statusCoder(
                signIn: StatusCode(parts[0]), verification: StatusCode(parts[1]), credentials: StatusCode(parts[2]))
        }
    }
}
