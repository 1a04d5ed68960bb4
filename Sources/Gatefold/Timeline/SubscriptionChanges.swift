import Synchronization

/// The last statements of subscriber systems about recent readers, to find changes without a query.
///
/// The memory is bounded, and a process that starts knows none: the first statement about a reader is no change.
final class SubscriptionChanges: Sendable {
    private struct Reader: Hashable {
        let pseudonym: SubscriberPseudonym
        let publication: PublicationID
    }

    private struct Summary: Equatable, CustomStringConvertible {
        let state: SubscriptionState
        /// The number of editions; nil for all.
        let editions: Int?
        /// A hash of the editions.
        let hash: Int

        init(_ subscription: Subscription) {
            state = subscription.state
            switch subscription.entitlement {
            case .allEditions: (editions, hash) = (nil, 0)
            case .editions(let all): (editions, hash) = (all.count, all.hashValue)
            }
        }

        var description: String { "\(state.rawValue) \(editions.map(String.init) ?? "all")" }
    }

    private let known = Mutex(BoundedStatements(capacity: 50_000))

    private struct BoundedStatements {
        let capacity: Int
        var recent: [Reader: Summary] = [:]
        var older: [Reader: Summary] = [:]

        /// Stores a statement and returns the former one. Readers without a statement for long are discarded.
        mutating func update(_ summary: Summary, of reader: Reader) -> Summary? {
            if let former = recent.updateValue(summary, forKey: reader) { return former }
            let former = older.removeValue(forKey: reader)
            if recent.count > capacity / 2 { (older, recent) = (recent, [:]) }
            return former
        }
    }

    /// Returns the former and the new statement as text, such as `active 12 > suspended 0` with the numbers of editions; nil
    /// if they are the same or there was none.
    func change(to subscription: Subscription, of pseudonym: SubscriberPseudonym, in publication: PublicationID)
        -> String?
    {
        let summary = Summary(subscription)
        let reader = Reader(pseudonym: pseudonym, publication: publication)
        guard let former = known.withLock({ $0.update(summary, of: reader) }), former != summary else { return nil }
        return "\(former) > \(summary)"
    }
}
