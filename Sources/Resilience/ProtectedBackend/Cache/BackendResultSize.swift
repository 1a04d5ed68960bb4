import Gatefold

/// An estimate of the memory that a result uses. It is rather too high than too low.
enum BackendResultSize {
    /// The size of an entry with its key, its table slot and its groups, in bytes.
    static let entry = 760
    private static let allocation = 48

    static func bytes(of key: BackendQueryKey) -> Int {
        switch key {
        case .subscription(let subscriber), .verdict(_, let subscriber):
            text(subscriber.backend) + text(subscriber.key) + text(subscriber.upstreamSession)
        case .digest: 0
        }
    }

    static func bytes(of result: StoredResult) -> Int {
        switch result {
        case .authentication(.authenticated(let subscriber)):
            text(subscriber.backend) + text(subscriber.key) + text(subscriber.upstreamSession)
        case .authentication(.rejected(let message, let found)):
            found.all.reduce(text(message)) { $0 + allocation + text($1.backend) + text($1.key) }
        case .subscription(let subscription):
            text(subscription.message) + editions(subscription.entitlement)
                + subscription.editionPrefixes.reduce(0) { $0 + editionPrefixes($1) }
                + subscription.userInfo.reduce(0) { $0 + 32 + text($1.scheme) + text($1.value) }
                + subscription.periods.count * 32
        case .verdict(.rejected(_, let message)): text(message)
        case .verdict(.deferred(let timestamped, _, let message)):
            timestamped.reduce(text(message)) { $0 + allocation + bytes(of: .subscription($1)) }
        case .verdict: 0
        }
    }

    /// A hash table is at most three quarters full and doubles when it grows.
    private static func editions(_ entitlement: Entitlement) -> Int {
        guard case .editions(let held) = entitlement, !held.isEmpty else { return 0 }
        return allocation + held.reduce(0) { $0 + 43 + text($1.rawValue) }
    }

    private static func editionPrefixes(_ editionPrefixes: EditionPrefixes) -> Int {
        3 * allocation + editionPrefixes.held.union(editionPrefixes.withheld).reduce(0) { $0 + 43 + text($1) }
            + editions(.editions(editionPrefixes.except))
    }

    /// Strings of up to 15 bytes are stored inline.
    private static func text(_ text: String?) -> Int {
        guard let count = text?.utf8.count, count > 15 else { return 0 }
        return allocation + count
    }
}
