import Gatefold

/// How much memory an answer takes, roughly and rather too much.
enum AnswerSize {
    /// An entry with its key, its place in the tables and its groups.
    static let entry = 640
    private static let allocation = 48

    static func bytes(of answer: Answer) -> Int {
        switch answer {
        case .recognition(.recognised(let subscriber)):
            text(subscriber.backend) + text(subscriber.key) + text(subscriber.upstreamSession)
        case .recognition(.notRecognised(let message, let found)):
            found.all.reduce(text(message)) { $0 + allocation + text($1.backend) + text($1.key) }
        case .subscription(let subscription):
            text(subscription.message) + editions(subscription.entitlement)
                + subscription.beginnings.reduce(0) { $0 + beginnings($1) }
                + subscription.userInfo.reduce(0) { $0 + 32 + text($1.scheme) + text($1.value) }
                + subscription.periods.count * 32
        case .verdict(.refused(_, let message)): text(message)
        case .verdict(.leftTo(let told, _, let message)):
            told.reduce(text(message)) { $0 + allocation + bytes(of: .subscription($1)) }
        case .verdict, .nothing: 0
        }
    }

    /// A hash table is at most three quarters full, and doubles.
    private static func editions(_ entitlement: Entitlement) -> Int {
        guard case .editions(let held) = entitlement, !held.isEmpty else { return 0 }
        return allocation + held.reduce(0) { $0 + 43 + text($1.rawValue) }
    }

    private static func beginnings(_ beginnings: EditionBeginnings) -> Int {
        3 * allocation + beginnings.held.union(beginnings.withheld).reduce(0) { $0 + 43 + text($1) }
            + editions(.editions(beginnings.except))
    }

    /// Up to fifteen bytes are kept in place.
    private static func text(_ text: String?) -> Int {
        guard let count = text?.utf8.count, count > 15 else { return 0 }
        return allocation + count
    }
}
