/// The users of the historic test endpoint (PROTOCOLS 1.3), read from a user name in lower case.
enum TestUser: Equatable {
    /// `activeall`, `lapsedsome`, `fliprandom` and the like.
    case ordinary(Activity, Holding)
    /// Verification says yes and edition credentials say no, on purpose.
    case yesByProxy
    /// Has a token of several thousand characters with everything in it that gets escaped somewhere.
    case longJSON
    case credentialsError
    case expiredToken
    case blockedToken
    case alwaysStaleToken
    /// The one user with a password.
    case peter
    /// `A-B-C`: what sign-in, verification and edition credentials answer.
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
        /// Each edition by the toss of a coin.
        case random
        /// All, and the password of the feed.
        case global
    }

    /// One part of a status coder's name.
    enum StatusCode: Equatable {
        /// `200`: as `activeall`.
        case fine
        /// `000`: status 200 with a text that is no XML.
        case notXML
        /// `zzz`: as `activeall`, a minute later.
        case late
        /// Any other: this status with a text. What is no status is 500.
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

    /// Returns nil for a name that is nobody's.
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
