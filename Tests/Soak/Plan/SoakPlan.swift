import AccessModel
import Foundation
import Gatefold

/// How long a soak is, how many take part, and what everybody is told to begin with.
struct SoakPlan: Sendable {
    /// The first round is finished in any case: see ``Conductor``.
    var duration: Duration
    var readers: Int
    var pause: Duration
    var seed: UInt64

    /// One publication of the soak.
    struct Title: Sendable {
        enum Feed: Sendable {
            /// Its credentials show what is not out yet.
            case forInsiders
            /// The same with credentials and without.
            case forEverybody
            /// Neither feed nor credentials for one.
            case missing
        }

        let id: String
        let policy: EntitlementPolicy
        let failsOpen: Bool
        /// For so many seconds its tokens are good, and for so many more they can be renewed.
        let tokens: (life: TimeInterval, renewal: TimeInterval)
        let feed: Feed
    }

    /// The first answers calls that name none.
    static let titles = [
        // No token may live for less, and these end before the first round does.
        Title(id: "daily", policy: .backendDecides, failsOpen: false, tokens: (60, 10), feed: .forInsiders),
        // These outlive all credentials, so that those of an outage can be told by their end.
        Title(id: "weekly", policy: .accessBased, failsOpen: true, tokens: (240, 60), feed: .forEverybody),
        Title(id: "monthly", policy: .issueBased, failsOpen: true, tokens: (240, 60), feed: .missing),
    ]

    /// The times of the program's settings, in seconds, short enough for a soak to see their ends.
    enum Times {
        static let deadline: TimeInterval = 2
        static let freshness: TimeInterval = 1
        static let lastKnownGood: TimeInterval = 20
        static let credentials: TimeInterval = 180
        /// Salts know whole minutes, rounded up: these end a minute before the others at the least.
        static let failOpenCredentials: TimeInterval = 60
        /// Longer than a minute by more than a call takes, so that what ended with the last whole minute can be resumed.
        static let resumeWindow: TimeInterval = 90
        /// After the end of a bad day the connections have to come back, and the breaker tries.
        static let recovery: TimeInterval = 6
        /// In so many seconds a running server follows a revocation by another process, or a configuration.
        static let following: TimeInterval = 6
    }

    // MARK: - What is kept secret

    /// Each publication's secret.
    static func secret(_ title: Int) -> String { "Kq7wN2vR8tYx4mZ\(title)-\(titles[title].id)" }

    /// What a salt carries; nil for no salt of this publication and edition.
    static func salt(_ userid: String, for edition: EditionID, in title: Int) -> SealedSalt? {
        sealer(title)?.open(userid, for: edition)
    }

    static func sealer(_ title: Int) -> SaltSealer? {
        PublicationID(titles[title].id).map {
            SaltSealer(publication: $0, secrets: SecretRing(current: Secret(secret(title))), random: .system)
        }
    }

    static func password(_ userid: String, for edition: EditionID, in title: Int) -> String {
        EditionPassword.make(edition: edition, salt: userid, secret: Secret(secret(title)))
    }

    /// What has to come with a token; nil where there is no feed.
    static func feedPassword(_ token: String, in title: Int) -> String? {
        titles[title].feed == .missing
            ? nil : EditionPassword.makeForFeed(token: token, secret: Secret(secret(title)))
    }

    // MARK: - What there is to read

    static let first = "com.example.soak.2026-09"
    static let second = "com.example.soak.2026-10"
    static let third = "com.example.soak.2026-11"
    static let free = "com.example.soak.2026-08"
    static let future = "com.example.soak.2099-01"
    static let draft = "com.example.soak.draft"
    static let editions = [first, second, third, free, future, draft]
    /// Below each publication's content, and opened by its feed's credentials alone.
    static let feedFile = "feed.xml"

    static let catalogue: [Edition] = [
        edition(free, 1_754_006_400, isFree: true), edition(first, 1_756_684_800), edition(second, 1_759_276_800),
        edition(third, 1_761_955_200), edition(future, 4_070_908_800), edition(draft, 1_761_955_200, isDraft: true),
    ]

    private static func edition(
        _ text: String, _ published: TimeInterval, isFree: Bool = false, isDraft: Bool = false
    ) -> Edition {
        guard let id = EditionID(text) else { fatalError("\(text) is an edition") }
        return Edition(
            id: id, title: text, published: Date(timeIntervalSince1970: published), isFree: isFree, isDraft: isDraft)
    }

    /// The editions that shelves and feeds show: what is out to everybody, and all there is to insiders.
    static func shown(toInsiders: Bool) -> Set<String> {
        let model = model(0)
        return Set(catalogue.map(\.id).filter { toInsiders || model.isOut($0, at: Date()) }.map(\.rawValue))
    }

    static func model(_ title: Int) -> AccessModel {
        AccessModel(policy: titles[title].policy, editions: catalogue, failsOpen: titles[title].failsOpen)
    }

    // MARK: - What the program is told

    /// The program's configuration.
    ///
    /// - Parameter note: changes with each reading, so that there is something to read.
    static func configuration(port: Int, adminPort: Int, root: String, backend: String, note: Int) -> String {
        let shelf = catalogue.map {
            "      - {id: \($0.id), title: \($0.title), published: "
                + "\($0.published.formatted(.iso8601.year().month().day()))"
                + "\($0.isFree ? ", free: true" : "")\($0.isDraft ? ", draft: true" : "")}"
        }.joined(separator: "\n")
        let publications = titles.map { title in
            """
              \(title.id):
                default: \(title.id == titles[0].id)
                backend: house
                credentials: {identifier: email, proofs: [password]}
                policy: \(title.policy.rawValue)
                tokens: {lifetime: \(Int(title.tokens.life))s, renewal_window: \(Int(title.tokens.renewal))s}
                edition_credentials: {lifetime: \(Int(Times.credentials))s, resume_window: \(Int(Times.resumeWindow))s}
                fail_open: {enabled: \(title.failsOpen), lifetime: \(Int(Times.failOpenCredentials))s}
                secrets: [{env: SOAK_\(title.id.uppercased())}]
                messages: {en: {inactive: "Your subscription has ended (\(note))."}}
                content: {root: \(root), feed: [\(feedFile)]}
                feed_password: \(title.feed != .missing)
                feed: \(title.feed.settings)
                apps: [com.example.\(title.id)]
                baker: {}
                basispress: {}
                catalogue:
            \(shelf)
            """
        }.joined(separator: "\n")
        return """
            server:
              listen: 127.0.0.1:\(port)
              admin_listen: 127.0.0.1:\(adminPort)
              public_url: http://127.0.0.1:\(port)
              shutdown_grace: 2s
            log: {level: error, format: json}
            state: {path: state.sqlite, reference_secret: {env: SOAK_REFERENCES}, sessions_per_hour: 1000000}
            guessing: {per_identifier: 100000, per_address: 1000000, per_wide_block: 1000000}
            passwords: {cost: 1}
            backends:
              house:
            \(backend.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
                protection:
                  deadline: \(Int(Times.deadline))s
                  concurrency: {most: 8, waiting: 200, patience: 2s}
                  breaker: {failures: 3, within: 10s, open_for: 1s}
                  cache: {freshness: \(Int(Times.freshness))s, negative: 1s, last_known_good: \(Int(Times.lastKnownGood))s}
            publications:
            \(publications)

            """
    }
}

extension SoakPlan.Title.Feed {
    fileprivate var settings: String {
        switch self {
        case .forInsiders: "{drafts: feed}"
        case .forEverybody: "{drafts: none}"
        case .missing: "{enabled: false}"
        }
    }
}
