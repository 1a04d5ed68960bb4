import AccessModel
import Foundation
import Gatefold
import Primitives

/// The duration, the size and the initial data of a soak.
struct SoakPlan: Sendable {
    /// The duration. The first round always finishes: see ``SoakDriver``.
    var duration: Duration
    var readers: Int
    var pause: Duration
    var seed: UInt64

    /// A publication of the soak.
    struct Title: Sendable {
        enum Feed: Sendable {
            /// A feed whose credentials show unpublished editions.
            case forDraftReaders
            /// A feed that is the same with and without credentials.
            case forEverybody
            /// Neither a feed nor credentials for one.
            case missing
        }

        let id: String
        let policy: EntitlementPolicy
        let failsOpen: Bool
        /// The lifetime of its tokens and the renewal window after it, in seconds.
        let tokens: (life: TimeInterval, renewal: TimeInterval)
        let feed: Feed
    }

    /// The publications. The first one responds to calls without a publication.
    static let titles = [
        // The minimum token lifetime, so that tokens expire within the first round.
        Title(id: "daily", policy: .backendDecides, failsOpen: false, tokens: (60, 10), feed: .forDraftReaders),
        // Tokens that outlive all credentials, so that the expiry identifies credentials issued during an outage.
        Title(id: "weekly", policy: .accessBased, failsOpen: true, tokens: (240, 60), feed: .forEverybody),
        Title(id: "monthly", policy: .issueBased, failsOpen: true, tokens: (240, 60), feed: .missing),
    ]

    /// The times in the program's settings in seconds, short enough for the soak to reach them.
    enum Times {
        static let deadline: TimeInterval = 2
        static let freshness: TimeInterval = 1
        static let lastKnownGood: TimeInterval = 20
        static let credentials: TimeInterval = 180
        /// Salts have whole minutes, rounded up, so these expire at least a minute before others.
        static let failOpenCredentials: TimeInterval = 60
        /// Longer than a minute by more than the duration of a call, so that credentials that expired with the last
        /// whole minute can be resumed.
        static let resumeWindow: TimeInterval = 90
        /// The time for reconnection and for the breaker's probe after a fault.
        static let recovery: TimeInterval = 6
        /// The time within which a running server follows a revocation by another process or a new configuration.
        static let following: TimeInterval = 6
    }

    // MARK: - Secrets

    /// Returns the secret of a publication.
    static func secret(_ title: Int) -> String { "Kq7wN2vR8tYx4mZ\(title)-\(titles[title].id)" }

    /// Returns the content of a salt, or nil if it does not belong to the publication and the edition.
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

    /// Returns the expected feed password of a token, or nil without a feed.
    static func feedPassword(_ token: String, in title: Int) -> String? {
        titles[title].feed == .missing
            ? nil : EditionPassword.makeForFeed(token: token, secret: Secret(secret(title)))
    }

    // MARK: - Editions

    static let first = "com.example.soak.2026-09"
    static let second = "com.example.soak.2026-10"
    static let third = "com.example.soak.2026-11"
    static let free = "com.example.soak.2026-08"
    static let future = "com.example.soak.2099-01"
    static let draft = "com.example.soak.draft"
    static let editions = [first, second, third, free, future, draft]
    /// The file below each publication's content that only the feed's credentials open.
    static let feedFile = "feed.xml"

    static let catalogue: [Edition] = [
        edition(free, 1_754_006_400, isFree: true), edition(first, 1_756_684_800), edition(second, 1_759_276_800),
        edition(third, 1_761_955_200), edition(future, 4_070_908_800), edition(draft, 1_761_955_200, isDraft: true),
    ]

    private static func edition(
        _ text: String, _ published: TimeInterval, isFree: Bool = false, isDraft: Bool = false
    ) -> Edition {
        guard let id = EditionID(text) else { fatalError("\(text) is not an edition ID") }
        return Edition(
            id: id, title: text, published: Date(timeIntervalSince1970: published), isFree: isFree, isDraft: isDraft)
    }

    /// Returns the editions of shelves and feeds: the published ones, or all of them for draft readers.
    static func shown(toDraftReaders: Bool) -> Set<String> {
        let model = model(0)
        return Set(catalogue.map(\.id).filter { toDraftReaders || model.isPublished($0, at: Date()) }.map(\.rawValue))
    }

    static func model(_ title: Int) -> AccessModel {
        AccessModel(policy: titles[title].policy, editions: catalogue, failsOpen: titles[title].failsOpen)
    }

    // MARK: - Configuration

    /// Returns the program's configuration.
    ///
    /// - Parameter record: A value that changes with each reload, so that the configuration differs.
    static func configuration(port: Int, adminPort: Int, root: String, backend: String, record: Int) -> String {
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
                messages: {en: {inactive: "Your subscription has ended (\(record))."}}
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
            state: {path: state.sqlite, pseudonym_secret: {env: SOAK_PSEUDONYMS}, sessions_per_hour: 1000000}
            login_throttle: {per_identifier: 100000, per_address: 1000000, per_network: 1000000}
            passwords: {cost: 1}
            backends:
              house:
            \(backend.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
                protection:
                  deadline: \(Int(Times.deadline))s
                  concurrency: {max_concurrent: 8, max_queued: 200, queue_timeout: 2s}
                  breaker: {min_failures: 3, window: 10s, open_duration: 1s}
                  cache: {ttl: \(Int(Times.freshness))s, negative_ttl: 1s, last_known_good: \(Int(Times.lastKnownGood))s}
            publications:
            \(publications)

            """
    }
}

extension SoakPlan.Title.Feed {
    fileprivate var settings: String {
        switch self {
        case .forDraftReaders: "{drafts: feed}"
        case .forEverybody: "{drafts: none}"
        case .missing: "{enabled: false}"
        }
    }
}
